import { parentPort, workerData } from 'node:worker_threads';
import '../../operations/index.js';
import { invariant } from '../../base/errors.js';
import type { LogValues } from '../../base/world.js';
import type { BlockPlace, Carried, FeedBlock, Follower } from '../../plugin/follower.js';
import type { FollowerProgram, ThreadedFollower, ThreadWorld } from '../../plugin/follower-thread.js';
import type { KeyValue } from '../../storage/kv.js';
import { unpackedBlock } from '../chain/logged-blocks.js';
import { systemClock } from '../runtime/clock.js';
import type {
  FollowerDone,
  FollowerOrder,
  FollowerTask,
  FollowerTold,
  FollowerTraits,
  FollowerWord,
  ThreadLine,
} from './follower-thread.js';
import { ThreadLogs } from './thread-logs.js';

/** A follower at work, and who tells it what to do in the main thread. */

/** After so long an order ends with the block under way, so that the others hear of it and may stop. */
const ORDER_MS = 250;
const SETTLE_BLOCKS = 100;

const { program: address, settings, logs: paths } = workerData as FollowerTask;
const port = parentPort;
if (port === null) throw new Error('this is a program for a thread');
const tell = (told: FollowerTold): void => port.postMessage(told);

const given = new AbortController();
let chain = { head: 0, irreversible: 0 };
let program: ThreadedFollower | undefined;
let begun: Follower | undefined;
let logs: ThreadLogs | undefined;
/** What a snapshot carries, while the follower takes it. */
let carrying: Carrying | undefined;

const line =
  (level: ThreadLine['level']) =>
  (text: string, values: LogValues = {}): void =>
    tell({ line: { level, text, values } });

const world: ThreadWorld = {
  clock: systemClock,
  log: { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') },
  signal: given.signal,
  get chain() {
    return chain;
  },
  tell: () => tell({ report: program?.report() }),
};

/** Pieces that come from the other side, each answered when it is taken. */
class Carrying {
  #waiting: { readonly entries: readonly KeyValue[] | undefined; taken(): void } | undefined;
  #wake: (() => void) | undefined;
  #isOver = false;

  give(entries: readonly KeyValue[] | undefined): Promise<void> {
    if (this.#isOver) return Promise.resolve();
    return new Promise((taken) => {
      this.#waiting = { entries, taken };
      this.#wake?.();
    });
  }

  async *pieces(): AsyncGenerator<readonly KeyValue[]> {
    for (;;) {
      if (this.#waiting === undefined) await new Promise<void>((wake) => (this.#wake = wake));
      const { entries, taken } = this.#waiting ?? {};
      this.#waiting = undefined;
      taken?.();
      if (entries === undefined) return;
      yield entries;
    }
  }

  /** Whoever still gives something is not kept waiting. */
  end(): void {
    this.#isOver = true;
    this.#waiting?.taken();
  }
}

function follower(): Follower {
  invariant(begun !== undefined, 'a follower has begun before it is told anything');
  return begun;
}

async function begin(): Promise<FollowerDone> {
  const { default: make } = (await import(address)) as { readonly default: FollowerProgram<unknown> };
  program = make(settings, world);
  begun = await program.begin();
  const { name, reads, upTo = 'head', beginsWith = [], skipTo, position } = begun;
  logs = paths && new ThreadLogs(paths, reads);
  const traits: FollowerTraits = { name, reads, upTo, beginsWith, skips: skipTo !== undefined };
  return { traits, position };
}

/** Its operations; its transactions for a follower that reads blocks. */
function recordsOf(given: FeedBlock): number {
  return follower().reads === 'operations' ? given.operations.length : given.block.transactions.length;
}

async function advance(to: number): Promise<number> {
  invariant(logs !== undefined, 'only one with logs reads by itself');
  const one = follower();
  const before = one.position.number;
  const end = performance.now() + ORDER_MS;
  let records = 0;
  for (const block of logs.blocks(before + 1, to)) {
    await one.apply(block);
    records += recordsOf(block);
    if (block.number % SETTLE_BLOCKS === 0) await one.settle(block.number);
    if (performance.now() >= end) break;
  }
  const { number } = one.position;
  invariant(number > before, 'blocks that stay are in the files');
  await one.settle(number);
  return records;
}

async function skip(place: BlockPlace, carried: Omit<Carried, 'entries'> | undefined): Promise<string | undefined> {
  const pieces = new Carrying();
  carrying = pieces;
  try {
    const note = await follower().skipTo?.(place, carried && { ...carried, entries: pieces.pieces() });
    return typeof note === 'string' ? note : undefined;
  } finally {
    pieces.end();
  }
}

async function obey(order: FollowerOrder): Promise<FollowerDone> {
  switch (order.kind) {
    case 'begin':
      return begin();
    case 'apply': {
      const block = unpackedBlock(order.block);
      await follower().apply(block);
      return { records: recordsOf(block) };
    }
    case 'undo':
      await follower().undo(order.place);
      return {};
    case 'settle':
      await follower().settle(order.number);
      return {};
    case 'advance':
      return { records: await advance(order.number) };
    case 'skip':
      return { note: await skip(order.place, order.carried) };
    case 'entries':
      await carrying?.give(order.entries);
      return {};
    case 'close':
      await follower().close();
      return {};
    case 'end':
      logs?.close();
      await program?.end();
      return {};
  }
}

async function answer(order: FollowerOrder): Promise<FollowerDone> {
  try {
    const done = await obey(order);
    return { position: begun?.position, ...done };
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error) };
  }
}

port.on('message', (word: FollowerWord) => {
  if (word === undefined) {
    given.abort();
    return;
  }
  const { call, order } = word;
  chain = word.chain;
  void answer(order).then((done) => {
    tell({ call, done, report: program?.report() });
    if (order.kind === 'end') port.close();
  });
});
