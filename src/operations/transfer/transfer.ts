import { check, defineErrors } from '../../base/errors.js';
import { optional } from '../../codec/containers.js';
import { struct } from '../../codec/struct.js';
import { asset } from '../../protocol/asset.js';
import { extensions } from '../../protocol/extensions.js';
import { accountId } from '../../protocol/ids.js';
import { memoData } from '../../protocol/memo.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { accountObject } from '../../state/objects/account.js';
import { assetObject } from '../../state/objects/asset.js';
import { isContract } from '../../state/rules/accounts.js';
import { isAuthorizedAsset, isTransferRestricted } from '../../state/rules/authorized-asset.js';
import { adjustBalance, balanceOf } from '../../state/rules/balances.js';
import { prettyAmount } from '../../state/rules/pretty.js';
import { checkAmountPositive, checkDifferent, checkFee } from '../checks.js';
import { defineOperation } from '../define.js';
import { feeWithMemo } from '../fee-kinds.js';

const row = (code: number, name: string, title: string, text: string) => ({ code, name, title, text });

export const TRANSFER_ERRORS = defineErrors({
  transfer_from_unauthorized: row(
    3050001,
    'transfer_from_account_not_whitelisted',
    'owner mismatch',
    "'from' account ${from} is not whitelisted for asset ${asset}",
  ),
  transfer_to_unauthorized: row(
    3050002,
    'transfer_to_account_not_whitelisted',
    'owner mismatch',
    "'to' account ${to} is not whitelisted for asset ${asset}",
  ),
  transfer_restricted: row(
    3050003,
    'transfer_restricted_transfer_asset',
    'restricted transfer asset',
    'Asset ${asset} has transfer_restricted flag enabled',
  ),
  transfer_to_contract: row(
    3050004,
    'transfer_restricted_transfer_to_contract',
    'restricted transfer asset to contract account',
    "the account '${to}' is a contract account",
  ),
  transfer_balance: {
    text: "insufficient_balance: Insufficient Balance: ${balance}, unable to transfer '${total_transfer}' from account '${a}' to '${t}'",
  },
});

export const transfer = defineOperation({
  tag: 0,
  name: 'transfer',
  schema: struct('transfer', {
    fee: asset,
    from: accountId,
    to: accountId,
    amount: asset,
    memo: optional(memoData),
    extensions,
  }),
  fee: feeWithMemo(100_000n, 1_000_000),
  payer: (op) => op.from,
  validate(op) {
    checkFee(op);
    checkDifferent(op.from, op.to);
    checkAmountPositive(op.amount);
  },
  evaluate(s, op) {
    const from = s.get(accountObject, op.from);
    const to = s.get(accountObject, op.to);
    const what = s.get(assetObject, op.amount.asset_id);
    const names = () => ({ from: `1.2.${from.id}`, to: `1.2.${to.id}`, asset: `1.3.${what.id}` });
    check(isAuthorizedAsset(s, from, what), TRANSFER_ERRORS.transfer_from_unauthorized, names);
    check(isAuthorizedAsset(s, to, what), TRANSFER_ERRORS.transfer_to_unauthorized, names);
    if (isTransferRestricted(what)) {
      const byIssuer = from.id === what.issuer || to.id === what.issuer;
      check(byIssuer, TRANSFER_ERRORS.transfer_restricted, names);
    }
    if (!s.active('HF_1019')) {
      check(!isContract(to), TRANSFER_ERRORS.transfer_to_contract, () => ({ to: to.name }));
    }
    const balance = balanceOf(s, from.id, what.id);
    check(balance >= op.amount.amount, TRANSFER_ERRORS.transfer_balance, () => ({
      a: from.name,
      t: to.name,
      total_transfer: prettyAmount(s, op.amount),
      balance: prettyAmount(s, { amount: balance, asset_id: what.id }),
    }));
  },
  apply(s, op) {
    adjustBalance(s, op.from, op.amount.asset_id, -op.amount.amount);
    adjustBalance(s, op.to, op.amount.asset_id, op.amount.amount);
    return VOID_RESULT;
  },
});
