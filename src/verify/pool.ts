import { cpus, platform } from 'node:os';
import { Piscina } from 'piscina';
import { ChainError, check, invariant } from '../base/errors.js';
import { LIMITS } from '../base/limits.js';
import { type SignatureChoice, signatureBackend } from '../crypto/signature.js';
import { Gatherer } from './gatherer.js';
import { ITEMS_PER_GRAB, type SharedBatch } from './shared-batch.js';
import { countBatch, RecoveredKeys, type SignatureBatch, type SignatureVerifier, VERIFY_ERRORS } from './verify.js';
import type { WorkerTask } from './worker.js';

/** Tasks handed to a thread in advance, so that it does not starve while the main thread is busy with a block. */
const TASKS_AHEAD = 4;

export interface PoolOptions {
  readonly workers: number;
  readonly choice?: SignatureChoice;
  /**
   * Where there are no more than threads, they step back behind the thread that asks: with equal shares of the cores it falls
   * behind, they run out of work, and a core is idle.
   */
  readonly cores?: number;
  /** Batches under way before `recover` holds its callers back. */
  readonly queueMax?: number;
  /** Program of the threads; tests put one here that fails. */
  readonly program?: URL;
}

/**
 * Two fifths of the weight of a thread as usual: enough for the thread that asks, and a fair share beside other programs. Only
 * Linux counts it by threads.
 */
const NICE = 4;

const PROGRAM = new URL('./worker.js', import.meta.url);

interface Waiter {
  readonly go: () => void;
  readonly refuse: (error: ChainError) => void;
}

/** Threads that recover keys. Callers over the queue's limit wait inside `recover`, in their order. */
export class PoolVerifier implements SignatureVerifier {
  readonly workers: number;
  readonly backend: string;
  readonly #queueMax: number;
  readonly #choice: SignatureChoice;
  readonly #pool: Piscina<WorkerTask, void>;
  readonly #gatherer: Gatherer;
  readonly #waiters: Waiter[] = [];
  /** Tasks that threads have or will take, among them the late ones that nobody waits for. */
  readonly #hands = new Set<Promise<void>>();
  #underWay = 0;
  #closed: Promise<void> | undefined;
  #whenIdle: (() => void) | undefined;

  constructor({
    workers,
    choice,
    cores = cpus().length,
    queueMax = LIMITS.verify_queue_max,
    program = PROGRAM,
  }: PoolOptions) {
    invariant(workers > 0 && queueMax > 0, 'a pool has at least one thread and one place');
    const backend = signatureBackend(choice);
    this.workers = workers;
    this.backend = backend.name;
    // The library that was found here, by name: a thread that cannot load it fails instead of being slow in silence.
    this.#choice = backend.name;
    this.#queueMax = queueMax;
    this.#gatherer = new Gatherer(workers, (shared) => this.#work(shared));
    this.#pool = new Piscina({
      filename: program.href,
      minThreads: workers,
      maxThreads: workers,
      concurrentTasksPerWorker: TASKS_AHEAD,
      recordTiming: false,
      niceIncrement: workers >= cores && platform() === 'linux' ? NICE : 0,
    });
    // A thread that dies also fails its tasks, which is where it is reported.
    this.#pool.on('error', () => undefined);
    // It is told of before another one has its place, or has not.
    this.#pool.on('workerDestroy', () => queueMicrotask(() => this.#failWhatNobodyTakes()));
  }

  /**
   * The library replaces no thread that has died before it could begin. With the last one gone, tasks that wait for one would do
   * so for ever, and whoever waits for them would with nothing left that could wake it. The next batch tries a new thread.
   */
  #failWhatNobodyTakes(): void {
    if (this.#pool.threads.length === 0 && this.#pool.queueSize > 0) void this.#pool.destroy();
  }

  /** Batches that wait for a place. */
  get waiting(): number {
    return this.#waiters.length;
  }

  /** Batches that the threads have or get next. */
  get underWay(): number {
    return this.#underWay;
  }

  async recover(batch: SignatureBatch): Promise<RecoveredKeys> {
    const count = countBatch(batch);
    check(this.#closed === undefined, VERIFY_ERRORS.verifier_closed);
    if (this.#underWay < this.#queueMax) this.#underWay++;
    // The place of a finished batch goes straight to the first waiter.
    else await new Promise<void>((go, refuse) => this.#waiters.push({ go, refuse }));
    try {
      return count === 0 ? RecoveredKeys.none() : await this.#gatherer.recover(batch, count);
    } finally {
      this.#leave();
    }
  }

  /** Settles as soon as every item is answered: a hand that comes late finds nothing left and must not be waited for. */
  #work(shared: SharedBatch): Promise<void> {
    const hands = Math.min(this.workers, Math.ceil(shared.count / ITEMS_PER_GRAB));
    const task: WorkerTask = { memory: shared.memory, count: shared.count, choice: this.#choice };
    return new Promise((resolve, reject) => {
      for (let i = 0; i < hands; i++) {
        const hand = this.#pool
          .run(task)
          .then(
            () => {
              if (shared.isDone) resolve();
            },
            (error: unknown) => reject(new ChainError(VERIFY_ERRORS.verifier_worker_failed, { reason: String(error) })),
          )
          .finally(() => this.#hands.delete(hand));
        this.#hands.add(hand);
      }
    });
  }

  #leave(): void {
    const next = this.#waiters.shift();
    if (next !== undefined) next.go();
    else if (--this.#underWay === 0) this.#whenIdle?.();
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    for (const waiter of this.#waiters.splice(0)) waiter.refuse(new ChainError(VERIFY_ERRORS.verifier_closed));
    if (this.#underWay > 0) await new Promise<void>((idle) => (this.#whenIdle = idle));
    // A thread that is ended inside the native library, which a late hand may just be loading, ends the whole process.
    await Promise.all(this.#hands);
    await this.#pool.destroy();
  }
}
