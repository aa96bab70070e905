import { parentPort, workerData } from 'node:worker_threads';
import '../../operations/index.js';
import { invariant } from '../../base/errors.js';
import type { Cursor, Written } from '../../plugin/store-writer.js';
import { type StoredData, type StoredFollower, storedCursor, type Taken } from '../../plugin/stored-follower.js';
import { LevelKv } from '../../storage/level-kv.js';
import type { StoreAnswer, StoreOrder, StoreTask } from './store-thread.js';
import { ThreadLogs } from './thread-logs.js';
import { toldFailure } from './told-failure.js';

/** Writes the store of one plugin: the plugin's own follower, given every block from the files of the node. */

type Follower = StoredFollower<Taken>;
type Make = (data: StoredData, settings: unknown) => Follower;

/** After so long an order ends with the block under way, so that the others hear of it and may stop. */
const ORDER_MS = 250;
/** What is read before the follower is told that it may write. */
const SETTLE = { blocks: 200, operations: 1000 };

const { program, settings, storePath, ...paths } = workerData as StoreTask;
const port = parentPort;
if (port === null) throw new Error('this is a program for a thread');
let follower: Follower | undefined;
const logs = new ThreadLogs(paths, 'operations');

/** After a failure the store may be further than who asks has heard. */
async function open(given: Cursor): Promise<Follower> {
  const { default: make } = (await import(program)) as { readonly default: Make };
  const store = await LevelKv.openForPlugin(storePath);
  const renew = (): never => {
    throw new Error('a store is built anew before a thread writes it');
  };
  try {
    return make({ store, cursor: storedCursor(store) ?? given, renew }, settings);
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** What was begun is begun anew by the next order. */
async function letGo(): Promise<void> {
  const one = follower;
  follower = undefined;
  logs.close();
  await one?.close();
}

async function write(cursor: Cursor, to: number): Promise<Written> {
  follower ??= await open(cursor);
  const end = performance.now() + ORDER_MS;
  let operations = 0;
  let waiting = { blocks: 0, operations: 0 };
  for (const block of logs.blocks(follower.position.number + 1, to)) {
    follower.apply(block);
    const count = block.operations.length;
    operations += count;
    waiting = { blocks: waiting.blocks + 1, operations: waiting.operations + count };
    if (waiting.blocks >= SETTLE.blocks || waiting.operations >= SETTLE.operations) {
      await follower.settle(block.number);
      waiting = { blocks: 0, operations: 0 };
    }
    if (performance.now() >= end) break;
  }
  const { number } = follower.position;
  invariant(number > cursor.place.number, 'blocks that stay are in the files');
  await follower.settle(number);
  await follower.flush();
  return { cursor: follower.cursor, operations };
}

async function obey(order: StoreOrder): Promise<StoreAnswer> {
  try {
    if (order.kind === 'write') return { written: await write(order.cursor, order.number) };
    await letGo();
    return {};
  } catch (error) {
    // The first reason is the one that counts.
    await letGo().catch(() => undefined);
    return { failure: toldFailure(error, storePath) };
  }
}

port.on('message', (order: StoreOrder) => {
  void obey(order).then((answer) => {
    port.postMessage(answer);
    if (order.kind === 'close') port.close();
  });
});
