import { ChainError } from '../../base/errors.js';
import { forgetOldest } from '../../base/forget-oldest.js';
import type { ChainEvent } from '../../chain/events.js';
import { FORK_ERRORS } from '../../chain/fork-db.js';
import { encode } from '../../codec/binary.js';
import type { BlockId } from '../../crypto/digests.js';
import type { BlockImporter } from '../../importer/importer.js';
import type { BlockOutcome, GivenToPush, PushBlock, TransactionOutcome } from '../../p2p/ports.js';
import { signedBlock } from '../../protocol/block.js';
import type { SignedTransaction } from '../../protocol/transaction.js';

export interface ChainFeedParts {
  readonly importer: Pick<BlockImporter, 'import'>;
  pushTransaction(transaction: SignedTransaction): Promise<{ readonly id: string }>;
  publishBlock(id: BlockId, bytes: Uint8Array): void;
  publishTransaction(transaction: SignedTransaction): void;
}

/** Blocks and transactions whose way here is remembered, so that they are not taken for this node's own. */
const REMEMBERED_MAX = 100_000;

/** Between the network and the chain: what peers send goes in, in order; what came another way goes out. */
export class ChainFeed {
  readonly #p: ChainFeedParts;
  readonly #fromPeers = new Set<BlockId>();
  readonly #known = new Set<string>();

  constructor(parts: ChainFeedParts) {
    this.#p = parts;
  }

  async pushBlock({ id, bytes, from }: PushBlock): Promise<BlockOutcome> {
    this.#fromPeers.add(id);
    forgetOldest(this.#fromPeers, REMEMBERED_MAX);
    try {
      await this.#p.importer.import(bytes, { kind: 'peer', name: from }, id);
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
          // The network itself tells of what it has brought.
          this.#know(id);
          return { ticket, error: undefined };
        } catch (error) {
          if (!(error instanceof ChainError)) throw error;
          return { ticket, error };
        }
      }),
    );
  }

  /** False: it was known. */
  #know(id: string): boolean {
    if (this.#known.has(id)) return false;
    this.#known.add(id);
    forgetOldest(this.#known, REMEMBERED_MAX);
    return true;
  }

  /** What the chain tells. It is passed on in a turn of its own: no listener may hold the chain up. */
  listen(event: ChainEvent): void {
    if (event.kind === 'applied') {
      const { id, block } = event.block;
      if (this.#fromPeers.has(id)) return;
      this.#fromPeers.add(id);
      setImmediate(() => this.#p.publishBlock(id, encode(signedBlock, block)));
    } else if (event.kind === 'pending') {
      const { id, transaction } = event.transaction;
      // One that a peer has sent is known a moment later: it is told of then, and only once.
      setImmediate(() => {
        if (this.#know(id)) this.#p.publishTransaction(transaction);
      });
    }
  }
}
