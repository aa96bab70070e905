import { ChainError } from '../../base/errors.js';
import { forgetOldest } from '../../base/forget-oldest.js';
import type { ChainEvent, ToldTransaction } from '../../chain/events.js';
import { FORK_ERRORS } from '../../chain/fork-db.js';
import type { BlockId, TransactionId } from '../../crypto/digests.js';
import type { BlockImporter } from '../../importer/importer.js';
import type { BlockOutcome, GivenToPush, PushBlock, TransactionOutcome } from '../../p2p/ports.js';
import type { SignedTransaction } from '../../protocol/transaction.js';

export interface ChainFeedParts {
  readonly importer: Pick<BlockImporter, 'import'>;
  pushTransaction(transaction: SignedTransaction): Promise<{ readonly id: string }>;
  publishBlock(id: BlockId, bytes: Uint8Array): void;
  publishTransaction(id: TransactionId, transaction: SignedTransaction): void;
}

/** Transactions whose way here is remembered, so that they are not taken for this node's own. */
const TRANSACTIONS_MAX = 100_000;
/** Blocks, of which many more than wait at once need not be known: each id is a wait for memory. */
const BLOCKS_MAX = 2_000;

/** False: it was there. */
function remember<Id>(known: Set<Id>, id: Id, max: number): boolean {
  if (known.has(id)) return false;
  known.add(id);
  forgetOldest(known, max);
  return true;
}

/** Between the network and the chain: what peers send goes in, in order; what came another way goes out. */
export class ChainFeed {
  readonly #p: ChainFeedParts;
  /** Of which peers need not hear from here: they have sent them, or were told. */
  readonly #toldBlocks = new Set<BlockId>();
  readonly #toldTransactions = new Set<string>();
  /** What the network is told when this turn is over. */
  readonly #later: (() => void)[] = [];

  constructor(parts: ChainFeedParts) {
    this.#p = parts;
  }

  async pushBlock({ id, block, from }: PushBlock): Promise<BlockOutcome> {
    try {
      await this.#p.importer.import(block, { kind: 'peer', name: from }, id);
      // The network itself tells of what it has brought. One that was refused may be another than has this id in truth.
      remember(this.#toldBlocks, id, BLOCKS_MAX);
      return { kind: 'accepted' };
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
      return { kind: 'refused', error, isUnlinkable: error.row === FORK_ERRORS.block_unlinkable };
    }
  }

  pushTransactions(list: readonly GivenToPush[]): Promise<readonly TransactionOutcome[]> {
    return Promise.all(
      list.map(async ({ ticket, transaction }) => {
        try {
          const { id } = await this.#p.pushTransaction(transaction);
          remember(this.#toldTransactions, id, TRANSACTIONS_MAX);
          return { ticket, error: undefined };
        } catch (error) {
          if (!(error instanceof ChainError)) throw error;
          return { ticket, error };
        }
      }),
    );
  }

  /** What the chain tells. It is passed on in a turn of its own: no listener may hold the chain up. */
  listen(event: ChainEvent): void {
    if (event.kind === 'applied') {
      const { block } = event;
      this.#soon(() => {
        if (remember(this.#toldBlocks, block.id, BLOCKS_MAX)) this.#p.publishBlock(block.id, block.bytes);
      });
    } else if (event.kind === 'pending') this.#tellSoon(event.transaction);
    else if (event.kind === 'waiting') for (const transaction of event.returned) this.#tellSoon(transaction);
  }

  #tellSoon({ id, transaction }: ToldTransaction): void {
    this.#soon(() => {
      if (remember(this.#toldTransactions, id, TRANSACTIONS_MAX)) this.#p.publishTransaction(id, transaction);
    });
  }

  /** What a peer has sent is known to be so a moment later; it is told of then, and only once. */
  #soon(tell: () => void): void {
    if (this.#later.push(tell) > 1) return;
    setImmediate(() => {
      for (const one of this.#later.splice(0)) one();
    });
  }
}
