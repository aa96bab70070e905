import { checkGenesis } from '../../chain/genesis-source.js';
import { OBJECTS } from '../../state/objects/index.js';
import { truncateBlocks } from '../../storage/truncate.js';
import { systemClock } from '../runtime/clock.js';
import type { Settings } from '../settings/options.js';
import { loadGenesis } from './genesis.js';

/** `--truncate`: cuts the block log and says what is left of it. */
export async function truncateChain(settings: Settings, number: number): Promise<string> {
  const { source } = loadGenesis(settings, systemClock.nowMs());
  checkGenesis(source);
  const { dataDir } = settings;
  const { from, to, isStateDropped } = await truncateBlocks(
    { dataDir, chainId: source.chainId, definitions: OBJECTS },
    number,
  );
  if (to === from) return `the block log ends at block ${from}: nothing to cut`;
  const cut = `the block log ended at block ${from} and ends at block ${to} now`;
  return isStateDropped ? `${cut}; the state is dropped and will be built from the blocks at the next start` : cut;
}
