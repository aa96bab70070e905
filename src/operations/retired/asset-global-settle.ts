import { check, defineErrors } from '../../base/errors.js';
import { assetGlobalSettleOperation } from '../../protocol/operations/assets.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { checkFee } from '../checks.js';
import { defineOperation } from '../define.js';
import { endedBy } from './retire.js';

export const ASSET_GLOBAL_SETTLE_ERRORS = defineErrors({
  settle_price_of_other_asset: {
    text: 'asset_to_settle == settle_price.base.asset_id: ',
    hint: 'the price is that of another asset',
  },
});

/** Pays its fee and changes nothing else until the fork that ended market-issued assets. */
export const assetGlobalSettle = defineOperation({
  ...assetGlobalSettleOperation,
  payer: (op) => op.issuer,
  validate(op) {
    checkFee(op);
    const isOwnPrice = op.asset_to_settle === op.settle_price.base.asset_id;
    check(isOwnPrice, ASSET_GLOBAL_SETTLE_ERRORS.settle_price_of_other_asset);
  },
  evaluate: endedBy('HF_1008', 'bitassets_ended'),
  apply: () => VOID_RESULT,
});
