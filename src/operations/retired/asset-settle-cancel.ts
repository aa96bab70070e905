import { check, defineErrors } from '../../base/errors.js';
import { assetSettleCancelOperation } from '../../protocol/operations/assets.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { defineOperation } from '../define.js';
import { neverEvaluated } from './retire.js';

export const ASSET_SETTLE_CANCEL_ERRORS = defineErrors({
  settlement_cancel_not_positive: { text: 'amount.amount > 0: Must settle at least 1 unit' },
});

/** Only ever stood in histories. */
export const assetSettleCancel = defineOperation({
  ...assetSettleCancelOperation,
  noEvaluator: true,
  payer: (op) => op.account,
  validate: (op) => check(op.amount.amount > 0n, ASSET_SETTLE_CANCEL_ERRORS.settlement_cancel_not_positive),
  evaluate: neverEvaluated,
  apply: () => VOID_RESULT,
});
