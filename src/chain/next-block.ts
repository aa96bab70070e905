import { Writer } from '../codec/writer.js';
import type { TransactionId } from '../crypto/digests.js';
import { MerkleTree, merkleLeaf } from '../crypto/digests.js';
import type { AppliedOperation } from '../operations/define.js';
import { processedTransaction } from '../protocol/transaction.js';
import type { IdHash } from '../state/id-hash.js';
import { IdTable } from '../state/id-table.js';
import type { RememberedTransaction } from '../state/objects/transaction.js';
import type { PackedTransactions, TransactionFacts } from './facts.js';

export interface PendingEntry {
  /** With the results of its trial run. */
  readonly facts: TransactionFacts;
  readonly operations: readonly AppliedOperation[];
  readonly remembered: RememberedTransaction | undefined;
}

/** Transactions whose effects stand in the newest frame, ready to become a block. */
export interface TriedTransactions {
  readonly entries: readonly PendingEntry[];
  readonly packed: PackedTransactions;
  readonly unbilledUs: number;
}

/** What a block holds so far of that of which it may not hold any amount. */
export interface Contents {
  bytes: number;
  /** Time of contract calls that their receipts bill. */
  cpuUs: number;
  /** Time of calls in proposals, which no receipt bills. */
  unbilledUs: number;
  /** Of memos that contracts have written. */
  memoBytes: number;
}

export interface Trial extends PendingEntry, Contents {}

export const nothing = (): Contents => ({ bytes: 0, cpuUs: 0, unbilledUs: 0, memoBytes: 0 });

export function addTo(contents: Contents, { bytes, cpuUs, unbilledUs, memoBytes }: Contents): void {
  contents.bytes += bytes;
  contents.cpuUs += cpuUs;
  contents.unbilledUs += unbilledUs;
  contents.memoBytes += memoBytes;
}

/**
 * Transactions that the next block would have, in their order. Their bytes and the tree of their hashes grow with each of
 * them: everybody waits while a block is made, so what can be computed before is.
 */
export class NextBlock {
  #entries: PendingEntry[] = [];
  readonly #byId: IdTable<TransactionFacts>;
  readonly #tree = new MerkleTree();
  readonly #writer = new Writer();
  readonly contents = nothing();

  constructor(hash: IdHash) {
    this.#byId = new IdTable(hash, (facts) => facts.id);
  }

  get entries(): readonly PendingEntry[] {
    return this.#entries;
  }

  get count(): number {
    return this.#entries.length;
  }

  has(id: TransactionId): boolean {
    return this.#byId.get(id) !== undefined;
  }

  find(id: TransactionId): TransactionFacts | undefined {
    return this.#byId.get(id);
  }

  add(trial: Trial): void {
    const { facts } = trial;
    this.#entries.push(trial);
    this.#byId.set(facts);
    const from = this.#writer.length;
    processedTransaction.write(this.#writer, facts.transaction);
    this.#tree.add(merkleLeaf(this.#writer.peek(from)));
    addTo(this.contents, trial);
  }

  /** As they stand in a block; it begins anew. */
  takeForBlock(): TriedTransactions {
    const { contents } = this;
    const packed: PackedTransactions = { merkleRoot: this.#tree.root(), bytes: this.#writer.finish() };
    const { unbilledUs } = contents;
    return { entries: this.take(), packed, unbilledUs };
  }

  take(): readonly PendingEntry[] {
    const entries = this.#entries;
    // As it is for every block while nothing waits.
    if (entries.length === 0) return entries;
    this.#entries = [];
    this.#byId.clear();
    this.#tree.clear();
    this.#writer.clear();
    Object.assign(this.contents, nothing());
    return entries;
  }
}
