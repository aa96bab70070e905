import type { databaseApi } from '../../api/database.js';
import type { ResultOf } from '../../api/define.js';
import { check, invariant } from '../../base/errors.js';
import type { Cancel, Clock, Logger } from '../../base/world.js';
import { CHAIN_ERRORS, toldOfTrouble } from './errors.js';
import type { ChainNode } from './node.js';

export type FollowedBlock = NonNullable<ResultOf<(typeof databaseApi.methods)['get_block']>>;

/** Told of each block once, in order; called again for the same one after a restart or a failure. */
export interface BlockListener {
  applied(block: FollowedBlock): Promise<void>;
  undone(number: number, id: string): Promise<void>;
  /** Nothing up to this block changes any more, and all of it was told. */
  settled(number: number, time: number): Promise<void>;
}

/** Undefined: the node does not have it at the moment. */
export type BlockSource = (number: number) => Promise<FollowedBlock | undefined>;

interface SeenBlock {
  readonly number: number;
  readonly id: string;
  readonly time: number;
}

const POLL_MS = 1000;
/** While many blocks are read: what is told of them stands even if the reader does not come to their end. */
const SETTLE_BLOCKS = 50;

/**
 * Reads the blocks of the node one after another, each once for all who wait for something in them, and goes back when
 * the node has changed to another branch.
 */
export class BlockFollower {
  readonly #node: ChainNode;
  readonly #listener: BlockListener;
  readonly #clock: Clock;
  readonly #log: Logger;
  /** From an irreversible block on to the last one that was told. */
  #branch: SeenBlock[] = [];
  #from: number;
  #trouble: string | undefined = 'the blocks of the node were not read yet';
  #cancel: Cancel | undefined;
  #round: Promise<void> = Promise.resolve();
  #isStopped = false;

  /** `from`: the first block that is read; one that is irreversible. */
  constructor(node: ChainNode, from: number, listener: BlockListener, world: { clock: Clock; log: Logger }) {
    this.#node = node;
    this.#from = from;
    this.#listener = listener;
    this.#clock = world.clock;
    this.#log = world.log;
  }

  start(): void {
    const again = (): void => {
      if (this.#isStopped) return;
      this.#round = this.#try().then(() => {
        if (!this.#isStopped) this.#cancel = this.#clock.after(POLL_MS, again);
      });
    };
    again();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel?.();
    await this.#round;
  }

  /** Why payments cannot be followed at the moment. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  async #try(): Promise<void> {
    try {
      await this.poll();
      if (this.#trouble !== undefined) this.#log.info('follows the blocks of the node', { head: this.#last?.number });
      this.#trouble = undefined;
    } catch (error) {
      const trouble = toldOfTrouble(error);
      const why = error instanceof Error ? error.message : String(error);
      if (this.#trouble !== trouble) this.#log.warn('cannot follow the blocks of the node', { why });
      this.#trouble = trouble;
    }
  }

  get #last(): SeenBlock | undefined {
    return this.#branch.at(-1);
  }

  async poll(): Promise<void> {
    let head = await this.#node.freshHead();
    while (!this.#isStopped) {
      const last = this.#last;
      const next = last === undefined ? Math.max(1, this.#from) : last.number + 1;
      if (next > head.head_block_number) {
        if (last === undefined || last.id === head.head_block_id) {
          await this.#settle(head.last_irreversible_block_num);
          return;
        }
        // A node that was started again may be behind for a while: its branch is looked at when it has caught up.
        if (next !== head.head_block_number + 1) return;
        const now = await this.#node.freshHead();
        // Otherwise the blocks may be those of a branch that it has changed to since it was asked for its head.
        if (now.head_block_id === head.head_block_id) await this.#goBack();
        head = now;
        continue;
      }
      const block = await this.#node.ask('a block', (database) => database.get_block({ block_num: next }));
      // It has just changed its branch: the next round sees the new one.
      if (block === undefined) return;
      if (last !== undefined && block.previous !== last.id) await this.#goBack();
      else {
        await this.#listener.applied(block);
        this.#branch.push({ number: next, id: block.block_id, time: block.timestamp });
        const { last_irreversible_block_num: irreversible } = head;
        if (next > irreversible) continue;
        if (next % SETTLE_BLOCKS === 0) await this.#listener.settled(next, block.timestamp);
        this.#forget(irreversible);
      }
    }
  }

  /** Only where the blocks that were told lead up to the node's head: others of these numbers may be the irreversible ones. */
  async #settle(irreversible: number): Promise<void> {
    const settled = this.#branch.findLast(({ number }) => number <= irreversible);
    if (settled !== undefined) await this.#listener.settled(settled.number, settled.time);
    this.#forget(irreversible);
  }

  async #goBack(): Promise<void> {
    const last = this.#last;
    invariant(last !== undefined, 'there is a block to go back from');
    check(this.#branch.length > 1, CHAIN_ERRORS.chain_block_gone, { block: last.number });
    this.#log.warn('the node has changed to another branch', { undone: last.number });
    await this.#listener.undone(last.number, last.id);
    this.#branch.pop();
  }

  /** No branch differs below the last irreversible block. */
  #forget(irreversible: number): void {
    const kept = this.#branch.findLastIndex(({ number }) => number <= irreversible);
    if (kept > 0) this.#branch.splice(0, kept);
  }
}
