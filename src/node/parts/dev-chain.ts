import { ChainError } from '../../base/errors.js';
import type { Logger } from '../../base/world.js';
import type { Chain } from '../../chain/chain.js';
import { definePart } from '../../plugin/part.js';
import { devSetup, isDevSetupDone, type MoreAccounts } from '../dev/dev-setup.js';
import { devAccountOptions } from '../settings/options.js';
import { chainPart } from './chain.js';
import { SETTINGS } from './given.js';

/** A development chain that is not set up by then never will be. */
const DEV_SETUP_BLOCKS = 20;

/** What a fresh development chain needs, now and after its first blocks. */
export const devChainPart = definePart({
  name: 'development network',
  needs: { settings: SETTINGS, chain: chainPart },
  logModule: 'node',
  options: { title: 'Development chain', table: devAccountOptions },
  open({ needs: { settings, chain }, options, log }) {
    const more = { count: options['dev-accounts'], coins: options['dev-balance'] };
    if (settings.isDev) setUpDevChain(chain.chain, more, log);
    return { value: undefined };
  },
});

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
