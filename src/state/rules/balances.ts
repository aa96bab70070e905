import { check, defineErrors } from '../../base/errors.js';
import { checkI64 } from '../../base/int.js';
import type { Asset } from '../../protocol/asset.js';
import type { Instance } from '../../protocol/ids.js';
import { accountObject } from '../objects/account.js';
import { accountBalanceObject, balanceKey } from '../objects/account-balance.js';
import type { ReadState, WriteState } from '../views.js';
import { prettyAmount } from './pretty.js';

export const BALANCE_ERRORS = defineErrors({
  balance_insufficient: {
    text: "itr->get_balance() >= -delta: Insufficient Balance: ${a}'s balance of ${b} is less than required ${r}",
  },
  balance_missing: {
    text: "delta.amount > 0: Insufficient Balance: ${a}'s balance of ${b} is less than required ${r}",
  },
});

export function balanceOf(s: ReadState, account: Instance, asset: Instance): bigint {
  return s.findBy(accountBalanceObject.by.ownerAsset, balanceKey(account, asset))?.balance ?? 0n;
}

/**
 * Adds `delta`, which may be negative. Rows are created on the first credit and never removed, not even at zero.
 * Neither the account's existence nor any list is looked at.
 */
export function adjustBalance(s: WriteState, account: Instance, asset: Instance, delta: bigint): void {
  if (delta === 0n) return;
  const row = s.findBy(accountBalanceObject.by.ownerAsset, balanceKey(account, asset));
  if (row === undefined) {
    check(delta > 0n, BALANCE_ERRORS.balance_missing, () => shortage(s, account, asset, 0n, delta));
    s.create(accountBalanceObject, { owner: account, asset_type: asset, balance: delta });
    return;
  }
  const balance = row.balance + delta;
  if (balance < 0n && delta < 0n) {
    check(false, BALANCE_ERRORS.balance_insufficient, shortage(s, account, asset, row.balance, delta));
  }
  checkI64(balance, 'addition');
  s.edit(accountBalanceObject, row).balance = balance;
}

export function adjustBalanceBy(s: WriteState, account: Instance, amount: Asset): void {
  adjustBalance(s, account, amount.asset_id, amount.amount);
}

function shortage(
  s: ReadState,
  account: Instance,
  asset: Instance,
  balance: bigint,
  delta: bigint,
): Record<string, unknown> {
  return {
    a: s.find(accountObject, account)?.name ?? `1.2.${account}`,
    b: prettyAmount(s, { amount: balance, asset_id: asset }),
    r: prettyAmount(s, { amount: -delta, asset_id: asset }),
  };
}
