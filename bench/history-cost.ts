import { ElasticServer } from '../test/services/elasticsearch/elastic.js';
import { cannotStartElastic } from '../test/services/elasticsearch/tools.js';
import type { Ratio } from './fixtures/ratios.js';
import { count } from './fixtures/stopwatch.js';
import { broadcast } from './rpc-load/broadcast.js';
import { type NodeProcess, startNodeProcess } from './rpc-load/node-process.js';
import { transfers } from './rpc-load/requests.js';
import type { Print, Size } from './run.js';

/**
 * What a history costs a transfer that is broadcast: time of the node's main thread, from the request until the plugin has
 * taken the block, with each plugin and without any, in one run. Wanted: at most a tenth more.
 */

const SIZES = {
  small: { transfers: 50, searched: 0, restMs: 500, lookMs: 250 },
  full: { transfers: 50_000, searched: 200_000, restMs: 40_000, lookMs: 10_000 },
};

const EVERYTHING = ['--max-ops-per-account', '4294967295', '--partial-operations', 'true'];

type Counts = (typeof SIZES)[Size];

interface Subject {
  readonly name: string;
  readonly options: readonly string[];
  /** Whose progress is waited for. */
  readonly follower?: string;
  readonly transfers: number;
}

interface Cost {
  readonly perTransferUs: number;
  readonly seconds: number;
  readonly memoryMb: number;
}

/** Few transfers may cost less than by how much varies what the node does besides. */
const LEAST_US = 0.1;

const NONE = { name: 'no plugin', options: ['--plugins', 'witness'] };

function subjects(server: ElasticServer | undefined, { transfers: number, searched }: Counts): Subject[] {
  const of = (name: string, given: readonly string[], count = number): Subject => ({
    name,
    options: ['--plugins', `witness ${name}`, ...given],
    follower: name,
    transfers: count,
  });
  const some = [of('account_history', EVERYTHING)];
  if (searched === 0) return some;
  some.push(of('account_history_kv', []));
  if (server !== undefined) {
    some.push(of('search_db', ['--searchdb-node-url', server.url, '--searchdb-replicas', '0'], searched));
  }
  return some;
}

export async function run(print: Print, size: Size, ratio: Ratio): Promise<void> {
  const counts = SIZES[size];
  const { transfers: number, searched } = counts;
  const server = searched > 0 && cannotStartElastic === false ? await ElasticServer.start() : undefined;
  try {
    if (searched > 0 && server === undefined) print([`search_db: ${String(cannotStartElastic)}`, 'not measured']);
    let none: Subject = { ...NONE, transfers: number };
    let without = await costOf(none, counts);
    row(print, none.name, without);
    for (const subject of subjects(server, counts)) {
      if (subject.transfers !== none.transfers) {
        // A node that remembers more transactions is another one to compare with.
        none = { ...NONE, transfers: subject.transfers };
        without = await costOf(none, counts);
        row(print, `${none.name}, ${count(none.transfers)} transfers`, without);
      }
      const cost = await costOf(subject, counts);
      const again = size === 'small' ? without : await costOf(none, counts);
      // The machine is not the same all the time: before and after.
      const base = (without.perTransferUs + again.perTransferUs) / 2;
      without = again;
      const share = (cost.perTransferUs / base - 1) * 100;
      ratio(`a transfer without to one with ${subject.name}`, base / cost.perTransferUs);
      row(print, subject.name, cost, `${share.toFixed(1)} % more, wanted at most 10`);
      if (size === 'full') row(print, `${none.name}, after ${subject.name}`, again);
    }
  } finally {
    await server?.remove();
  }
}

function row(print: Print, name: string, { perTransferUs, seconds, memoryMb }: Cost, more = ''): void {
  const figures = [`${perTransferUs.toFixed(1)} µs/transfer`, more, `${seconds.toFixed(0)} s`];
  print([name, ...figures, `${Math.round(memoryMb)} MB resident`]);
}

async function costOf({ options, follower, transfers: number }: Subject, { restMs, lookMs }: Counts): Promise<Cost> {
  const node = await startNodeProcess(options);
  try {
    const texts = await transfers(node, number);
    // Who looks at the metrics has the node work for it, at rest and later.
    const atRest = await workOf(node, async () => {
      for (let ms = 0; ms < restMs; ms += lookMs) {
        await node.metrics();
        await new Promise((resolve) => setTimeout(resolve, lookMs));
      }
    });
    const work = await workOf(node, async () => {
      await broadcast(node, { connections: 4, inFlight: 16, seconds: 3600 }, (n) => texts[n]);
      await untilTaken(node, follower, number, lookMs);
    });
    const restShare = atRest.workedMs / atRest.ms;
    const workedMs = work.workedMs - restShare * work.ms;
    return {
      perTransferUs: Math.max(LEAST_US, (workedMs * 1000) / number),
      seconds: work.ms / 1000,
      memoryMb: node.memory() / 2 ** 20,
    };
  } finally {
    await node.stop();
  }
}

async function workOf(node: NodeProcess, work: () => Promise<unknown>): Promise<{ ms: number; workedMs: number }> {
  const started = performance.now();
  const before = node.mainThreadMs();
  await work();
  return { workedMs: node.mainThreadMs() - before, ms: performance.now() - started };
}

const TAKEN_MS = 10 * 60_000;
/** What is written together: a plugin may wait until there is so much. */
const UNWRITTEN = 5_000;

/** All transfers are in blocks, and whoever follows has them. The index of transactions follows in any case. */
async function untilTaken(
  node: NodeProcess,
  follower: string | undefined,
  number: number,
  lookMs: number,
): Promise<void> {
  const until = performance.now() + TAKEN_MS;
  for (;;) {
    const metrics = await node.metrics();
    const of = (figure: string, name: string): number =>
      Number(new RegExp(`^trustnode_follower_${figure}\\{follower="${name}"\\} (\\S+)$`, 'm').exec(metrics)?.[1] ?? 0);
    const inBlocks = of('records', 'transaction_index');
    const taken = follower === undefined ? number : of('records', follower);
    if (inBlocks >= number && taken >= number - UNWRITTEN) return;
    const found = `${count(inBlocks)} in blocks, ${count(taken)} taken`;
    if (performance.now() > until) throw new Error(`${follower ?? 'no plugin'}: ${found}, of ${count(number)}`);
    await new Promise((resolve) => setTimeout(resolve, lookMs));
  }
}
