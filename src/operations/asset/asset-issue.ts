import { check, defineErrors } from '../../base/errors.js';
import { add64 } from '../../base/int.js';
import { SHARE_SUPPLY_MAX } from '../../protocol/asset.js';
import { ORIGINAL_CORE_ASSET } from '../../protocol/ids.js';
import { assetIssueOperation } from '../../protocol/operations/assets.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { accountObject } from '../../state/objects/account.js';
import { assetObject } from '../../state/objects/asset.js';
import { assetDynamicDataObject } from '../../state/objects/asset-dynamic-data.js';
import { isAuthorizedAsset, isMarketIssued } from '../../state/rules/authorized-asset.js';
import { adjustBalanceBy } from '../../state/rules/balances.js';
import { checkFee } from '../checks.js';
import { defineOperation } from '../define.js';

export const ASSET_ISSUE_ERRORS = defineErrors({
  issue_amount_not_positive: { text: 'asset_to_issue.amount.value > 0: ', hint: 'the amount must be positive' },
  issue_amount_above_supply: {
    text: 'asset_to_issue.amount.value <= GRAPHENE_MAX_SHARE_SUPPLY: ',
    hint: 'the amount is above the largest one',
  },
  issue_original_core: { text: 'asset_to_issue.asset_id != asset_id_type(0): ', hint: '1.3.0 can not be issued' },
  issue_not_issuer: { text: 'o.issuer == a.issuer: ', hint: 'only the issuer may issue an asset' },
  issue_market_issued: { text: '!a.is_market_issued(): Cannot manually issue a market-issued asset.' },
  issue_unauthorized: {
    text: 'is_authorized_asset( d, *to_account, a ): ',
    hint: 'the lists of the asset do not let the account hold it',
  },
  issue_above_max_supply: {
    text: '(asset_dyn_data->current_supply + o.asset_to_issue.amount) <= a.options.max_supply: ',
    hint: 'the supply would be above the largest supply of the asset',
  },
});

export const assetIssue = defineOperation({
  ...assetIssueOperation,
  payer: (op) => op.issuer,
  validate(op) {
    checkFee(op);
    const { amount, asset_id } = op.asset_to_issue;
    check(amount <= SHARE_SUPPLY_MAX, ASSET_ISSUE_ERRORS.issue_amount_above_supply);
    check(amount > 0n, ASSET_ISSUE_ERRORS.issue_amount_not_positive);
    check(asset_id !== ORIGINAL_CORE_ASSET, ASSET_ISSUE_ERRORS.issue_original_core);
  },
  evaluate(s, op) {
    const a = s.get(assetObject, op.asset_to_issue.asset_id);
    check(op.issuer === a.issuer, ASSET_ISSUE_ERRORS.issue_not_issuer);
    check(!isMarketIssued(a), ASSET_ISSUE_ERRORS.issue_market_issued);
    const to = s.get(accountObject, op.issue_to_account);
    check(isAuthorizedAsset(s, to, a), ASSET_ISSUE_ERRORS.issue_unauthorized);
    const dynamic = s.get(assetDynamicDataObject, a.dynamic_asset_data_id);
    const supply = add64(dynamic.current_supply, op.asset_to_issue.amount);
    check(supply <= a.options.max_supply, ASSET_ISSUE_ERRORS.issue_above_max_supply);
    return dynamic;
  },
  apply(s, op, dynamic) {
    adjustBalanceBy(s, op.issue_to_account, op.asset_to_issue);
    s.modify(assetDynamicDataObject, dynamic, (o) => {
      o.current_supply = add64(o.current_supply, op.asset_to_issue.amount);
    });
    return VOID_RESULT;
  },
});
