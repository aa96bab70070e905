import type { ChainState } from '../../src/state/chain-state.js';
import { accountObject } from '../../src/state/objects/account.js';
import { accountStatisticsObject } from '../../src/state/objects/account-statistics.js';
import { adjustBalance } from '../../src/state/rules/balances.js';

/** Canaries: ways in which a node is broken on purpose, so that a test can see the simulation find it. */
export type Sabotage =
  | 'changes_state'
  | 'mints'
  | 'lying_disk'
  /** Rules of the network: whoever leaves is to blame, what was taken is not there, what was signed is forgotten. */
  | 'blames_everybody'
  | 'swallows_blocks'
  | 'forgets_slots';

/** Happens after blocks, behind the chain's back. */
export function sabotageState(state: ChainState, how: Sabotage | undefined): void {
  const someone = state.nextInstance(accountObject) - 1;
  if (how === 'mints') adjustBalance(state, someone, 1, 1n);
  if (how === 'changes_state') {
    state.modify(accountStatisticsObject, state.get(accountStatisticsObject, someone), (o) => {
      o.lifetime_fees_paid += 1n;
    });
  }
}
