import { setImmediate as turnOfOthers } from 'node:timers/promises';
import { ChainError, check, defineErrors, invariant } from '../base/errors.js';
import { LIMITS } from '../base/limits.js';
import type { BlockDoor } from '../chain/doors.js';
import type { GivenBlock } from '../chain/facts.js';
import { type BlockId, type ChainId, nextBlockNum } from '../crypto/digests.js';
import { SKIP } from '../operations/define.js';
import type { SignedBlock } from '../protocol/block.js';
import type { NetworkDefinition } from '../protocol/network-definition.js';
import type { SourceBlock } from '../protocol/source-block.js';
import { Ahead, aheadOf, type BlockLoad, LOOK_AHEAD, type LookAhead } from '../verify/pipeline.js';
import { type RecoveredBlock, verifyBlock } from '../verify/signed.js';
import type { SignatureVerifier } from '../verify/verify.js';
import { receiveBlock, type SentBlock } from './border.js';
import { type BlockOrigin, type SenderOrigin, type SourceOrigin, WITHIN } from './origin.js';

export const IMPORTER_ERRORS = defineErrors({
  importer_full: {
    kind: 'limit',
    text: 'this node has ${count} blocks of ${bytes} bytes to apply and takes no more at the moment',
  },
  importer_closed: { kind: 'limit', text: 'this node is being stopped and takes no more blocks' },
});

export interface ImportOutcome {
  readonly id: BlockId;
  readonly number: number;
  /** The block is part of the chain now; otherwise it is kept beside it. */
  readonly isApplied: boolean;
  /** The chain continues on another branch than before. */
  readonly hasSwitched: boolean;
}

/** What became of a block, told to the node's figures and logs. */
export type ImportListener = (origin: BlockOrigin, outcome: ImportOutcome | { readonly error: unknown }) => void;

export interface ImporterParts {
  /** The node's own, which stops it where the machine fails. */
  readonly door: Pick<BlockDoor, 'push' | 'produce'>;
  /** Whose blocks these are: its decoders take what the reference's do. */
  readonly network: Pick<NetworkDefinition, 'decoder'>;
  readonly chainId: ChainId;
  readonly verifier: SignatureVerifier;
  /** Milliseconds since 1970. */
  readonly nowMs: () => number;
  /** A clock that never jumps, for the turns of others. */
  readonly monotonicMs?: (() => number) | undefined;
  /** Bytes of the largest block that others may send. */
  readonly bytesMax: () => number;
  readonly lookAhead?: LookAhead;
  readonly limits?: ImportLimits;
  readonly onOutcome?: ImportListener;
}

/** What may wait of blocks that were sent. */
export interface ImportLimits {
  readonly blocks: number;
  readonly bytes: number;
}

const IMPORT_LIMITS: ImportLimits = { blocks: LIMITS.import_blocks_max, bytes: LIMITS.import_bytes_max };

export interface PullOptions {
  /** Steps that these blocks need not pass; those of trusted ones may differ from block to block. */
  readonly skip?: (block: SignedBlock) => number;
  /** Nothing is verified ahead: what would be is among the steps that are left out. */
  readonly isTrusted?: boolean;
  /** Called after each block, and waited for: whoever has to catch up holds up the source. */
  readonly after?: (outcome: ImportOutcome, block: SignedBlock) => Promise<void> | undefined;
  /** Ends the work after the block that is being applied. */
  readonly signal?: AbortSignal | undefined;
}

type PushedBlock = GivenBlock & { readonly id: BlockId };

/** Always made with all of its fields: behind a spread the engine adds them one by one, the slow way, to each anew. */
interface Waiting {
  readonly load: BlockLoad;
  /** Until the threads are asked: from then on the verifier keeps what is needed of it. */
  block: SourceBlock | undefined;
  readonly origin: SenderOrigin;
  readonly resolve: (outcome: ImportOutcome) => void;
  readonly reject: (error: unknown) => void;
  /** Once the threads have been asked: those in front have been. */
  recovered: Promise<RecoveredBlock> | undefined;
}

const loadOf = ({ count, size }: SourceBlock): BlockLoad => ({ transactions: count, bytes: size });

const asRead = (pulled: SourceBlock): PushedBlock => ({ block: pulled.read(), id: pulled.id });

/** For a chain to which nobody sends blocks. */
export const NO_SENDERS: Pick<ImporterParts, 'nowMs' | 'bytesMax'> = { nowMs: () => 0, bytesMax: () => 0 };

/**
 * Everything else gets its turn after so many milliseconds of blocks: who follows the chain then finds them in memory yet
 * (plugin/feed.ts), and need not read and hash them once more.
 */
const SLICE_MS = 10;

/**
 * The one way of blocks to the chain, wherever they come from. Signatures are recovered by the threads several blocks
 * ahead, while the chain applies an earlier one; blocks are applied in the order in which they came.
 *
 * Who sends a block (`import`) is refused when too many wait: it is not to blame, and nothing has happened. Who reads
 * blocks (`pull`) is asked for the next one only when there is room for it.
 *
 * Refusals say whose fault they are by their kind (docs/decisions/errors.md), and by `isStateless` whether they hold
 * whatever the state. Errors that are no refusals are bugs of ours.
 */
export class BlockImporter {
  readonly #p: ImporterParts;
  readonly #lookAhead: LookAhead;
  readonly #limits: ImportLimits;
  readonly #queue: Waiting[] = [];
  #bytes = 0;
  /** The first of the queue, for which the threads have been asked. */
  readonly #ahead: Ahead;
  #working: Promise<void> | undefined;
  #isClosed = false;
  #sliceEndMs: number | undefined;
  readonly #monotonicMs: () => number;
  readonly #listeners = new Set<ImportListener>();

  constructor(parts: ImporterParts) {
    this.#p = parts;
    if (parts.onOutcome !== undefined) this.#listeners.add(parts.onOutcome);
    this.#lookAhead = parts.lookAhead ?? LOOK_AHEAD;
    this.#ahead = new Ahead(this.#lookAhead);
    this.#limits = parts.limits ?? IMPORT_LIMITS;
    this.#monotonicMs = parts.monotonicMs ?? (() => performance.now());
  }

  /** Returns the way to unsubscribe. */
  subscribe(listener: ImportListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #tell(...told: Parameters<ImportListener>): void {
    for (const listener of this.#listeners) listener(...told);
  }

  /** Blocks that were sent and wait. */
  get waiting(): number {
    return this.#queue.length;
  }

  get waitingBytes(): number {
    return this.#bytes;
  }

  /** A block that somebody has sent, perhaps with the id that it is said to have. */
  async import(given: SentBlock, origin: SenderOrigin, claimed?: BlockId): Promise<ImportOutcome> {
    try {
      return await this.#enqueue(given, origin, claimed);
    } catch (error) {
      this.#tell(origin, { error });
      throw error;
    }
  }

  #enqueue(given: SentBlock, origin: SenderOrigin, claimed: BlockId | undefined): Promise<ImportOutcome> {
    check(!this.#isClosed, IMPORTER_ERRORS.importer_closed);
    const full = () => ({ count: this.#queue.length, bytes: this.#bytes });
    check(this.#queue.length < this.#limits.blocks, IMPORTER_ERRORS.importer_full, full);
    const rules = { bytesMax: this.#p.bytesMax(), nowMs: this.#p.nowMs(), decoder: this.#p.network.decoder };
    const block = receiveBlock(given, claimed, rules);
    const load = loadOf(block);
    // One alone is always taken, so that a large one comes in at all.
    const fits = this.#queue.length === 0 || this.#bytes + load.bytes <= this.#limits.bytes;
    check(fits, IMPORTER_ERRORS.importer_full, full);
    return new Promise((resolve, reject) => {
      this.#queue.push({ load, block, origin, resolve, reject, recovered: undefined });
      this.#bytes += load.bytes;
      this.#lookAheadInQueue();
      this.#working ??= this.#work();
    });
  }

  /** Asks the threads for the next blocks in the queue. */
  #lookAheadInQueue(): void {
    const ahead = this.#ahead;
    if (!ahead.isHalfUsed) return;
    for (let one = this.#queue[ahead.blocks]; one !== undefined; one = this.#queue[ahead.blocks]) {
      if (!ahead.hasRoom) return;
      invariant(one.block !== undefined, 'the threads are asked once for each');
      ahead.add(one.load);
      one.recovered = this.#verify(one.block);
      one.block = undefined;
      // It is waited for at its turn; until then a refusal must not count as nobody's.
      one.recovered.catch(() => undefined);
    }
  }

  #verify(block: SourceBlock): Promise<RecoveredBlock> {
    return verifyBlock(this.#p.verifier, this.#p.chainId, block);
  }

  async #work(): Promise<void> {
    for (let first = this.#queue[0]; first !== undefined; first = this.#queue[0]) {
      try {
        invariant(
          first.recovered !== undefined,
          'the threads are asked for the first of the queue, however large it is',
        );
        const recovered = await first.recovered;
        const opened = recovered.open();
        opened.keepsChecks = true;
        first.resolve(this.#push(opened, first.origin, SKIP.none));
      } catch (error) {
        first.reject(error);
      }
      this.#leave(first);
      this.#queue.shift();
      this.#lookAheadInQueue();
      const turns = this.#giveWay();
      if (turns !== undefined) await turns;
    }
    this.#working = undefined;
  }

  #leave(one: Waiting): void {
    this.#bytes -= one.load.bytes;
    if (one.recovered !== undefined) this.#ahead.remove(one.load);
  }

  /** Blocks that are read from somewhere, in their order, until there are no more or one is refused. */
  async pull(
    blocks: AsyncIterable<SourceBlock> | Iterable<SourceBlock>,
    origin: SourceOrigin,
    options: PullOptions = {},
  ): Promise<void> {
    if (options.isTrusted !== true) {
      for await (const recovered of this.#recoveredAhead(blocks)) {
        await this.#take(recovered.open(), origin, options);
        if (options.signal?.aborted === true) return;
      }
    } else if (Symbol.iterator in blocks) {
      // A step of an asynchronous loop costs a good part of what a block without transactions does.
      for (const given of blocks) {
        const held = this.#take(asRead(given), origin, options);
        if (held !== undefined) await held;
        if (options.signal?.aborted === true) return;
      }
    } else {
      for await (const given of blocks) {
        await this.#take(asRead(given), origin, options);
        if (options.signal?.aborted === true) return;
      }
    }
  }

  /** What it gives back is waited for before the next block is taken. */
  #take(given: PushedBlock, origin: SourceOrigin, { skip, after }: PullOptions): Promise<void> | undefined {
    const outcome = this.#pushTold(given, origin, skip === undefined ? SKIP.none : skip(given.block));
    return after?.(outcome, given.block) ?? this.#giveWay();
  }

  #recoveredAhead(blocks: AsyncIterable<SourceBlock> | Iterable<SourceBlock>): AsyncIterable<RecoveredBlock> {
    return aheadOf(blocks, (block) => this.#verify(block), loadOf, this.#lookAhead);
  }

  /** A block that is made here of what waits. It is no block before it is applied, so it waits for nothing. */
  produce(...args: Parameters<BlockDoor['produce']>): ReturnType<BlockDoor['produce']> {
    const origin: BlockOrigin = { kind: 'own' };
    try {
      const made = this.#p.door.produce(...args);
      const { id, number } = made;
      this.#tell(origin, { id, number, isApplied: true, hasSwitched: false });
      return made;
    } catch (error) {
      this.#tell(origin, { error });
      throw error;
    }
  }

  #pushTold(given: PushedBlock, origin: BlockOrigin, skip: number): ImportOutcome {
    try {
      return this.#push(given, origin, skip);
    } catch (error) {
      this.#tell(origin, { error });
      throw error;
    }
  }

  #push(given: PushedBlock, origin: BlockOrigin, skip: number): ImportOutcome {
    const { id } = given;
    const number = nextBlockNum(given.block.previous);
    try {
      const { isApplied, hasSwitched } = this.#p.door.push(given, skip);
      const outcome = { id, number, isApplied, hasSwitched };
      this.#tell(origin, outcome);
      return outcome;
    } catch (error) {
      const within = WITHIN[origin.kind];
      if (error instanceof ChainError && within !== undefined) error.within(within(number));
      throw error;
    }
  }

  /** The event loop gets its turn now and then, however many blocks there are. */
  #giveWay(): Promise<void> | undefined {
    const nowMs = this.#monotonicMs();
    this.#sliceEndMs ??= nowMs + SLICE_MS;
    return nowMs < this.#sliceEndMs ? undefined : this.#takeTurns();
  }

  async #takeTurns(): Promise<void> {
    await turnOfOthers();
    this.#sliceEndMs = this.#monotonicMs() + SLICE_MS;
  }

  /** What waits is refused, and what is being applied is finished. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const one of this.#queue.splice(1)) {
      this.#leave(one);
      one.reject(new ChainError(IMPORTER_ERRORS.importer_closed));
    }
    await this.#working;
  }
}
