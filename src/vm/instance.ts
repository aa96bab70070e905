import { check, defineErrors } from '../base/errors.js';
import { INSTANCE_END } from '../protocol/ids.js';

/** Instance numbers of accounts and assets, as contracts give them. */
export const INSTANCE_ERRORS = defineErrors({
  contract_instance_range: {
    text: '(i >> 48) == 0: ',
    hint: '${i} is no instance number: those of accounts and assets have 48 bits',
  },
});

/** `i` has no sign. */
export function checkInstance(i: bigint): void {
  check(i < INSTANCE_END, INSTANCE_ERRORS.contract_instance_range, { i });
}
