import { fromHex } from '../../base/bytes.js';
import { check, fail } from '../../base/errors.js';
import { array } from '../../codec/containers.js';
import type { Json } from '../../codec/json.js';
import { struct } from '../../codec/struct.js';
import { blind } from '../../crypto/blind.js';
import type { PrivateKey } from '../../crypto/private-key.js';
import { NULL_PUBLIC_KEY, type PublicKey } from '../../crypto/public-key.js';
import { type Asset, makeAsset } from '../../protocol/asset.js';
import { type Authority, authority, keyAuthority } from '../../protocol/authority.js';
import { assetId } from '../../protocol/ids.js';
import { commitment, publicKey } from '../../protocol/keys.js';
import { STEALTH_ERRORS } from '../errors.js';
import { sortedBy } from '../sorting.js';
import type { Wallet } from '../wallet.js';
import { checkNumber, childPrivateKey, commonSecret, openMemo, parseReceipt } from './outputs.js';
import type { BlindReceipt, StealthConfirmation } from './receipt.js';

/** The blinded balances that the wallet has received. What they are worth now, the node says. */

const onChain = struct('blinded_balance', { commitment, asset_id: assetId, owner: authority });
const balancesOnChain = array(onChain);

export interface UnspentBalance {
  readonly receipt: BlindReceipt;
  readonly owner: Authority;
}

/** Of these receipts those that are still there, in their order. Marks the others as spent, and back. */
export async function unspent(wallet: Wallet, receipts: readonly BlindReceipt[]): Promise<UnspentBalance[]> {
  if (receipts.length === 0) return [];
  const asked: Json[] = receipts.map(({ data }) => data.commitment);
  const method = 'get_blinded_balances';
  const found = wallet.chain.read(balancesOnChain, method, await wallet.chain.ask(method, asked));
  const byCommitment = new Map(found.map((balance) => [balance.commitment, balance]));
  const used = new Map(receipts.map(({ data }) => [data.commitment, !byCommitment.has(data.commitment)]));
  // Ours: also back, since a fork may return what it took.
  wallet.update({
    blind_receipts: wallet.data.blind_receipts.map((receipt) => {
      const isUsed = used.get(receipt.data.commitment) ?? receipt.used;
      return isUsed === receipt.used ? receipt : { ...receipt, used: isUsed };
    }),
  });
  return receipts.flatMap((receipt) => {
    const balance = byCommitment.get(receipt.data.commitment);
    return balance === undefined ? [] : [{ receipt, owner: balance.owner }];
  });
}

export async function blindBalances(wallet: Wallet, key: PublicKey): Promise<Asset[]> {
  const mine = wallet.data.blind_receipts.filter(({ to_key }) => to_key === key);
  const totals = new Map<number, bigint>();
  for (const { receipt } of await unspent(wallet, mine)) {
    const { amount, asset_id } = receipt.amount;
    totals.set(asset_id, (totals.get(asset_id) ?? 0n) + amount);
  }
  return [...totals].sort((a, b) => a[0] - b[0]).map(([id, amount]) => makeAsset(amount, id));
}

/** Newest first; those of one second in the order of the file. */
export function blindHistory(wallet: Wallet, key: PublicKey): BlindReceipt[] {
  if (key === NULL_PUBLIC_KEY) return [];
  return wallet.data.blind_receipts
    .filter(({ to_key, from_key }) => to_key === key || from_key === key)
    .sort((a, b) => b.date - a.date);
}

/** What a receipt says, with the key that spends it. Refuses what is damaged or for somebody else. */
function readReceipt(
  wallet: Wallet,
  confirmation: StealthConfirmation,
): { memo: BlindReceipt['data']; to: PublicKey; child: PrivateKey } {
  const { to } = confirmation;
  if (to === undefined) return fail(STEALTH_ERRORS.receipt_no_receiver);
  const key =
    wallet.ring.find(to) ?? fail(STEALTH_ERRORS.receipt_no_key, { key: publicKey.toJson(to, wallet.network) });
  const secret = commonSecret(key, confirmation.one_time_key);
  const memo = openMemo(confirmation.encrypted_memo, secret);
  const computed = blind(fromHex(memo.blinding_factor), memo.amount.amount);
  check(computed === memo.commitment, STEALTH_ERRORS.receipt_commitment);
  // Ours: the reference does not look at it.
  const expected = checkNumber(secret);
  check(memo.check === expected, STEALTH_ERRORS.receipt_damaged, { actual: memo.check, expected });
  return { memo, to, child: childPrivateKey(key, secret) };
}

/** Takes a balance into the wallet, and saves. One that is known already only shows the new labels. */
export function receive(wallet: Wallet, text: string, sender: string, note: string): BlindReceipt {
  wallet.ring.requireUnlocked();
  const confirmation = text === '' ? fail(STEALTH_ERRORS.receipt_no_receiver) : parseReceipt(text);
  const { memo, to, child } = readReceipt(wallet, confirmation);
  const receipt: BlindReceipt = {
    date: wallet.nowSec(),
    from_key: memo.from ?? NULL_PUBLIC_KEY,
    from_label: senderLabel(wallet, memo.from, sender),
    to_key: to,
    to_label: wallet.labelOfKey(to) ?? '',
    amount: memo.amount,
    memo: note,
    control_authority: keyAuthority(child.publicKey),
    data: memo,
    used: false,
    conf: confirmation,
  };
  const known = wallet.data.blind_receipts;
  if (!known.some(({ data }) => data.commitment === memo.commitment)) {
    wallet.update({ blind_receipts: sortedBy([...known, receipt], ({ data }) => data.commitment) });
  }
  wallet.ring.add(child);
  wallet.save();
  return receipt;
}

/** Of outputs that will never be on the chain. */
export function forget(wallet: Wallet, commitments: readonly string[]): void {
  if (commitments.length === 0) return;
  const gone = new Set(commitments);
  wallet.update({ blind_receipts: wallet.data.blind_receipts.filter(({ data }) => !gone.has(data.commitment)) });
  wallet.save();
}

/** A payer whose key has no label yet gets the one that the receiver gives. */
function senderLabel(wallet: Wallet, from: PublicKey | undefined, given: string): string {
  if (from === undefined) return given;
  const known = wallet.labelOfKey(from) ?? '';
  if (known !== '') return known;
  wallet.setLabel(from, given);
  return given;
}
