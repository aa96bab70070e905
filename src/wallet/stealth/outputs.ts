import { concatBytes, fromHex, toHex } from '../../base/bytes.js';
import { fail } from '../../base/errors.js';
import type { Random } from '../../base/world.js';
import { decode, encode } from '../../codec/binary.js';
import { aesDecrypt, aesEncrypt } from '../../crypto/aes.js';
import { fromBase58, toBase58 } from '../../crypto/base58.js';
import { blind } from '../../crypto/blind.js';
import { G, modOrder, readNumber, readPoint, times, writePoint, writeScalar } from '../../crypto/curve.js';
import { sha256 } from '../../crypto/hash.js';
import { sharedSecret } from '../../crypto/memo.js';
import { PrivateKey } from '../../crypto/private-key.js';
import { PUBLIC_KEY_ERRORS, type PublicKey } from '../../crypto/public-key.js';
import { signRange } from '../../crypto/range-sign.js';
import { signatureBackend } from '../../crypto/signature.js';
import type { Asset } from '../../protocol/asset.js';
import { type Authority, keyAuthority } from '../../protocol/authority.js';
import { blindOutput, stealthConfirmation } from '../../protocol/operations/transfers.js';
import { type BlindMemo, blindMemo, type StealthConfirmation } from './receipt.js';

/**
 * Amounts that only payer and receiver can read. All secrets of an output follow from what the one-time key of the payer
 * and the key of the receiver have in common.
 */

export type BlindOutput = ReturnType<typeof blindOutput.default>;

/** What both sides compute, each from its own private key and the other's public key. */
export interface CommonSecret {
  readonly shared: Uint8Array;
  readonly child: Uint8Array;
}

export function commonSecret(own: PrivateKey, other: PublicKey): CommonSecret {
  const shared = sharedSecret(own, other);
  return { shared, child: sha256(shared) };
}

/** The factor of an output that its payer is free to choose. */
export const derivedFactor = ({ child }: CommonSecret): Uint8Array => sha256(child);

const offsetOf = (key: PublicKey, { child }: CommonSecret): bigint =>
  readNumber(sha256(concatBytes(fromHex(key), child)));

/** The key that owns the output: the payer finds it from the receiver's public key … */
export function childPublicKey(key: PublicKey, secret: CommonSecret): PublicKey {
  const point = readPoint(fromHex(key));
  if (point === undefined) return fail(PUBLIC_KEY_ERRORS.public_key_not_on_curve, { key });
  return toHex(writePoint(point.add(times(G, modOrder(offsetOf(key, secret))))));
}

/** … and the receiver its secret. */
export function childPrivateKey(key: PrivateKey, secret: CommonSecret): PrivateKey {
  const offset = offsetOf(key.publicKey, secret);
  return PrivateKey.fromBytes(writeScalar(modOrder(readNumber(key.secret()) + offset)));
}

/** First four bytes of the shared secret, the low one first. */
export function checkNumber({ shared }: CommonSecret): number {
  return new DataView(shared.buffer, shared.byteOffset, 4).getUint32(0, true);
}

const cipherOf = ({ shared }: CommonSecret) => ({ key: shared.subarray(0, 32), iv: shared.subarray(32, 48) });

export function sealMemo(memo: BlindMemo, secret: CommonSecret): Uint8Array {
  const { key, iv } = cipherOf(secret);
  return aesEncrypt(encode(blindMemo, memo), key, iv);
}

/** Whether the memo is the receiver's is for the caller to find out. */
export function openMemo(sealed: Uint8Array, secret: CommonSecret): BlindMemo {
  const { key, iv } = cipherOf(secret);
  return decode(blindMemo, aesDecrypt(sealed, key, iv));
}

export function receiptText(confirmation: StealthConfirmation): string {
  return toBase58(encode(stealthConfirmation, confirmation));
}

/** Blanks around it do not count, nor does what stands behind its end. */
export function parseReceipt(text: string): StealthConfirmation {
  return decode(stealthConfirmation, fromBase58(text.trim()), 'ignore');
}

export function randomKey(random: Random): PrivateKey {
  for (;;) {
    const secret = random.bytes(32);
    const scalar = readNumber(secret);
    if (scalar !== 0n && modOrder(scalar) === scalar) return PrivateKey.fromBytes(secret);
  }
}

export interface OutputRequest {
  readonly oneTime: PrivateKey;
  readonly to: PublicKey;
  readonly amount: Asset;
  /** Instead of the derived one: the last factor of a transaction balances all others. */
  readonly factor?: Uint8Array;
  /** Key of the payer, where the payer is a blinded account itself. */
  readonly from?: PublicKey;
  /** Instead of the receiver's child key. */
  readonly owner?: Authority;
}

export interface MadeOutput {
  readonly output: BlindOutput;
  readonly factor: Uint8Array;
  readonly memo: BlindMemo;
  readonly confirmation: StealthConfirmation;
}

/** An output without a range proof: a single one needs none. */
export function makeOutput(request: OutputRequest): MadeOutput {
  const { oneTime, to, amount, from } = request;
  const secret = commonSecret(oneTime, to);
  const factor = request.factor ?? derivedFactor(secret);
  const commitment = blind(factor, amount.amount);
  const memo: BlindMemo = {
    from,
    amount,
    blinding_factor: toHex(factor),
    commitment,
    check: checkNumber(secret),
  };
  return {
    output: {
      ...blindOutput.default(),
      commitment,
      owner: request.owner ?? keyAuthority(childPublicKey(to, secret)),
    },
    factor,
    memo,
    confirmation: { one_time_key: oneTime.publicKey, to, encrypted_memo: sealMemo(memo, secret) },
  };
}

/** Proves that the amount is no negative number in disguise. `nonce` must be used for this output alone. */
export function withProof(made: MadeOutput, nonce: Uint8Array): MadeOutput {
  const { commitment } = made.output;
  const { amount } = made.memo.amount;
  const range_proof = signRange(signatureBackend().curve, {
    nonce,
    commitment,
    factor: made.factor,
    value: amount,
    minValue: 0n,
    exponent: 0,
    minBits: 0,
  });
  return { ...made, output: { ...made.output, range_proof } };
}

/** Of the receiver's output; that of the change is its hash. */
export const proofNonce = (oneTime: PrivateKey): Uint8Array => sha256(oneTime.secret());
