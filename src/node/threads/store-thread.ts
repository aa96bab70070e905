import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { ChainError } from '../../base/errors.js';
import type { Clock, Logger } from '../../base/world.js';
import type { Cursor, StoreWriter, Written } from '../../plugin/store-writer.js';
import { STORAGE_ERRORS } from '../../storage/errors.js';
import { smallThread } from './small-thread.js';
import type { LogPaths } from './thread-logs.js';
import { failureOf, type ToldFailure } from './told-failure.js';

/** What a thread needs to know to write a store. */
export interface StoreTask extends LogPaths {
  /** Address of the program. */
  readonly program: string;
  readonly settings: unknown;
  readonly storePath: string;
}

export type StoreOrder =
  | { readonly kind: 'write'; readonly cursor: Cursor; readonly number: number }
  | { readonly kind: 'close' };

export interface StoreAnswer {
  readonly written?: Written;
  readonly failure?: ToldFailure;
}

const PROGRAM = new URL('./store-worker.js', import.meta.url);

const ENDED = 'the thread that writes has ended';

/** Others close files too: whoever found none to open tries again. */
const RETRY_MS = 1000;

export interface StoreThreadWorld {
  readonly clock: Pick<Clock, 'after'>;
  readonly log: Logger;
}

/** A thread that writes the store of a plugin; it begins with the first order. */
export class StoreThread implements StoreWriter {
  readonly #task: StoreTask;
  #worker: Worker | undefined;
  #hasEnded = false;
  /** What keeps it waiting. */
  #trouble: ChainError | undefined;
  /** Set while it waits. */
  #wake: (() => void) | undefined;
  #isClosing = false;
  readonly #world: StoreThreadWorld;

  constructor(task: StoreTask, world: StoreThreadWorld) {
    this.#task = task;
    this.#world = world;
  }

  /** Why nothing is written at the moment. */
  get trouble(): string | undefined {
    return this.#trouble?.message;
  }

  /** Goes on trying while the process may open no more files: that passes, and the store is as it was. */
  async write(cursor: Cursor, number: number): Promise<Written> {
    const { log } = this.#world;
    const path = this.#task.storePath;
    for (;;) {
      try {
        const written = await this.#write(cursor, number);
        if (this.#trouble !== undefined) log.info('the store of a plugin is written again', { path });
        this.#trouble = undefined;
        return written;
      } catch (error) {
        const isPassing = error instanceof ChainError && error.row === STORAGE_ERRORS.storage_too_many_files;
        if (!isPassing || this.#isClosing) throw error;
        if (this.#trouble === undefined)
          log.warn('the store of a plugin waits until a file can be opened', { path, error });
        this.#trouble = error;
        await this.#pause();
        if (this.#isClosing) throw error;
      }
    }
  }

  async #pause(): Promise<void> {
    await new Promise<void>((resolve) => {
      const cancel = this.#world.clock.after(RETRY_MS, resolve);
      this.#wake = () => {
        cancel();
        resolve();
      };
    });
    this.#wake = undefined;
  }

  async #write(cursor: Cursor, number: number): Promise<Written> {
    if (this.#hasEnded) throw new Error(ENDED);
    this.#worker ??= this.#begin();
    const { written } = await ordered(this.#worker, { kind: 'write', cursor, number });
    if (written === undefined) throw new Error('the thread does not say what it has written');
    return written;
  }

  #begin(): Worker {
    const worker = smallThread(PROGRAM, this.#task);
    worker.on('exit', () => {
      this.#hasEnded = true;
    });
    // Whoever waits for an answer hears of it.
    worker.on('error', () => undefined);
    return worker;
  }

  /** The store is closed in the thread when this settles, so that it can be closed here. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#wake?.();
    const worker = this.#worker;
    if (worker === undefined || this.#hasEnded) return;
    const ended = once(worker, 'exit');
    await ordered(worker, { kind: 'close' });
    await ended;
  }
}

function ordered(worker: Worker, order: StoreOrder): Promise<StoreAnswer> {
  return new Promise((resolve, reject) => {
    const onMessage = (answer: StoreAnswer): void => {
      const { failure } = answer;
      end(() => (failure === undefined ? resolve(answer) : reject(failureOf(failure))));
    };
    const onError = (error: unknown): void => end(() => reject(error));
    const onExit = (): void => end(() => reject(new Error(ENDED)));
    const end = (settle: () => void): void => {
      worker.off('message', onMessage).off('error', onError).off('exit', onExit);
      settle();
    };
    worker.on('message', onMessage).on('error', onError).on('exit', onExit);
    worker.postMessage(order);
  });
}
