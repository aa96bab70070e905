import { ElasticServer } from '../test/services/elasticsearch/elastic.js';
import { cannotStartElastic } from '../test/services/elasticsearch/tools.js';
import { count } from './fixtures/stopwatch.js';
import { runLoad } from './rpc-load/load.js';
import { type NodeProcess, startNodeProcess } from './rpc-load/node-process.js';
import { checkAnswer, transfers } from './rpc-load/requests.js';
import type { Print, Size } from './run.js';

/**
 * What a history costs a transfer that is broadcast: time of the node's main thread, from the request until the plugin has
 * taken the block, with each plugin and without any, in one run. Wanted: at most a tenth more.
 */

const SIZES = {
  small: { transfers: 200, searched: 200, restMs: 1_000 },
  full: { transfers: 100_000, searched: 200_000, restMs: 15_000 },
};

const EVERYTHING = ['--max-ops-per-account', '4294967295', '--partial-operations', 'true'];

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

export async function run(print: Print, size: Size): Promise<void> {
  const { transfers: number, searched, restMs } = SIZES[size];
  const server = cannotStartElastic === false ? await ElasticServer.start() : undefined;
  try {
    const none: Subject = { name: 'no plugin', options: ['--plugins', 'witness'], transfers: number };
    const subjects: Subject[] = [
      {
        name: 'account_history',
        options: ['--plugins', 'witness account_history', ...EVERYTHING],
        follower: 'account_history',
        transfers: number,
      },
      {
        name: 'account_history_kv',
        options: ['--plugins', 'witness account_history_kv'],
        follower: 'account_history_kv',
        transfers: number,
      },
    ];
    if (server !== undefined) {
      const given = ['--searchdb-node-url', server.url, '--searchdb-replicas', '0'];
      const search = { follower: 'search_db', transfers: searched };
      subjects.push({ name: 'search_db', options: ['--plugins', 'witness search_db', ...given], ...search });
    } else print([`search_db: ${String(cannotStartElastic)}`]);
    let without = await costOf(none, restMs);
    row(print, none.name, without);
    for (const subject of subjects) {
      const cost = await costOf(subject, restMs);
      const again = await costOf(none, restMs);
      // The machine is not the same all the time: before and after.
      const base = (without.perTransferUs + again.perTransferUs) / 2;
      without = again;
      const share = (cost.perTransferUs / base - 1) * 100;
      row(print, subject.name, cost, `${share.toFixed(1)} % more, wanted at most 10`);
      row(print, `${none.name}, after ${subject.name}`, again);
    }
  } finally {
    await server?.remove();
  }
}

function row(print: Print, name: string, { perTransferUs, seconds, memoryMb }: Cost, more = ''): void {
  const figures = [`${perTransferUs.toFixed(1)} µs/transfer`, more, `${seconds.toFixed(0)} s`];
  print([name, ...figures, `${Math.round(memoryMb)} MB resident`]);
}

async function costOf({ options, follower, transfers: number }: Subject, restMs: number): Promise<Cost> {
  const node = await startNodeProcess(options);
  try {
    const texts = await transfers(node, number);
    const atRest = await workOf(node, () => new Promise((resolve) => setTimeout(resolve, restMs)));
    const work = await workOf(node, async () => {
      await runLoad({
        port: node.port,
        transport: 'ws',
        connections: 4,
        inFlight: 16,
        seconds: 3600,
        request: (n) =>
          texts[n] === undefined
            ? undefined
            : `{"id":${n},"method":"call","params":[2,"broadcast_transaction",[${texts[n]}]]}`,
        check: checkAnswer,
      });
      await untilTaken(node, follower, number);
    });
    const restShare = atRest.workedMs / atRest.ms;
    const workedMs = work.workedMs - restShare * work.ms;
    return {
      perTransferUs: (workedMs * 1000) / number,
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

const LOOK_MS = 500;
const TAKEN_MS = 30 * 60_000;

/** All transfers are in blocks, and whoever follows has them. The index of transactions follows in any case. */
async function untilTaken(node: NodeProcess, follower: string | undefined, number: number): Promise<void> {
  const until = performance.now() + TAKEN_MS;
  const wanted = [follower ?? 'transaction_index'];
  for (;;) {
    const metrics = await node.metrics();
    const records = (name: string): number =>
      Number(new RegExp(`^follower_records\\{follower="${name}"\\} (\\S+)$`, 'm').exec(metrics)?.[1] ?? 0);
    if (wanted.every((name) => records(name) >= number)) return;
    if (performance.now() > until)
      throw new Error(`${wanted.join()}: ${count(records(wanted[0] as string))} of ${count(number)}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
