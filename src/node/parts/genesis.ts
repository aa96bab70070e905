import { checkGenesis } from '../../chain/genesis-source.js';
import { timeToText } from '../../codec/time.js';
import { publicKeyToText } from '../../crypto/public-key.js';
import { definePart } from '../../plugin/part.js';
import { loadGenesis } from '../chain/genesis.js';
import { genesisOptions } from '../settings/options.js';
import { SETTINGS } from './given.js';

/** Which network this is. */
export const genesisPart = definePart({
  name: 'genesis',
  needs: { settings: SETTINGS },
  options: { title: 'Chain', table: genesisOptions },
  logModule: 'node',
  open({ needs: { settings }, clock, dataDir, log }) {
    const loaded = loadGenesis(settings, clock.nowMs());
    const { source, changes } = loaded;
    checkGenesis(source);
    log.info('starting', { network: source.network.name, chain: source.chainId, data: dataDir });
    if (changes.timestamp !== undefined || changes.initKey !== undefined) {
      const key =
        changes.initKey === undefined ? {} : { key: publicKeyToText(changes.initKey, source.network.keyPrefix) };
      log.info('the genesis file is changed for this chain', {
        begins: timeToText(source.file.initial_timestamp),
        ...key,
      });
    }
    return { value: loaded };
  },
});
