import { ChainError, defineErrors, type ErrorRow, fail } from '../../base/errors.js';
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

/** Where an operation says the same in other words. */
export interface TransferWords {
  /** How refusals call an account; by its id where nothing else is said. */
  readonly account?: (account: Account) => string;
  readonly restricted?: ErrorRow;
}

const NO_WORDS: TransferWords = {};
const assetIdOf = ({ id }: Readonly<AssetObject>): string => `1.3.${id}`;
const idOf = ({ id }: Account): string => `1.2.${id}`;

/** White and black lists, and restricted assets. */
export function checkMayTransfer(
  s: ReadState,
  from: Account,
  to: Account,
  what: Readonly<AssetObject>,
  words: TransferWords = NO_WORDS,
): void {
  const { account = idOf, restricted = TRANSFER_ERRORS.transfer_restricted } = words;
  if (!isAuthorizedAsset(s, from, what)) {
    fail(TRANSFER_ERRORS.transfer_from_unauthorized, { from: account(from), asset: assetIdOf(what) });
  }
  if (!isAuthorizedAsset(s, to, what)) {
    fail(TRANSFER_ERRORS.transfer_to_unauthorized, { to: account(to), asset: assetIdOf(what) });
  }
  if (!isTransferRestricted(what) || from.id === what.issuer || to.id === what.issuer) return;
  fail(restricted, { asset: assetIdOf(what) });
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
  if (balance >= amount.amount) return;
  fail(TRANSFER_ERRORS.transfer_balance, {
    a: from.name,
    t: to.name,
    total_transfer: prettyAmount(s, shown),
    balance: prettyAmount(s, { amount: balance, asset_id: amount.asset_id }),
  });
}

/** Adds to a refusal what was to be moved. */
export function explainTransfer(
  s: ReadState,
  verb: 'transfer' | 'pay' | 'pay_data_transaction',
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
    throw error.within(`Unable to ${verb} \${a} from \${f} to \${t}`, data);
  }
}
