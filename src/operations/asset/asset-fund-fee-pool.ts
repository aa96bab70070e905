import { check, defineErrors } from '../../base/errors.js';
import { add64 } from '../../base/int.js';
import { ORIGINAL_CORE_ASSET } from '../../protocol/ids.js';
import { assetFundFeePoolOperation } from '../../protocol/operations/assets.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { assetObject } from '../../state/objects/asset.js';
import { assetDynamicDataObject } from '../../state/objects/asset-dynamic-data.js';
import { adjustBalance } from '../../state/rules/balances.js';
import { checkFee } from '../checks.js';
import { defineOperation } from '../define.js';

export const ASSET_FUND_FEE_POOL_ERRORS = defineErrors({
  pool_amount_not_positive: { text: 'amount > 0: ', hint: 'the amount must be positive' },
  pool_fee_not_core: {
    text: 'o.fee.asset_id == asset_id_type(1): ',
    hint: 'the fee of this operation is paid in the core asset',
  },
  pool_fee_not_original_core: {
    text: 'o.fee.asset_id == asset_id_type(): ',
    hint: 'the fee of this operation is paid in the core asset',
  },
});

/** Gives core asset to a pool from which fees in another asset are paid. */
export const assetFundFeePool = defineOperation({
  ...assetFundFeePoolOperation,
  payer: (op) => op.from_account,
  validate(op) {
    checkFee(op);
    check(op.amount > 0n, ASSET_FUND_FEE_POOL_ERRORS.pool_amount_not_positive);
  },
  evaluate(s, op) {
    const row =
      s.coreAsset === ORIGINAL_CORE_ASSET
        ? ASSET_FUND_FEE_POOL_ERRORS.pool_fee_not_original_core
        : ASSET_FUND_FEE_POOL_ERRORS.pool_fee_not_core;
    check(op.fee.asset_id === s.coreAsset, row);
    return s.get(assetDynamicDataObject, s.get(assetObject, op.asset_id).dynamic_asset_data_id);
  },
  apply(s, op, dynamic) {
    adjustBalance(s, op.from_account, s.coreAsset, -op.amount);
    s.modify(assetDynamicDataObject, dynamic, (o) => {
      o.fee_pool = add64(o.fee_pool, op.amount);
    });
    return VOID_RESULT;
  },
});
