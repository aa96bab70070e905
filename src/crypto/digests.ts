import { concatBytes, fromHex, hexByteAt, isLowerHex, joinBytes, toHex } from '../base/bytes.js';
import { check, defineErrors } from '../base/errors.js';
import { ripemd160Hex, sha224Hex, sha256, sha256Hex, sha256HexStart, sha256Into } from './hash.js';

/**
 * Digests and ids of packed bytes. Nothing here knows what the bytes mean.
 * Names: what is signed is a `Uint8Array`, what names something is hex.
 */

export const DIGEST_ERRORS = defineErrors({
  chain_id_invalid: { text: 'chain id must be 64 hex characters' },
  block_id_invalid: { text: 'block id must be 40 hex characters' },
});

/** 32 bytes as lower-case hex. */
export type ChainId = string;
/** 20 bytes as lower-case hex. */
export type BlockId = string;
/** 20 bytes as lower-case hex. */
export type TransactionId = string;

const ID_CHARS = 40;
const DIGEST_BYTES = 32;

/** What stands for "no block" and for the root of no transactions. */
export const NULL_BLOCK_ID: BlockId = '00'.repeat(ID_CHARS / 2);

export function transactionId(packedTransaction: Uint8Array): TransactionId {
  return sha256HexStart(packedTransaction, ID_CHARS / 2);
}

// The chain id in front, the transaction behind it: one buffer for all, since nothing runs in between.
let signed = new Uint8Array(4096);
let signedChainId: ChainId | undefined;
/** Its beginning, as long as the last transaction was: most are as long as the one before. */
let signedPart = signed;

/** What the signers of a transaction sign: sha256(chain id ‖ packed transaction without signatures). */
export function signatureDigest(chainId: ChainId, packedTransaction: Uint8Array): Uint8Array {
  return sha256(signedBytes(chainId, packedTransaction));
}

/** Writes it to `target` at `at`. */
export function signatureDigestInto(
  chainId: ChainId,
  packedTransaction: Uint8Array,
  target: Uint8Array,
  at: number,
): void {
  sha256Into(signedBytes(chainId, packedTransaction), target, at);
}

/** Valid until the next call. */
function signedBytes(chainId: ChainId, packedTransaction: Uint8Array): Uint8Array {
  const length = DIGEST_BYTES + packedTransaction.length;
  // One huge transaction must not keep its memory for ever.
  if (length > 1_048_576) return concatBytes(chainIdBytes(chainId), packedTransaction);
  if (length > signed.length) {
    signed = new Uint8Array(2 * length);
    signedPart = signed;
    signedChainId = undefined;
  }
  if (chainId !== signedChainId) {
    signed.set(chainIdBytes(chainId));
    signedChainId = chainId;
  }
  signed.set(packedTransaction, DIGEST_BYTES);
  if (signedPart.length !== length) signedPart = signed.subarray(0, length);
  return signedPart;
}

function chainIdBytes(chainId: ChainId): Uint8Array {
  check(chainId.length === 2 * DIGEST_BYTES, DIGEST_ERRORS.chain_id_invalid);
  return fromHex(chainId);
}

/** What the witness signs: sha256 of the packed header without signature; the chain id is not in it. */
export function blockHeaderDigest(packedHeader: Uint8Array): Uint8Array {
  return sha256(packedHeader);
}

/** Writes it to `target` at `at`. */
export function blockHeaderDigestInto(packedHeader: Uint8Array, target: Uint8Array, at: number): void {
  sha256Into(packedHeader, target, at);
}

/** The block number over the first four bytes of sha224(packed header with signature), 20 bytes of it. */
export function blockId(packedSignedHeader: Uint8Array, blockNum: number): BlockId {
  return blockNum.toString(16).padStart(8, '0') + sha224Hex(packedSignedHeader).slice(8, ID_CHARS);
}

/** The number that a block id begins with; zero for the id of no block. */
export function blockNumFromId(id: BlockId): number {
  check(isLowerHex(id, ID_CHARS), DIGEST_ERRORS.block_id_invalid);
  let number = 0;
  for (let at = 0; at < 8; at += 2) number = (number << 8) | hexByteAt(id, at);
  return number >>> 0;
}

/** Number of the block that builds on this one. Quirk: behind the last number of 32 bits comes block 0. */
export function nextBlockNum(previous: BlockId): number {
  return (blockNumFromId(previous) + 1) >>> 0;
}

export interface Tapos {
  readonly ref_block_num: number;
  readonly ref_block_prefix: number;
}

/** The two fields by which a transaction says on which block it builds. */
export function tapos(id: BlockId): Tapos {
  return { ref_block_num: blockNumFromId(id) & 0xffff, ref_block_prefix: refBlockPrefix(id) };
}

/** Bytes 4 to 7 of the id of a block that is known, read as a little-endian number. */
export function refBlockPrefix(id: BlockId): number {
  let prefix = 0;
  for (let at = 14; at >= 8; at -= 2) prefix = (prefix << 8) | hexByteAt(id, at);
  return prefix >>> 0;
}

/** Leaf of a block's Merkle tree: sha256 of the packed processed transaction, with signatures and results. */
export function merkleLeaf(packedProcessedTransaction: Uint8Array): Uint8Array {
  return sha256(packedProcessedTransaction);
}

/** Writes it to its place in all leaves side by side. */
export function merkleLeafInto(packedProcessedTransaction: Uint8Array, leaves: Uint8Array, index: number): void {
  sha256Into(packedProcessedTransaction, leaves, index * DIGEST_BYTES);
}

/** Leaves of so many transactions, side by side. */
export const roomForLeaves = (count: number): Uint8Array => new Uint8Array(count * DIGEST_BYTES);

const PAIR_BYTES = 2 * DIGEST_BYTES;

/** Pairs are hashed level by level, an odd last one moves up as it is; the root is the ripemd160 of the top. */
export function merkleRoot(leaves: readonly Uint8Array[]): string {
  return merkleRootOf(joinBytes(leaves));
}

// One place for all: nothing runs between its writing and its reading.
const pair = new Uint8Array(PAIR_BYTES);

/** The same of leaves side by side, which are written over: a pair's digest goes where the next level expects it. */
export function merkleRootOf(level: Uint8Array): string {
  let count = level.length / DIGEST_BYTES;
  if (count === 0) return NULL_BLOCK_ID;
  while (count > 1) {
    const pairs = count >> 1;
    for (let i = 0; i < pairs; i++) {
      // Copied by hand: a view of each pair would take longer.
      for (let at = 0; at < PAIR_BYTES; at++) pair[at] = level[i * PAIR_BYTES + at] as number;
      sha256Into(pair, level, i * DIGEST_BYTES);
    }
    if (count % 2 === 1) {
      level.copyWithin(pairs * DIGEST_BYTES, (count - 1) * DIGEST_BYTES, count * DIGEST_BYTES);
    }
    count = pairs + (count % 2);
  }
  return ripemd160Hex(level.subarray(0, DIGEST_BYTES));
}

/** Room for the pairs of as many levels as any number of leaves needs. */
const LEVELS_MAX = 32;

/** The same root of leaves that come one by one: of each level only the pair is kept that is not hashed yet. */
export class MerkleTree {
  readonly #pairs = new Uint8Array(LEVELS_MAX * PAIR_BYTES);
  #count = 0;

  /** It begins anew. */
  clear(): void {
    this.#count = 0;
  }

  add(leaf: Uint8Array): void {
    const pairs = this.#pairs;
    const count = this.#count++;
    pairs.set(leaf, sideOf(count) * DIGEST_BYTES);
    let above = count;
    for (let level = 0; sideOf(above) === 1; level++) {
      above >>= 1;
      const at = level * PAIR_BYTES;
      sha256Into(pairs.subarray(at, at + PAIR_BYTES), pairs, at + PAIR_BYTES + sideOf(above) * DIGEST_BYTES);
    }
  }

  root(): string {
    if (this.#count === 0) return NULL_BLOCK_ID;
    // The last one of each level, which stands for all leaves behind those that are hashed in pairs.
    const last = pair.subarray(DIGEST_BYTES);
    let hasLast = false;
    for (let [level, count] = [0, this.#count]; count > 0; level++, count >>= 1) {
      if (sideOf(count) === 0) continue;
      const left = this.#pairs.subarray(level * PAIR_BYTES, level * PAIR_BYTES + DIGEST_BYTES);
      pair.set(left, hasLast ? 0 : DIGEST_BYTES);
      if (hasLast) sha256Into(pair, pair, DIGEST_BYTES);
      hasLast = true;
    }
    return ripemd160Hex(last);
  }
}

const sideOf = (position: number): number => position & 1;

/** The exact bytes of the genesis file make the chain id. */
export function chainIdOfGenesis(fileBytes: Uint8Array): ChainId {
  return sha256Hex(fileBytes);
}

/** A node that overrides the time or the witness keys of its genesis must not talk to the real chain. */
export function chainIdOfChangedGenesis(fileBytes: Uint8Array): ChainId {
  return toHex(sha256(concatBytes(fileBytes, new TextEncoder().encode('BOGUS'))));
}
