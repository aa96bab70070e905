import { ChainError } from '../../base/errors.js';
import type { Logger } from '../../base/world.js';
import type { Chain } from '../../chain/chain.js';
import { readStateUpdate } from '../../chain/state-update.js';
import { NULL_BLOCK_ID } from '../../crypto/digests.js';
import type { PrivateKey } from '../../crypto/private-key.js';
import { definePart } from '../../plugin/part.js';
import type { Instance } from '../../protocol/ids.js';
import { witnessObject } from '../../state/objects/witness.js';
import { nodeFiles } from '../../storage/files.js';
import { keepDebugUpdate } from '../chain/debug-updates-file.js';
import type { ForkMark } from '../chain/fork-mark.js';
import { DEV_FAUCET, type DevAccount, FORK_FAUCET } from '../dev/dev-network.js';
import { devSetup, isDevSetupDone, type MoreAccounts } from '../dev/dev-setup.js';
import { FORK_SIGNING_KEY, setUpFork } from '../dev/fork-setup.js';
import type { ChainBase } from '../dev/state-dump.js';
import { devAccountOptions } from '../settings/options.js';
import { chainPart } from './chain.js';
import { forkPart } from './fork.js';
import { SETTINGS } from './given.js';

/** A development chain that is not set up by then never will be. */
const DEV_SETUP_BLOCKS = 20;

export interface DevChain {
  /** Pays, and registers accounts. */
  readonly faucet: DevAccount;
  /** What the chain's own blocks come after. */
  readonly base: ChainBase;
  /** Beside those of the options: whom this node makes blocks for, and with what. */
  readonly witnesses: readonly Instance[];
  readonly keys: readonly PrivateKey[];
}

/** What a fresh development chain needs, now and after its first blocks; undefined for every other chain. */
export const devChainPart = definePart({
  name: 'development network',
  needs: { settings: SETTINGS, fork: forkPart, chain: chainPart },
  logModule: 'node',
  options: { title: 'Development chain', table: devAccountOptions },
  open({ needs: { settings, fork, chain: node }, options, dataDir, log }): { readonly value: DevChain | undefined } {
    const { chain } = node;
    const more = { count: options['dev-accounts'], coins: options['dev-balance'] };
    if (!settings.isDev) return { value: undefined };
    if (fork === undefined) {
      setUpDevChain(chain, more, log);
      return { value: { faucet: DEV_FAUCET, base: { number: 0, id: NULL_BLOCK_ID }, witnesses: [], keys: [] } };
    }
    setUpForkedChain(chain, fork, more, dataDir);
    log.warn(
      'this is a fork of another chain and has its chain id: what is signed for it may be valid there as well. Sign with keys of the fork alone, and impersonate everybody else',
      { chain: fork.chain_id, block: fork.block },
    );
    const witnesses = chain.snapshots.withHeadState((state) => [...state.all(witnessObject)].map(({ id }) => id));
    const base = { number: fork.block, id: fork.block_id };
    return { value: { faucet: FORK_FAUCET, base, witnesses, keys: [FORK_SIGNING_KEY] } };
  },
});

/** Until it has a block of its own. Later it is changed by those alone who use it. */
function setUpForkedChain(chain: Chain, fork: ForkMark, more: MoreAccounts, dataDir: string): void {
  const { queries, debug } = chain;
  const { head } = queries;
  if (head.number !== fork.block) return;
  setUpFork(queries.state, more, (update) =>
    debug.amendHead(readStateUpdate(update), () => keepDebugUpdate(nodeFiles, dataDir, head.id, update)),
  );
}

function setUpDevChain(chain: Chain, more: MoreAccounts, log: Logger): void {
  const push = (): void => {
    for (const transaction of devSetup(chain.queries.state, more)) {
      try {
        chain.pending.push({ transaction });
      } catch (error) {
        if (!(error instanceof ChainError)) throw error;
        // Somebody uses --dev with a chain that has gone other ways; it is theirs.
        log.warn('the development network is not as it is expected to be', { error: error.message });
      }
    }
  };
  push();
  // For as long as the node runs: a chain that was set up may be taken back to before that.
  chain.blocks.subscribe((event) => {
    if (event.kind !== 'applied' || event.block.number > DEV_SETUP_BLOCKS) return;
    // A listener must not change the chain that is telling it something.
    if (!isDevSetupDone(chain.queries.state) && chain.pending.count === 0) setImmediate(push);
  });
}
