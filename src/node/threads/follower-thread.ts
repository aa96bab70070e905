import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { invariant } from '../../base/errors.js';
import type { LogValues } from '../../base/world.js';
import type { BlockPlace, Carried, FeedBlock, Follower, PackedBlock } from '../../plugin/follower.js';
import type { ChainHeight, FollowerThread, ThreadListener } from '../../plugin/follower-thread.js';
import type { KeyValue } from '../../storage/kv.js';
import { smallThread } from './small-thread.js';
import type { LogPaths } from './thread-logs.js';

export interface FollowerTask {
  /** Address of the program. */
  readonly program: string;
  readonly settings: unknown;
  /** Undefined where there are no files: then every block comes from here. */
  readonly logs: LogPaths | undefined;
}

export type FollowerOrder =
  | { readonly kind: 'begin' | 'close' | 'end' }
  | { readonly kind: 'apply'; readonly block: PackedBlock }
  | { readonly kind: 'undo'; readonly place: BlockPlace }
  | { readonly kind: 'settle' | 'advance'; readonly number: number }
  | { readonly kind: 'skip'; readonly place: BlockPlace; readonly carried?: Omit<Carried, 'entries'> | undefined }
  /** What is carried, piece by piece, while `skip` is under way; nothing behind the last one. */
  | { readonly kind: 'entries'; readonly entries: readonly KeyValue[] | undefined };

export interface FollowerCall {
  readonly call: number;
  readonly chain: ChainHeight;
  readonly order: FollowerOrder;
}

/** `undefined` for a call: nothing is to be tried any longer. */
export type FollowerWord = FollowerCall | undefined;

/** What does not change of a follower. */
export interface FollowerTraits {
  readonly name: string;
  readonly reads: Follower['reads'];
  readonly upTo: NonNullable<Follower['upTo']>;
  readonly beginsWith: readonly string[];
  readonly skips: boolean;
}

export interface FollowerDone {
  readonly position?: BlockPlace | undefined;
  readonly traits?: FollowerTraits;
  /** Taken by this call. */
  readonly records?: number;
  /** What `skip` has to say. */
  readonly note?: string | undefined;
  readonly failure?: string;
}

export type ThreadLine = {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly text: string;
  readonly values: LogValues;
};

export interface FollowerTold {
  readonly call?: number;
  readonly done?: FollowerDone;
  readonly report?: unknown;
  readonly line?: ThreadLine;
}

export interface FollowerThreadParts extends ThreadListener {
  chain(): ChainHeight;
}

interface Waiter {
  resolve(done: FollowerDone): void;
  reject(error: unknown): void;
}

const PROGRAM = new URL('./follower-worker.js', import.meta.url);

const ENDED = 'the thread of the follower has ended';

/** The thread in which a follower works, and what stands for it here. */
export class FollowerInThread implements FollowerThread {
  readonly begun: Promise<Follower>;
  readonly #worker: Worker;
  readonly #parts: FollowerThreadParts;
  readonly #waiters = new Map<number, Waiter>();
  #calls = 0;
  #over: { readonly error: unknown } | undefined;

  constructor(task: FollowerTask, parts: FollowerThreadParts) {
    this.#parts = parts;
    this.#worker = smallThread(PROGRAM, task);
    this.#worker.on('message', (told: FollowerTold) => this.#hear(told));
    this.#worker.on('error', (error) => this.#end(error));
    this.#worker.on('exit', () => this.#end(new Error(ENDED)));
    this.begun = this.#begin(task.logs !== undefined);
    // Whoever asks for it later hears of it all the same.
    this.begun.catch(() => undefined);
  }

  async #begin(readsLogs: boolean): Promise<Follower> {
    const { traits, position } = await this.#call({ kind: 'begin' });
    invariant(traits !== undefined && position !== undefined, 'a follower that has begun says what it is');
    return new PassedFollower(traits, position, readsLogs, (order, give) => this.#call(order, give));
  }

  #hear({ call, done, report, line }: FollowerTold): void {
    const { log, onReport } = this.#parts;
    if (line !== undefined) log[line.level](line.text, line.values);
    if (report !== undefined) onReport(report);
    if (call === undefined || done === undefined) return;
    const waiter = this.#waiters.get(call);
    this.#waiters.delete(call);
    if (done.failure === undefined) waiter?.resolve(done);
    else waiter?.reject(new Error(done.failure));
  }

  /** The first reason counts. */
  #end(error: unknown): void {
    this.#over ??= { error };
    const waiters = [...this.#waiters.values()];
    this.#waiters.clear();
    for (const waiter of waiters) waiter.reject(this.#over.error);
  }

  #call(order: FollowerOrder, give: readonly ArrayBuffer[] = []): Promise<FollowerDone> {
    if (this.#over !== undefined) return Promise.reject(this.#over.error);
    return new Promise((resolve, reject) => {
      const call = this.#calls++;
      this.#waiters.set(call, { resolve, reject });
      this.#worker.postMessage({ call, chain: this.#parts.chain(), order } satisfies FollowerCall, give);
    });
  }

  giveUp(): void {
    this.#worker.postMessage(undefined satisfies FollowerWord);
  }

  async end(): Promise<void> {
    if (this.#over !== undefined) return;
    const ended = once(this.#worker, 'exit');
    await this.#call({ kind: 'end' });
    await ended;
  }
}

/** `give`: what goes over as it is, and is gone here. */
type Call = (order: FollowerOrder, give?: readonly ArrayBuffer[]) => Promise<FollowerDone>;

/** Passes on what it is told. */
class PassedFollower implements Follower {
  readonly name: string;
  readonly reads: Follower['reads'];
  readonly upTo: NonNullable<Follower['upTo']>;
  readonly beginsWith: readonly string[];
  readonly skipTo?: NonNullable<Follower['skipTo']>;
  readonly advance?: NonNullable<Follower['advance']>;
  position: BlockPlace;
  records = 0;
  readonly #call: Call;

  constructor(traits: FollowerTraits, position: BlockPlace, readsLogs: boolean, call: Call) {
    this.name = traits.name;
    this.reads = traits.reads;
    this.upTo = traits.upTo;
    this.beginsWith = traits.beginsWith;
    this.position = position;
    this.#call = call;
    if (traits.skips) this.skipTo = (place, carried) => this.#skip(place, carried);
    if (readsLogs) this.advance = (number) => this.#do({ kind: 'advance', number });
  }

  async #do(order: FollowerOrder, give?: readonly ArrayBuffer[]): Promise<void> {
    this.#take(await this.#call(order, give));
  }

  #take({ position, records = 0 }: FollowerDone): void {
    if (position !== undefined) this.position = position;
    this.records += records;
  }

  apply(given: FeedBlock): Promise<void> {
    const packed = given.packed?.();
    invariant(packed !== undefined, 'a block that goes to a thread comes from the logs');
    // Copies, which go over as they are.
    const block = packed.block.slice();
    const segment = this.reads === 'operations' ? packed.segment?.slice() : undefined;
    const order = { kind: 'apply', block: { ...packed, block, segment } } as const;
    return this.#do(order, segment === undefined ? [block.buffer] : [block.buffer, segment.buffer]);
  }

  undo(place: BlockPlace): Promise<void> {
    return this.#do({ kind: 'undo', place });
  }

  settle(number: number): Promise<void> {
    return this.#do({ kind: 'settle', number });
  }

  close(): Promise<void> {
    return this.#do({ kind: 'close' });
  }

  async #skip(place: BlockPlace, carried: Carried | undefined): Promise<string | undefined> {
    const about = carried && { name: carried.name, about: carried.about };
    let isOver = false;
    const skipped = this.#call({ kind: 'skip', place, carried: about }).finally(() => {
      isOver = true;
    });
    const [done] = await Promise.all([skipped, carried && this.#passOn(carried, () => isOver)]);
    this.#take(done);
    return done.note;
  }

  async #passOn({ entries }: Carried, isOver: () => boolean): Promise<void> {
    for await (const some of entries) {
      if (isOver()) return;
      await this.#call({ kind: 'entries', entries: some });
    }
    await this.#call({ kind: 'entries', entries: undefined });
  }
}
