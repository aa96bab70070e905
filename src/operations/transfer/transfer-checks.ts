import { ChainError, check, defineErrors } from '../../base/errors.js';
import type { Asset } from '../../protocol/asset.js';
import type { AccountObject } from '../../state/objects/account.js';
import type { AssetObject } from '../../state/objects/asset.js';
import { isAuthorizedAsset, isTransferRestricted } from '../../state/rules/authorized-asset.js';
import { balanceOf } from '../../state/rules/balances.js';
import { prettyAmount } from '../../state/rules/pretty.js';
import type { ReadState } from '../../state/views.js';

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

/** Checks of a transfer that other operations share: proxy transfers, payments for data, transfers by contracts. */

type Account = Readonly<AccountObject>;

/** White and black lists, and restricted assets. */
export function checkMayTransfer(s: ReadState, from: Account, to: Account, what: Readonly<AssetObject>): void {
  const names = () => ({ from: `1.2.${from.id}`, to: `1.2.${to.id}`, asset: `1.3.${what.id}` });
  check(isAuthorizedAsset(s, from, what), TRANSFER_ERRORS.transfer_from_unauthorized, names);
  check(isAuthorizedAsset(s, to, what), TRANSFER_ERRORS.transfer_to_unauthorized, names);
  if (!isTransferRestricted(what)) return;
  check(from.id === what.issuer || to.id === what.issuer, TRANSFER_ERRORS.transfer_restricted, names);
}

/** `shown` is what a refusal says was to be moved, where the reference says something else than it does. */
export function checkTransferBalance(
  s: ReadState,
  from: Account,
  to: Account,
  amount: Asset,
  shown: Asset = amount,
): void {
  const balance = balanceOf(s, from.id, amount.asset_id);
  check(balance >= amount.amount, TRANSFER_ERRORS.transfer_balance, () => ({
    a: from.name,
    t: to.name,
    total_transfer: prettyAmount(s, shown),
    balance: prettyAmount(s, { amount: balance, asset_id: amount.asset_id }),
  }));
}

/** Adds to a refusal what was to be moved; `verb` is `transfer` or `pay`. */
export function explainTransfer(
  s: ReadState,
  verb: 'transfer' | 'pay',
  amount: Asset,
  from: Account,
  to: Account,
  work: () => void,
): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    const data = { a: prettyAmount(s, amount), f: from.name, t: to.name };
    throw error.within(
      verb === 'pay' ? 'Unable to pay ${a} from ${f} to ${t}' : 'Unable to transfer ${a} from ${f} to ${t}',
      data,
    );
  }
}
