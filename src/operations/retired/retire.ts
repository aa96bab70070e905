import { check, defineErrors, invariant } from '../../base/errors.js';
import type { Fork } from '../../protocol/forks.js';
import type { ReadState } from '../../state/views.js';

/** Operations that a fork ended, and those that only ever appear in histories. They decode, and that is all. */
export const RETIRED_ERRORS = defineErrors({
  limit_orders_ended: { text: 'false: creation of limit order is disabled' },
  bitassets_ended: { text: 'false: disabled since hardfork 1008' },
  workers_ended: { text: 'false: worker disable after hardfork 1008' },
  fill_order_virtual: { text: '!"virtual operation": ', hint: 'stands in histories only' },
  fba_distribute_virtual: { text: 'false: ', hint: 'stands in histories only' },
});

type EndKey = 'limit_orders_ended' | 'bitassets_ended' | 'workers_ended';

/** Refuses as soon as the fork is in force. Before it the operation changed nothing. */
export function endedBy(fork: Fork, key: EndKey): (s: ReadState) => void {
  return (s) => check(!s.active(fork), RETIRED_ERRORS[key]);
}

/** Transactions that hold such an operation are refused before anybody would evaluate it. */
export function neverEvaluated(): never {
  invariant(false, 'an operation without evaluator is not run');
}
