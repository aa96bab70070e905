import { check } from '../../src/base/errors.js';
import type { Cancel, Clock, Logger } from '../../src/base/world.js';
import type { BlockIntake, ChainView } from '../../src/plugin/api.js';
import { DELAYED_ERRORS } from './errors.js';
import { type TrustedBlock, TrustedNode } from './trusted-node.js';

export interface DelayedParts {
  readonly url: string;
  readonly chain: Pick<ChainView, 'queries'>;
  readonly intake: BlockIntake;
  readonly clock: Pick<Clock, 'after'>;
  readonly log: Logger;
}

/** Blocks that are asked for before the one that is applied. */
const AHEAD = 20;
/** However fast blocks come. */
const PAUSE_MS = 300;
/** Without a notice the trusted node is asked nevertheless: so a lost connection is seen. */
const WATCH_MS = 5000;
const FIRST_WAIT_MS = 1000;
const WAIT_MS_MAX = 60_000;

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Brings every block that the trusted node holds for irreversible, and nothing else; for ever, whatever is lost meanwhile. */
export class DelayedBlocks {
  readonly #parts: DelayedParts;
  readonly #running: Promise<void>;
  #isClosing = false;
  #waitMs = FIRST_WAIT_MS;
  #wake: (() => void) | undefined;
  #node: TrustedNode | undefined;
  #isAnnounced = false;
  /** The trusted node's last irreversible block, as it was said last. */
  last = 0;
  /** Why nothing comes; undefined while all is well. */
  trouble: string | undefined;

  constructor(parts: DelayedParts) {
    this.#parts = parts;
    this.#running = this.#run();
  }

  get isConnected(): boolean {
    return this.#node !== undefined && this.trouble === undefined;
  }

  async #run(): Promise<void> {
    const { url, log } = this.#parts;
    while (!this.#isClosing) {
      try {
        await this.#follow();
      } catch (error) {
        if (this.#isClosing) return;
        this.trouble = textOf(error);
        const inSeconds = this.#waitMs / 1000;
        log.warn('nothing comes from the trusted node, it is tried again', { url, error: this.trouble, inSeconds });
        await this.#sleep(this.#waitMs);
        this.#waitMs = Math.min(WAIT_MS_MAX, 2 * this.#waitMs);
      }
    }
  }

  async #follow(): Promise<void> {
    const { url, chain, log } = this.#parts;
    const { chainId, state } = chain.queries;
    const node = await TrustedNode.open(url, state.network, () => {
      this.#isAnnounced = true;
      this.#wake?.();
    });
    this.#node = node;
    try {
      const found = await node.chainId();
      check(found === chainId, DELAYED_ERRORS.delayed_other_chain, { url, found, wanted: chainId });
      log.info('connected to the trusted node', { url, block: chain.queries.head.number });
      while (!this.#isClosing) {
        this.#isAnnounced = false;
        await this.#fetchAll(node);
        this.trouble = undefined;
        this.#waitMs = FIRST_WAIT_MS;
        await this.#sleep(PAUSE_MS);
        if (!this.#isAnnounced) await this.#sleep(WATCH_MS);
      }
    } finally {
      this.#node = undefined;
      node.close();
    }
  }

  async #fetchAll(node: TrustedNode): Promise<void> {
    const { url, chain, intake } = this.#parts;
    this.last = await node.lastIrreversible();
    let next = (await this.#commonWith(node)) + 1;
    const coming: Promise<TrustedBlock>[] = [];
    while (!this.#isClosing) {
      for (; next <= this.last && coming.length < AHEAD; next++) {
        const block = node.blockAt(next);
        // It is waited for at its turn.
        block.catch(() => undefined);
        coming.push(block);
      }
      const first = await coming.shift();
      if (first === undefined) return;
      const { number, id, block } = first;
      // Somebody else may have brought it.
      if (chain.queries.blockIdOf(number) !== id) await intake.take(block, url);
    }
  }

  /** The last block, up to its last irreversible one, that both have. */
  async #commonWith(node: TrustedNode): Promise<number> {
    const { url, chain } = this.#parts;
    const { number: head, irreversible } = chain.queries.head;
    for (let number = Math.min(head, this.last); number > 0; number--) {
      const id = chain.queries.blockIdOf(number);
      if ((await node.blockAt(number)).id === id) return number;
      check(number > irreversible, DELAYED_ERRORS.delayed_other_branch, { url, number, id });
    }
    return 0;
  }

  /** Until then, or until there is something to do. */
  #sleep(ms: number): Promise<void> {
    if (this.#isClosing) return Promise.resolve();
    return new Promise((resolve) => {
      let cancel: Cancel | undefined;
      const wake = (): void => {
        this.#wake = undefined;
        cancel?.();
        resolve();
      };
      this.#wake = wake;
      cancel = this.#parts.clock.after(ms, wake);
    });
  }

  /** The block under way is finished. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#wake?.();
    this.#node?.close();
    await this.#running;
  }
}
