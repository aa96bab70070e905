import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import '../src/operations/index.js';
import { AccountHistory } from '../plugins/account_history/history.js';
import { historyApi } from '../plugins/account_history/methods.js';
import { RelativeHistory } from '../plugins/account_history_kv/relative-history.js';
import type { KeyValueStore } from '../src/plugin/api.js';
import { type FeedBlock, type FeedOperation, NO_BLOCK } from '../src/plugin/follower.js';
import type { StoredData, StoredFollower, Taken } from '../src/plugin/stored-follower.js';
import { signedBlock } from '../src/protocol/block.js';
import type { Operation } from '../src/protocol/operation-slot.js';
import { VOID_RESULT } from '../src/protocol/results.js';
import type { AnyMethod, RpcContext } from '../src/rpc/define.js';
import { LevelKv, PLUGIN_MEMORY } from '../src/storage/level-kv.js';
import { NETWORK } from '../test/support/network.js';
import { ThreadTime } from '../test/support/thread-time.js';

/**
 * The histories of accounts over transfers between very many accounts, one of which is in every second one of them: how
 * fast they are taken, what an operation costs the thread and the disk, how memory grows, and what pages of the largest
 * history cost. Wanted: pages below 5 ms wherever they are, at most 100 MB more than without.
 */

type Print = (row: string[]) => void;

const ACCOUNTS = { small: 1_000, full: 1_000_000 };
/** Twice as many as the hot account has. */
const OPERATIONS = { small: 4_000, full: 10_000_000 };
const BLOCK_OPERATIONS = 1000;
const HOT = 7;
const ROUNDS = 200;
const IDLE_BLOCKS = 500;

const threadTime = ThreadTime.open();
const now = (): number => threadTime?.now() ?? Number(process.hrtime.bigint()) / 1e6;
const wall = (): number => Number(process.hrtime.bigint()) / 1e6;

/** Of a kind that occurs once: among the first ones. */
const RARE = 35;
const RARE_AT = 100;

function operationAt(i: number, accounts: number): Operation {
  const fee = { amount: 1000n, asset_id: 1 };
  const other = Math.imul(i, 2_654_435_761) >>> 0;
  if (i === RARE_AT) {
    return [RARE, { fee, payer: HOT, required_auths: [], id: 1, data: new Uint8Array(8) } as never];
  }
  const from = i % 2 === 0 ? HOT : other % accounts;
  const to = (other >>> 3) % accounts;
  return [0, { fee, from, to, amount: { amount: BigInt(i), asset_id: 1 }, memo: undefined, extensions: [] } as never];
}

const idOf = (number: number): string => `${number.toString(16).padStart(8, '0')}${'0'.repeat(32)}`;

function blockAt(number: number, accounts: number): FeedBlock {
  const first = (number - 1) * BLOCK_OPERATIONS;
  const operations = Array.from({ length: BLOCK_OPERATIONS }, (_, i): FeedOperation => {
    const instance = first + i;
    const operation = operationAt(instance, accounts);
    return { instance, operation, result: VOID_RESULT, transaction: i, index: 0, virtual: 0 };
  });
  return { number, id: idOf(number), block: signedBlock.default(), transactionIds: [], operations };
}

function bytesOf(folder: string): number {
  const files = readdirSync(folder, { withFileTypes: true });
  return files.reduce((sum, one) => {
    const path = join(folder, one.name);
    return sum + (one.isDirectory() ? bytesOf(path) : statSync(path).size);
  }, 0);
}

const emptyData = (store: KeyValueStore): StoredData => ({
  store,
  cursor: { format: 1, chain: '', options: '', place: NO_BLOCK, from: 1, next: {} },
  renew: async () => store,
});

const open = (path: string): Promise<LevelKv> => LevelKv.open(path, undefined, PLUGIN_MEMORY);

/** What making the blocks takes, without anybody who keeps anything of them: the most that was seen. */
async function idleMemory(size: 'small' | 'full'): Promise<number> {
  let memory = 0;
  for (let number = 1; number <= IDLE_BLOCKS; number++) {
    blockAt(number, ACCOUNTS[size]);
    memory = Math.max(memory, process.memoryUsage.rss());
    if (number % 50 === 0) await new Promise(setImmediate);
  }
  return memory;
}

async function fill(
  print: Print,
  name: string,
  folder: string,
  follower: StoredFollower<Taken>,
  size: 'small' | 'full',
): Promise<void> {
  const blocks = OPERATIONS[size] / BLOCK_OPERATIONS;
  global.gc?.();
  const memoryBefore = Math.max(process.memoryUsage.rss(), await idleMemory(size));
  let memory = memoryBefore;
  let thread = 0;
  const started = wall();
  for (let number = 1; number <= blocks; number++) {
    const block = blockAt(number, ACCOUNTS[size]);
    const before = now();
    follower.apply(block);
    const writing = follower.settle(number);
    thread += now() - before;
    if (writing !== undefined) await writing;
    if (number % 50 === 0) {
      memory = Math.max(memory, process.memoryUsage.rss());
      await new Promise(setImmediate);
    }
  }
  const flushing = now();
  await follower.flush();
  thread += now() - flushing;
  const seconds = (wall() - started) / 1000;
  const operations = blocks * BLOCK_OPERATIONS;
  print([
    `${name}: operations taken and written`,
    `${Math.round(operations / seconds)}/s`,
    `${operations} in ${seconds.toFixed(1)} s`,
  ]);
  print([`${name}: thread time of taking one`, `${((thread * 1000) / operations).toFixed(1)} µs`]);
  print([`${name}: on the disk`, `${Math.round(bytesOf(folder) / operations)} bytes/operation`]);
  print([`${name}: memory`, `${Math.round((memory - memoryBefore) / 1e6)} MB more`, 'wanted at most 100']);
}

async function pages(print: Print, history: AccountHistory): Promise<void> {
  const methods = historyApi(() => history).methods as Record<string, AnyMethod>;
  const context = { node: { chain: { state: { get: () => undefined } } } } as unknown as RpcContext;
  const { total } = history.countsOf(HOT);
  const last = history.numbers.operations;
  const measure = async (label: string, name: string, args: object): Promise<void> => {
    const times: number[] = [];
    let count = 0;
    for (let i = 0; i < ROUNDS; i++) {
      const before = now();
      const method = methods[name] as AnyMethod;
      const found = await method.run(context, { account: HOT, ...args });
      const text = JSON.stringify(method.result.toJson(found, NETWORK));
      times.push(now() - before);
      count = (text.match(/"virtual_op"/g) ?? []).length;
    }
    times.sort((a, b) => a - b);
    const first = times.at(-1) as number;
    const median = times[ROUNDS / 2] as number;
    print([
      `${label}, of ${total}`,
      `${median.toFixed(2)} ms`,
      `${count} operations, longest ${first.toFixed(2)}, wanted below 5`,
    ]);
  };
  for (const [where, start] of [
    ['first', 0],
    ['middle', Math.floor(last / 2)],
    ['last', 400],
  ] as const) {
    await measure(`get_account_history, ${where} page`, 'get_account_history', { stop: 0, limit: 100, start });
  }
  for (const [where, start] of [
    ['first', 0],
    ['middle', Math.floor(total / 2)],
    ['last', 100],
  ] as const) {
    const args = { stop: 0, limit: 100, start };
    await measure(`get_relative_account_history, ${where} page`, 'get_relative_account_history', args);
  }
  const rare = { operation_type: RARE, start: 0, stop: 0, limit: 100 };
  await measure('get_account_history_operations, a type that occurs once', 'get_account_history_operations', rare);
}

export async function run(print: Print, size: 'small' | 'full'): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'trustnode-history-'));
  try {
    const path = join(folder, 'account_history');
    const history = new AccountHistory(emptyData(await open(path)), {
      accounts: undefined,
      operationsMax: 4_294_967_295,
      isPartial: true,
    });
    await fill(print, 'account_history', path, history, size);
    await pages(print, history);
    await history.close();
    const other = join(folder, 'account_history_kv');
    const relative = new RelativeHistory(emptyData(await open(other)), 5000);
    await fill(print, 'account_history_kv', other, relative, size);
    await relative.close();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
