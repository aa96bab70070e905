import { fromHex } from '../../base/bytes.js';
import { invariant } from '../../base/errors.js';
import { ID_BYTES, type TransactionPlace } from './id-page.js';
import type { BlockPlace, IdRuns } from './id-runs.js';
import { WaitingIds } from './waiting-ids.js';

/** What the index takes of a block. */
interface IndexedBlock extends BlockPlace {
  readonly transactionIds: readonly string[];
}

/** A block whose entries wait. */
interface WaitingBlock extends BlockPlace {
  readonly transactions: number;
}

const BEFORE_ALL: BlockPlace = { number: 0, id: '' };

/** Blocks that stay, or their transactions, that are written together: sorting so many takes a millisecond or two. */
const WRITE_BLOCKS = 1000;
const WRITE_TRANSACTIONS = 16_384;

/**
 * Where every transaction of the chain stands, by id. A follower of the chain: its methods are those of the contract in
 * plugin/follower.ts. Only blocks that stay are on disk: what a crash or a fork switch leaves is right, and what is missing
 * comes from the feed again.
 */
export class TransactionIndex {
  readonly name = 'transaction_index';
  readonly reads = 'blocks';
  readonly #runs: IdRuns;
  /** Blocks behind the stored ones, in order: some stay, the newest may be undone. */
  #blocks: WaitingBlock[] = [];
  readonly #waiting = new WaitingIds();
  #stored: BlockPlace;
  #settled: number;
  /** Of the transactions that wait those whose blocks stay. */
  #settledTransactions = 0;
  #writing: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor(runs: IdRuns) {
    this.#runs = runs;
    this.#stored = runs.position ?? BEFORE_ALL;
    this.#settled = this.#stored.number;
  }

  /** Last block that is on disk. */
  get storedNumber(): number {
    return this.#stored.number;
  }

  /** First block that is on disk. */
  get storedFrom(): number | undefined {
    return this.#runs.begin;
  }

  get position(): BlockPlace {
    return this.#blocks.at(-1) ?? this.#stored;
  }

  find(id: string): TransactionPlace | undefined {
    if (id.length !== 2 * ID_BYTES) return undefined;
    const bytes = fromHex(id);
    return this.#waiting.find(bytes) ?? this.#runs.find(bytes);
  }

  apply({ number, id, transactionIds }: IndexedBlock): void {
    invariant(number === this.position.number + 1, 'blocks come to the transaction index in order');
    this.#waiting.push(number, transactionIds);
    this.#blocks.push({ number, id, transactions: transactionIds.length });
  }

  undo({ number }: BlockPlace): void {
    const last = this.#blocks.at(-1);
    invariant(last?.number === number && number > this.#settled, 'the newest block that may be undone is undone');
    this.#blocks.pop();
    this.#waiting.pop(last.transactions);
  }

  /** The blocks before are not there; transactions in them are not found. */
  skipTo(place: BlockPlace): void {
    invariant(this.#blocks.length === 0, 'blocks are left out before any is taken');
    this.#stored = place;
    this.#settled = place.number;
  }

  /** Writes in the background when enough has come together; whoever is faster than that has to wait. */
  settle(number: number): Promise<void> | undefined {
    if (this.#failure !== undefined) throw this.#failure.error;
    this.#settleUpTo(Math.min(number, this.position.number));
    if (!this.#isDue(1)) return undefined;
    const writing = this.#writing ?? this.#flush();
    if (this.#isDue(2)) return writing;
    writing.catch(() => undefined);
    return undefined;
  }

  #settleUpTo(number: number): void {
    while (this.#settled < number) {
      const { transactions } = this.#blocks[this.#settled - this.#stored.number] as WaitingBlock;
      this.#settledTransactions += transactions;
      this.#settled++;
    }
  }

  /** What may still be undone does not count: it cannot be written, and would make a run, and a wait, of each block before it. */
  #isDue(times: number): boolean {
    const isMany = this.#settledTransactions >= times * WRITE_TRANSACTIONS;
    return isMany || this.#settled - this.#stored.number >= times * WRITE_BLOCKS;
  }

  /** Writes all blocks that stay. */
  async flush(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
    await this.#flush();
  }

  async #flush(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure.error;
    if (this.#settled === this.#stored.number) return;
    this.#writing = this.#write(this.#settled)
      .catch((error: unknown) => {
        this.#failure = { error };
        throw error;
      })
      .finally(() => {
        this.#writing = undefined;
      });
    await this.#writing;
  }

  async #write(upTo: number): Promise<void> {
    while (this.#stored.number < upTo) await this.#writeRun(upTo);
  }

  /** After a time in which nothing became irreversible there are more than one run has. */
  async #writeRun(upTo: number): Promise<void> {
    let [blocks, transactions] = [0, 0];
    for (const block of this.#blocks) {
      if (block.number > upTo || transactions >= WRITE_TRANSACTIONS) break;
      blocks++;
      transactions += block.transactions;
    }
    const { number, id } = this.#blocks[blocks - 1] as WaitingBlock;
    await this.#runs.add(this.#stored.number + 1, { number, id }, this.#waiting.sorted(transactions));
    this.#stored = { number, id };
    this.#blocks = this.#blocks.slice(blocks);
    this.#waiting.shift(transactions);
    this.#settledTransactions -= transactions;
  }

  async close(): Promise<void> {
    try {
      if (this.#failure === undefined) await this.flush();
    } finally {
      await this.#runs.close();
    }
  }
}
