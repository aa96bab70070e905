import { fromHex, toHex } from '../../base/bytes.js';
import { ChainError, check, fail } from '../../base/errors.js';
import { amountText, parseAmount, prettyAmount } from '../../client/amounts.js';
import { operationOf } from '../../client/operations.js';
import type { Json } from '../../codec/json.js';
import { blindSum } from '../../crypto/blind.js';
import { sha256 } from '../../crypto/hash.js';
import { NULL_PUBLIC_KEY, type PublicKey } from '../../crypto/public-key.js';
import { type Asset, asset, makeAsset } from '../../protocol/asset.js';
import { authority, emptyAuthority } from '../../protocol/authority.js';
import { publicKey } from '../../protocol/keys.js';
import type { Operation } from '../../protocol/operation-slot.js';
import {
  blindOutput,
  blindTransferOperation,
  stealthConfirmation,
  transferFromBlindOperation,
  transferToBlindOperation,
} from '../../protocol/operations/transfers.js';
import { type SignedTransaction, signedTransaction } from '../../protocol/transaction.js';
import type { AssetView } from '../chain-view.js';
import { STEALTH_ERRORS } from '../errors.js';
import { withFee } from '../fees.js';
import { isNodeGone } from '../node-link.js';
import { sortedBy } from '../sorting.js';
import { emptyTransaction } from '../transactions.js';
import type { Wallet } from '../wallet.js';
import { forget, receive, unspent } from './ledger.js';
import { type MadeOutput, makeOutput, proofNonce, randomKey, receiptText, withProof } from './outputs.js';
import { blindMemo } from './receipt.js';

/** Payments into, between and out of blinded balances. */

interface LabelledOutput extends MadeOutput {
  readonly label: string;
  readonly key: PublicKey;
}

export interface BlindPayment {
  readonly trx: SignedTransaction;
  readonly outputs: readonly LabelledOutput[];
}

export function paymentJson({ network }: Wallet, { trx, outputs }: BlindPayment): Json {
  return {
    trx: signedTransaction.toJson(trx, network),
    outputs: outputs.map(({ label, key, memo, confirmation, output }) => ({
      label,
      pub_key: publicKey.toJson(key, network),
      decrypted_memo: blindMemo.toJson(memo, network),
      confirmation: stealthConfirmation.toJson(confirmation, network),
      auth: authority.toJson(output.owner, network),
      confirmation_receipt: receiptText(confirmation),
    })),
  };
}

/** A key as typed, or the key of a label. */
export type FindKey = (given: string) => PublicKey;

const byCommitment = <V extends { commitment: string }>(list: readonly V[]): V[] =>
  sortedBy(list, ({ commitment }) => commitment);

export async function payToBlind(
  wallet: Wallet,
  from: string,
  symbol: string,
  to: readonly (readonly [string, string])[],
  broadcast: boolean,
  findKey: FindKey,
): Promise<BlindPayment> {
  wallet.ring.requireUnlocked();
  check(to.length > 0, STEALTH_ERRORS.blind_nothing);
  const payer = await wallet.chain.account(from);
  const paid = await wallet.chain.asset(symbol);
  const made = to.map(([label, text]): LabelledOutput => {
    const key = findKey(label);
    check(key !== NULL_PUBLIC_KEY, STEALTH_ERRORS.blind_key_missing, { key: label });
    const amount = makeAsset(parseAmount(text, paid), paid.id);
    check(amount.amount > 0n, STEALTH_ERRORS.blind_amount);
    const oneTime = randomKey(wallet.world.random);
    const output = makeOutput({ oneTime, to: key, amount });
    return { ...(to.length > 1 ? withProof(output, proofNonce(oneTime)) : output), label, key };
  });
  const factors = made.map(({ factor }) => factor);
  const total = made.reduce((sum, { memo }) => sum + memo.amount.amount, 0n);
  const operation = operationOf(transferToBlindOperation, {
    from: payer.id,
    amount: makeAsset(total, paid.id),
    blinding_factor: toHex(blindSum(factors, factors.length)),
    outputs: byCommitment(made.map(({ output }) => output)),
  });
  const trx = await wallet.transactions.transact([operation], { broadcast: false });
  // Quirk: the answer shows an authority that anybody satisfies, the operation has the right ones.
  const shown = made.map((one) => ({ ...one, output: { ...one.output, owner: emptyAuthority() } }));
  if (broadcast) await sendWith(wallet, trx, shown, `@${payer.name}`, `from @${payer.name}`);
  return { trx, outputs: shown };
}

/**
 * Sends what is signed. Without its receipt nobody ever spends an output, so those for this wallet are in its file before:
 * neither its end nor a lost answer takes them away. Receipts for keys of other wallets are for them to take.
 */
async function sendWith(
  wallet: Wallet,
  trx: SignedTransaction,
  outputs: readonly LabelledOutput[],
  sender: string,
  note: string,
): Promise<void> {
  const own = outputs.filter(({ key }) => wallet.ring.has(key));
  for (const { confirmation } of own) receive(wallet, receiptText(confirmation), sender, note);
  try {
    await wallet.transactions.broadcast(trx);
  } catch (error) {
    if (isNodeGone(error)) {
      const receipts = outputs.map(({ label, confirmation }) => [label, receiptText(confirmation)]);
      throw new ChainError(error.row, { ...error.data, receipts });
    }
    forget(
      wallet,
      own.map(({ output }) => output.commitment),
    );
    throw error;
  }
}

export interface BlindToBlind {
  readonly from: string;
  readonly to: string;
  readonly amount: string;
  readonly paid: AssetView;
  /** The receiver's output is spent by the next operation of the same transaction: anybody may. */
  readonly isPassing?: boolean;
}

async function spendBlind(wallet: Wallet, given: BlindToBlind, findKey: FindKey): Promise<BlindPayment> {
  wallet.ring.requireUnlocked();
  const from = findKey(given.from);
  const to = findKey(given.to);
  const { paid } = given;
  const amount = parseAmount(given.amount, paid);
  check(amount > 0n, STEALTH_ERRORS.blind_amount);
  const { current_fees } = await wallet.chain.parameters();
  const two = operationOf(blindTransferOperation, { outputs: [blindOutput.default(), blindOutput.default()] });
  const fee = wallet.world.rules.fee(current_fees, two, await wallet.transactions.feeTarget(paid));

  const mine = wallet.data.blind_receipts.filter(
    ({ to_key, amount: held }) => to_key === from && held.asset_id === paid.id,
  );
  const inputs: { commitment: string; owner: ReturnType<typeof authority.default>; factor: Uint8Array }[] = [];
  let total = 0n;
  for (const { receipt } of await unspent(wallet, mine)) {
    if (total >= amount + fee.amount) break;
    const { commitment, blinding_factor } = receipt.data;
    inputs.push({ commitment, owner: receipt.control_authority, factor: fromHex(blinding_factor) });
    total += receipt.amount.amount;
  }
  const shownBalance = (value: bigint): Json => asset.toJson(makeAsset(value, paid.id));
  check(total >= amount + fee.amount, STEALTH_ERRORS.blind_balance, () => ({
    available: shownBalance(total),
    amount: shownBalance(amount),
    fee: shownBalance(fee.amount),
    shown: `${prettyAmount(amount, paid)} and a fee of ${prettyAmount(fee.amount, paid)}: ${prettyAmount(total, paid)} are there`,
  }));
  check(to !== NULL_PUBLIC_KEY, STEALTH_ERRORS.blind_key_missing, { key: given.to });
  check(from !== NULL_PUBLIC_KEY, STEALTH_ERRORS.blind_key_missing, { key: given.from });

  const oneTime = randomKey(wallet.world.random);
  const change = total - amount - fee.amount;
  const factors = inputs.map(({ factor }) => factor);
  const owner = given.isPassing === true ? { owner: emptyAuthority() } : {};
  const receiver = makeOutput({
    oneTime,
    to,
    amount: makeAsset(amount, paid.id),
    from,
    ...owner,
    ...(change === 0n ? { factor: blindSum(factors, factors.length) } : {}),
  });
  const outputs: LabelledOutput[] = [];
  if (change > 0n) {
    const rest = makeOutput({
      oneTime,
      to: from,
      amount: makeAsset(change, paid.id),
      from,
      factor: blindSum([...factors, receiver.factor], factors.length),
    });
    const nonce = proofNonce(oneTime);
    outputs.push({ ...withProof(rest, sha256(nonce)), label: given.from, key: from });
    outputs.push({ ...withProof(receiver, nonce), label: given.to, key: to });
  } else outputs.push({ ...receiver, label: given.to, key: to });

  const operation = withFee(
    operationOf(blindTransferOperation, {
      inputs: byCommitment(inputs.map(({ commitment, owner: of }) => ({ commitment, owner: of }))),
      outputs: byCommitment(outputs.map(({ output }) => output)),
    }),
    fee,
  );
  wallet.world.rules.validate(operation);
  const trx = given.isPassing === true ? emptyTransaction([operation]) : await sign(wallet, [operation]);
  return { trx, outputs };
}

const sign = (wallet: Wallet, operations: readonly Operation[]): Promise<SignedTransaction> =>
  wallet.transactions.sign(emptyTransaction(operations), { broadcast: false });

export async function payBlind(
  wallet: Wallet,
  given: Omit<BlindToBlind, 'paid'> & { readonly symbol: string; readonly broadcast: boolean },
  findKey: FindKey,
): Promise<BlindPayment> {
  wallet.ring.requireUnlocked();
  const paid = await wallet.chain.asset(given.symbol);
  const made = await spendBlind(wallet, { ...given, paid }, findKey);
  if (given.broadcast) await sendWith(wallet, made.trx, made.outputs, given.from, '');
  return made;
}

export async function payFromBlind(
  wallet: Wallet,
  given: { from: string; account: string; amount: string; symbol: string; broadcast: boolean },
  findKey: FindKey,
): Promise<BlindPayment> {
  const paid = await wallet.chain.asset(given.symbol);
  const amount: Asset = makeAsset(parseAmount(given.amount, paid), paid.id);
  const { current_fees } = await wallet.chain.parameters();
  const target = await wallet.transactions.feeTarget(paid);
  const fee = wallet.world.rules.fee(current_fees, operationOf(transferFromBlindOperation, {}), target);
  const both = amountText(amount.amount + fee.amount, paid.precision);
  const { from, broadcast } = given;
  const made = await spendBlind(wallet, { from, to: from, amount: both, paid, isPassing: true }, findKey);
  const account = await wallet.chain.account(given.account);
  const passing = made.outputs.at(-1) ?? fail(STEALTH_ERRORS.blind_nothing);
  const operation = withFee(
    operationOf(transferFromBlindOperation, {
      amount,
      to: account.id,
      blinding_factor: passing.memo.blinding_factor,
      inputs: [{ commitment: passing.output.commitment, owner: emptyAuthority() }],
    }),
    fee,
  );
  wallet.world.rules.validate(operation);
  const trx = await sign(wallet, [...made.trx.operations, operation]);
  // The last output is spent already: what there is besides is the change.
  if (broadcast) await sendWith(wallet, trx, made.outputs.slice(0, -1), from, `@${account.name}`);
  return { trx, outputs: made.outputs };
}
