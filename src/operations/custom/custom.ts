import { check, defineErrors } from '../../base/errors.js';
import { customOperation } from '../../protocol/operations/accounts.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { defineOperation } from '../define.js';

export const CUSTOM_ERRORS = defineErrors({
  custom_fee_not_positive: { text: 'fee.amount > 0: ', hint: 'the fee must be positive' },
});

/** Bytes that mean something to others than the chain. Quirk: `required_auths` demands nothing. */
export const custom = defineOperation({
  ...customOperation,
  payer: (op) => op.payer,
  validate: (op) => check(op.fee.amount > 0n, CUSTOM_ERRORS.custom_fee_not_positive),
  evaluate: () => undefined,
  apply: () => VOID_RESULT,
});
