import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import type { Cursor, StoreWriter, Written } from '../../plugin/store-writer.js';
import { smallThread } from './small-thread.js';
import type { LogPaths } from './thread-logs.js';

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
  readonly failure?: string;
}

const PROGRAM = new URL('./store-worker.js', import.meta.url);

const ENDED = 'the thread that writes has ended';

/** A thread that writes the store of a plugin; it begins with the first order. */
export class StoreThread implements StoreWriter {
  readonly #task: StoreTask;
  #worker: Worker | undefined;
  #hasEnded = false;

  constructor(task: StoreTask) {
    this.#task = task;
  }

  async write(cursor: Cursor, number: number): Promise<Written> {
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
      if (answer.failure === undefined) end(() => resolve(answer));
      else end(() => reject(new Error(answer.failure)));
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
