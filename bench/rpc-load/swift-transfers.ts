import { toHex } from '../../src/base/bytes.js';
import { encode } from '../../src/codec/binary.js';
import '../../src/operations/index.js';
import { invertScalar, modOrder, ORDER, readNumber } from '../../src/crypto/curve.js';
import { signatureDigest } from '../../src/crypto/digests.js';
import { PrivateKey } from '../../src/crypto/private-key.js';
import { signatureBackend } from '../../src/crypto/signature.js';
import { makeAsset } from '../../src/protocol/asset.js';
import type { OperationBody } from '../../src/protocol/operation-slot.js';
import { transaction } from '../../src/protocol/transaction.js';

/**
 * Signed transfers at a tenth of what signing costs: a driver that signs while it sends would take the core of the node
 * that it measures, and half an hour of them is too much to be signed ahead. All of them share one nonce, which is that
 * of one signature that was made in the usual way: what is left is a few products modulo the order of the curve. The
 * nonce gives the key away, and the keys of the development network are public texts anyway. For whoever checks them they
 * are signatures like all others.
 */
export interface SwiftInput {
  readonly chainId: string;
  readonly from: number;
  readonly to: number;
  readonly asset: number;
  readonly wif: string;
  readonly fee: number;
  readonly refBlockNum: number;
  readonly refBlockPrefix: number;
}

const HALF_ORDER = ORDER >> 1n;
/** Below, its first byte is zero and the second one has no high bit: not canonical. */
const SMALLEST = 1n << 247n;
const SCALAR_DIGITS = 64;
const HEADER = 31;
/** With each expiration the amounts begin anew: no more in a second than that. */
const AMOUNTS = 50_000;

export class SwiftTransfers {
  readonly #input: SwiftInput;
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #expirationAt: number;
  readonly #amountAt: number;
  readonly #ids: string;
  /** r and the product of it and the key; the inverse of the nonce; whether its point is odd. */
  readonly #r: string;
  readonly #rKey: bigint;
  readonly #inverse: bigint;
  readonly #recovery: number;
  #made = 0;
  #sum = 0;

  constructor(input: SwiftInput) {
    this.#input = input;
    const empty = this.#packed(0, 0);
    this.#bytes = empty;
    this.#view = new DataView(empty.buffer, empty.byteOffset, empty.byteLength);
    // Where the two fields that change stand, whatever is around them.
    this.#expirationAt = firstDifference(empty, this.#packed(1, 0));
    this.#amountAt = firstDifference(empty, this.#packed(0, 1));
    this.#ids = `"from":"1.2.${input.from}","to":"1.2.${input.to}"`;
    const key = PrivateKey.fromWif(input.wif);
    const secret = readNumber(key.secret());
    const digest = signatureDigest(input.chainId, empty);
    const signature = signatureBackend().sign(digest, key);
    const [r, s] = [signature.subarray(1, 33), signature.subarray(33)];
    this.#r = toHex(r);
    this.#rKey = modOrder(readNumber(r) * secret);
    this.#inverse = modOrder(readNumber(s) * invertScalar(modOrder(readNumber(digest) + this.#rKey)));
    this.#recovery = (signature[0] as number) - HEADER;
  }

  #packed(expiration: number, amount: number): Uint8Array {
    const { from, to, asset, fee, refBlockNum, refBlockPrefix } = this.#input;
    const body: OperationBody & { readonly [field: string]: unknown } = {
      fee: makeAsset(BigInt(fee), asset),
      from,
      to,
      amount: makeAsset(BigInt(amount), asset),
      memo: undefined,
      extensions: [],
    };
    return Uint8Array.from(
      encode(transaction, {
        ref_block_num: refBlockNum,
        ref_block_prefix: refBlockPrefix,
        expiration,
        operations: [[0, body]],
        extensions: [],
      }),
    );
  }

  /** Of all amounts: what the receiver has to have in the end. */
  get sum(): number {
    return this.#sum;
  }

  /** `expirationSec` since 1970. Different from all others as long as no second has more than fifty thousand. */
  next(expirationSec: number): string {
    for (;;) {
      const amount = 1 + (this.#made % AMOUNTS);
      this.#made++;
      const signature = this.#signature(expirationSec, amount);
      if (signature === undefined) continue;
      this.#sum += amount;
      const { fee, asset, refBlockNum, refBlockPrefix } = this.#input;
      const expiration = new Date(expirationSec * 1000).toISOString().slice(0, 19);
      const of = (units: number): string => `{"amount":${units},"asset_id":"1.3.${asset}"}`;
      return `{"ref_block_num":${refBlockNum},"ref_block_prefix":${refBlockPrefix},"expiration":"${expiration}","operations":[[0,{"fee":${of(fee)},${this.#ids},"amount":${of(amount)},"extensions":[]}]],"extensions":[],"signatures":["${signature}"]}`;
    }
  }

  /** Undefined for the few that are not canonical. */
  #signature(expirationSec: number, amount: number): string | undefined {
    this.#view.setUint32(this.#expirationAt, expirationSec, true);
    this.#view.setUint32(this.#amountAt, amount, true);
    const digest = readNumber(signatureDigest(this.#input.chainId, this.#bytes));
    const s = modOrder((digest + this.#rKey) * this.#inverse);
    const isHigh = s > HALF_ORDER;
    const low = isHigh ? ORDER - s : s;
    if (low < SMALLEST) return undefined;
    const header = (HEADER + (isHigh ? this.#recovery ^ 1 : this.#recovery)).toString(16);
    return `${header}${this.#r}${low.toString(16).padStart(SCALAR_DIGITS, '0')}`;
  }
}

function firstDifference(a: Uint8Array, b: Uint8Array): number {
  const at = a.findIndex((byte, i) => byte !== b[i]);
  if (at < 0 || a.length !== b.length) throw new Error('a field of a fixed size');
  return at;
}
