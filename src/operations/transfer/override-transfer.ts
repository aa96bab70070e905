import { check, defineErrors } from '../../base/errors.js';
import { ASSET_FLAG, asset } from '../../protocol/asset.js';
import { overrideTransferOperation } from '../../protocol/operations/transfers.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { accountObject } from '../../state/objects/account.js';
import { assetObject } from '../../state/objects/asset.js';
import { isAuthorizedAsset } from '../../state/rules/authorized-asset.js';
import { adjustBalance, balanceOf } from '../../state/rules/balances.js';
import { checkAmountPositive, checkDifferent, checkFee } from '../checks.js';
import { defineOperation } from '../define.js';

export const OVERRIDE_TRANSFER_ERRORS = defineErrors({
  override_issuer_is_from: { text: 'issuer != from: ', hint: 'the issuer can not take from itself' },
  override_not_permitted: {
    code: 3053801,
    name: 'override_transfer_not_permitted',
    title: 'not permitted',
    text: 'override_transfer not permitted for asset ${asset}',
  },
  override_not_issuer: {
    text: 'asset_type.issuer == op.issuer: ',
    hint: 'only the issuer may move an asset of others',
  },
  override_to_unauthorized: {
    text: 'is_authorized_asset( d, to_account, asset_type ): ',
    hint: 'the lists of the asset do not let the receiver hold it',
  },
  override_from_unauthorized: {
    text: 'is_authorized_asset( d, from_account, asset_type ): ',
    hint: 'the lists of the asset do not let the holder send it',
  },
  override_balance: {
    text: 'd.get_balance( from_account, asset_type ).amount >= op.amount.amount: ',
    hint: 'the holder does not own the amount',
  },
});

/** An issuer takes an asset from one holder and gives it to another. */
export const overrideTransfer = defineOperation({
  ...overrideTransferOperation,
  payer: (op) => op.issuer,
  validate(op) {
    checkFee(op);
    checkDifferent(op.from, op.to);
    checkAmountPositive(op.amount);
    check(op.issuer !== op.from, OVERRIDE_TRANSFER_ERRORS.override_issuer_is_from);
  },
  evaluate(s, op) {
    const what = s.get(assetObject, op.amount.asset_id);
    const permitted = (what.options.flags & ASSET_FLAG.override_authority) !== 0;
    check(permitted, OVERRIDE_TRANSFER_ERRORS.override_not_permitted, () => ({ asset: `1.3.${what.id}` }));
    check(what.issuer === op.issuer, OVERRIDE_TRANSFER_ERRORS.override_not_issuer);
    const from = s.get(accountObject, op.from);
    const to = s.get(accountObject, op.to);
    check(isAuthorizedAsset(s, to, what), OVERRIDE_TRANSFER_ERRORS.override_to_unauthorized);
    check(isAuthorizedAsset(s, from, what), OVERRIDE_TRANSFER_ERRORS.override_from_unauthorized);
    const balance = balanceOf(s, from.id, what.id);
    check(balance >= op.amount.amount, OVERRIDE_TRANSFER_ERRORS.override_balance, () => ({
      total_transfer: asset.toJson(op.amount),
      balance,
    }));
  },
  apply(s, op) {
    adjustBalance(s, op.from, op.amount.asset_id, -op.amount.amount);
    adjustBalance(s, op.to, op.amount.asset_id, op.amount.amount);
    return VOID_RESULT;
  },
});
