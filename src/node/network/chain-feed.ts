import { ChainError, stateless } from '../../base/errors.js';
import { forgetOldest } from '../../base/forget-oldest.js';
import type { BlockDoor } from '../../chain/doors.js';
import type { ChainEvent } from '../../chain/events.js';
import { FORK_ERRORS } from '../../chain/fork-db.js';
import { decode, encode } from '../../codec/binary.js';
import type { DecodeRules } from '../../codec/decode-rules.js';
import type { BlockId, ChainId } from '../../crypto/digests.js';
import type { BlockOutcome, GivenToPush, PushBlock, TransactionOutcome } from '../../p2p/ports.js';
import { type SignedBlock, signedBlock } from '../../protocol/block.js';
import type { SignedTransaction } from '../../protocol/transaction.js';
import type { VerifiedBlock } from '../../protocol/verified.js';
import { verifyBlock } from '../../verify/signed.js';
import type { SignatureVerifier } from '../../verify/verify.js';

export interface ChainFeedParts {
  readonly blocks: BlockDoor;
  readonly verifier: SignatureVerifier;
  readonly chainId: ChainId;
  readonly decodeRules: DecodeRules;
  pushTransaction(transaction: SignedTransaction): Promise<{ readonly id: string }>;
  publishBlock(id: BlockId, bytes: Uint8Array): void;
  publishTransaction(transaction: SignedTransaction): void;
}

/** Blocks and transactions whose way here is remembered, so that they are not taken for this node's own. */
const REMEMBERED_MAX = 100_000;
/** Then others get their turn: answers to peers must not wait for blocks. */
const TURN_MS = 10;

/** Between the network and the chain: what peers send goes in, in order; what came another way goes out. */
export class ChainFeed {
  readonly #p: ChainFeedParts;
  readonly #fromPeers = new Set<BlockId>();
  readonly #known = new Set<string>();
  #last: Promise<void> = Promise.resolve();
  #turnEndMs = 0;

  constructor(parts: ChainFeedParts) {
    this.#p = parts;
  }

  /** Signatures are recovered for many blocks at a time; the chain gets them one after the other. */
  pushBlock({ id, bytes }: PushBlock): Promise<BlockOutcome> {
    this.#fromPeers.add(id);
    forgetOldest(this.#fromPeers, REMEMBERED_MAX);
    const verified = this.#verify(bytes);
    // It is looked at in its turn; until then a refusal must not count as nobody's.
    verified.catch(() => undefined);
    const outcome = this.#last.then(async () => {
      await this.#giveWay();
      return this.#push(verified);
    });
    this.#last = outcome.then(
      () => undefined,
      () => undefined,
    );
    return outcome;
  }

  async #giveWay(): Promise<void> {
    if (performance.now() < this.#turnEndMs) return;
    await new Promise(setImmediate);
    this.#turnEndMs = performance.now() + TURN_MS;
  }

  async #verify(bytes: Uint8Array): Promise<VerifiedBlock> {
    const { verifier, chainId, decodeRules } = this.#p;
    const block: SignedBlock = stateless(() => decode(signedBlock, bytes, 'refuse', decodeRules));
    return verifyBlock(verifier, chainId, block);
  }

  async #push(verified: Promise<VerifiedBlock>): Promise<BlockOutcome> {
    try {
      this.#p.blocks.push(await verified);
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
