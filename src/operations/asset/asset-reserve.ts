import { check, defineErrors } from '../../base/errors.js';
import { sub64 } from '../../base/int.js';
import { SHARE_SUPPLY_MAX } from '../../protocol/asset.js';
import { assetReserveOperation } from '../../protocol/operations/assets.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { accountObject } from '../../state/objects/account.js';
import { assetObject } from '../../state/objects/asset.js';
import { assetDynamicDataObject } from '../../state/objects/asset-dynamic-data.js';
import { isAuthorizedAsset, isMarketIssued } from '../../state/rules/authorized-asset.js';
import { adjustBalance } from '../../state/rules/balances.js';
import { checkFee } from '../checks.js';
import { defineOperation } from '../define.js';

export const ASSET_RESERVE_ERRORS = defineErrors({
  reserve_amount_above_supply: {
    text: 'amount_to_reserve.amount.value <= GRAPHENE_MAX_SHARE_SUPPLY: ',
    hint: 'the amount is above the largest one',
  },
  reserve_amount_not_positive: { text: 'amount_to_reserve.amount.value > 0: ', hint: 'the amount must be positive' },
  reserve_market_issued: {
    code: 3051501,
    name: 'asset_reserve_invalid_on_mia',
    title: 'invalid on mia',
    text: 'Cannot reserve ${sym} because it is a market-issued asset',
  },
  reserve_unauthorized: {
    text: 'is_authorized_asset( d, *from_account, a ): ',
    hint: 'the lists of the asset do not let the account hold it',
  },
  reserve_above_supply: {
    text: '(asset_dyn_data->current_supply - o.amount_to_reserve.amount) >= 0: ',
    hint: 'more than the supply would be taken out of circulation',
  },
});

/** Takes an amount out of circulation. */
export const assetReserve = defineOperation({
  ...assetReserveOperation,
  payer: (op) => op.payer,
  validate(op) {
    checkFee(op);
    const { amount } = op.amount_to_reserve;
    check(amount <= SHARE_SUPPLY_MAX, ASSET_RESERVE_ERRORS.reserve_amount_above_supply);
    check(amount > 0n, ASSET_RESERVE_ERRORS.reserve_amount_not_positive);
  },
  evaluate(s, op) {
    const a = s.get(assetObject, op.amount_to_reserve.asset_id);
    check(!isMarketIssued(a), ASSET_RESERVE_ERRORS.reserve_market_issued, () => ({ sym: a.symbol }));
    const from = s.get(accountObject, op.payer);
    check(isAuthorizedAsset(s, from, a), ASSET_RESERVE_ERRORS.reserve_unauthorized);
    const dynamic = s.get(assetDynamicDataObject, a.dynamic_asset_data_id);
    const rest = sub64(dynamic.current_supply, op.amount_to_reserve.amount);
    check(rest >= 0n, ASSET_RESERVE_ERRORS.reserve_above_supply);
    return dynamic;
  },
  apply(s, op, dynamic) {
    const { amount, asset_id } = op.amount_to_reserve;
    adjustBalance(s, op.payer, asset_id, -amount);
    s.modify(assetDynamicDataObject, dynamic, (o) => {
      o.current_supply = sub64(o.current_supply, amount);
    });
    return VOID_RESULT;
  },
});
