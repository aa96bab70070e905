import { P2P_LIMITS } from '../limits.js';
import type { ItemHash } from '../wire/messages.js';

/** What was announced lately, by message id, so that it can be sent to whoever asks. */
export class MessageCache {
  readonly #blocks = new Map<ItemHash, { readonly payload: Uint8Array; readonly age: number }>();
  readonly #transactions = new Map<
    ItemHash,
    { readonly payload: Uint8Array; readonly age: number; readonly ms: number }
  >();
  #transactionBytes = 0;
  /** Goes on by one with each new block that came from a peer. */
  #age = 0;

  get blockCount(): number {
    return this.#blocks.size;
  }

  get transactionBytes(): number {
    return this.#transactionBytes;
  }

  addBlock(hash: ItemHash, payload: Uint8Array): void {
    this.#blocks.delete(hash);
    this.#blocks.set(hash, { payload, age: this.#age });
    // Blocks of this node itself do not age the others; there are never many all the same.
    if (this.#blocks.size > P2P_LIMITS.cache_blocks_max) dropFirst(this.#blocks);
  }

  addTransaction(hash: ItemHash, payload: Uint8Array, nowMs: number): void {
    if (this.#transactions.has(hash)) return;
    this.#transactions.set(hash, { payload, age: this.#age, ms: nowMs });
    this.#transactionBytes += payload.length;
    const { cache_transactions_max, cache_transactions_bytes_max } = P2P_LIMITS;
    while (this.#transactions.size > cache_transactions_max || this.#transactionBytes > cache_transactions_bytes_max) {
      this.#dropTransaction(this.#transactions.keys().next().value as ItemHash);
    }
  }

  #dropTransaction(hash: ItemHash): void {
    this.#transactionBytes -= this.#transactions.get(hash)?.payload.length ?? 0;
    this.#transactions.delete(hash);
  }

  block(hash: ItemHash): Uint8Array | undefined {
    return this.#blocks.get(hash)?.payload;
  }

  transaction(hash: ItemHash): Uint8Array | undefined {
    return this.#transactions.get(hash)?.payload;
  }

  has(hash: ItemHash): boolean {
    return this.#blocks.has(hash) || this.#transactions.has(hash);
  }

  /** A block from a peer was accepted: what is some blocks old goes, transactions not before `transactionMs`. */
  grow(nowMs: number, transactionMs: number): void {
    this.#age++;
    const oldest = this.#age - P2P_LIMITS.cache_block_ages;
    for (const [hash, { age }] of this.#blocks) if (age <= oldest) this.#blocks.delete(hash);
    for (const [hash, { age, ms }] of this.#transactions) {
      if (age > oldest || nowMs - ms < transactionMs) break;
      this.#dropTransaction(hash);
    }
  }
}

function dropFirst(map: Map<string, unknown>): void {
  for (const first of map.keys()) {
    map.delete(first);
    return;
  }
}
