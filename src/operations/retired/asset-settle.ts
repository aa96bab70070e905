import { check, defineErrors } from '../../base/errors.js';
import { assetSettleOperation } from '../../protocol/operations/assets.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { checkFee } from '../checks.js';
import { defineOperation } from '../define.js';
import { endedBy } from './retire.js';

export const ASSET_SETTLE_ERRORS = defineErrors({
  settle_amount_negative: { text: 'amount.amount >= 0: ', hint: 'the amount must not be negative' },
});

/** Pays its fee and changes nothing else until the fork that ended market-issued assets. */
export const assetSettle = defineOperation({
  ...assetSettleOperation,
  payer: (op) => op.account,
  validate(op) {
    checkFee(op);
    check(op.amount.amount >= 0n, ASSET_SETTLE_ERRORS.settle_amount_negative);
  },
  evaluate: endedBy('HF_1008', 'bitassets_ended'),
  apply: () => VOID_RESULT,
});
