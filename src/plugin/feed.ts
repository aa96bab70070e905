import type { Cancel } from '../base/world.js';
import type { BlockDoor } from '../chain/doors.js';
import type { BlockId, TransactionId } from '../crypto/digests.js';
import type { SignedBlock } from '../protocol/block.js';
import { type BlockPlace, type FeedBlock, type FeedPart, NO_BLOCK } from './follower.js';

/** A block that somebody has in memory. */
export interface GivenFeedBlock extends BlockPlace {
  readonly block: SignedBlock;
  /** The packed block. */
  readonly bytes: Uint8Array;
  readonly transactionIds: readonly TransactionId[];
}

/** Blocks as they are on the disk, or wait to get there. */
export interface FeedLog {
  /** The first block that it has of this part, or will have next. */
  firstNumber(part: FeedPart): number;
  idOf(number: number): BlockId | undefined;
  /** The last block that no loss of power can take away. */
  readonly durableNumber: number;
  /** A block of the present chain; it stays what it is when it is undone later. */
  read(number: number): FeedBlock | undefined;
  /** The head block, with what it did. */
  describe(block: GivenFeedBlock): FeedBlock;
}

export interface FeedLimits {
  /** Newest blocks that are kept in memory. */
  readonly blocks: number;
  /** Operations of these; when there are more, older blocks are read from the disk again. */
  readonly operations: number;
}

const LIMITS: FeedLimits = { blocks: 64, operations: 50_000 };

interface Recent {
  readonly block: FeedBlock;
  readonly operations: number;
}

/** Every block of the chain with everything it did: the newest ones from memory, all others from the disk. */
export class BlockFeed {
  readonly #door: Pick<BlockDoor, 'head' | 'subscribe'>;
  readonly #log: FeedLog;
  readonly #limits: FeedLimits;
  readonly #recent: Recent[] = [];
  #operations = 0;
  /** Blocks that were read from the disk, for tests. */
  readFromLog = 0;

  constructor(door: Pick<BlockDoor, 'head' | 'subscribe'>, log: FeedLog, limits: FeedLimits = LIMITS) {
    this.#door = door;
    this.#log = log;
    this.#limits = limits;
  }

  /** `onChange` is called when blocks have come or gone. Returns the way to stop. */
  listen(onChange: () => void): Cancel {
    return this.#door.subscribe((event) => {
      if (event.kind === 'applied') this.#keep(this.#log.describe(event.block), event.operations.length);
      else if (event.kind === 'undone') this.#forgetFrom(event.block.number);
      else if (event.kind === 'settled') onChange();
    });
  }

  #keep(block: FeedBlock, operations: number): void {
    this.#recent.push({ block, operations });
    this.#operations += operations;
    while (this.#recent.length > this.#limits.blocks || this.#operations > this.#limits.operations) {
      this.#operations -= this.#recent.shift()?.operations ?? 0;
    }
  }

  #forgetFrom(number: number): void {
    while ((this.#recent.at(-1)?.block.number ?? 0) >= number) this.#operations -= this.#recent.pop()?.operations ?? 0;
  }

  get headNumber(): number {
    return this.#door.head.number;
  }

  /** Blocks up to here stay: the network cannot undo them, and they are on the disk of this node. */
  get settledNumber(): number {
    return Math.min(this.#door.head.irreversible, this.#log.durableNumber);
  }

  /** No block behind it can be undone. */
  get irreversibleNumber(): number {
    return this.#door.head.irreversible;
  }

  firstNumber(part: FeedPart): number {
    return this.#log.firstNumber(part);
  }

  /** Whether the block is part of the chain now. */
  has({ number, id }: BlockPlace): boolean {
    return number <= this.headNumber && this.idOf(number) === id;
  }

  /** Known of one more block than there are: the first one names the one before it. */
  idOf(number: number): BlockId | undefined {
    if (number === 0) return NO_BLOCK.id;
    const recent = this.#recentAt(number);
    if (recent !== undefined) return recent.id;
    const first = this.#log.firstNumber('blocks');
    return number === first - 1 ? this.read(first)?.block.previous : this.#log.idOf(number);
  }

  /** A block of the present chain. */
  read(number: number): FeedBlock | undefined {
    const recent = this.#recentAt(number);
    if (recent !== undefined) return recent;
    this.readFromLog++;
    return this.#log.read(number);
  }

  #recentAt(number: number): FeedBlock | undefined {
    const first = this.#recent[0]?.block.number ?? Number.POSITIVE_INFINITY;
    return this.#recent[number - first]?.block;
  }
}
