import type { Ratio } from './fixtures/ratios.js';
import { recoveryUs } from './fixtures/yardstick.js';
import { broadcast } from './rpc-load/broadcast.js';
import { type Load, type LoadResult, runLoad } from './rpc-load/load.js';
import { headOf, type NodeProcess, startNodeProcess } from './rpc-load/node-process.js';
import { ask, checkAnswer, transfers } from './rpc-load/requests.js';
import { SERVERS } from './rpc-load/servers.js';
import type { Print, Size } from './run.js';

/**
 * The node as clients meet it: reads over HTTP keep-alive and WebSocket while blocks are produced, and signed transfers
 * until a block has taken them. The node is a process of its own, this one drives it.
 *
 * The reference node on such a machine, 10 WebSockets with 8 requests under way each: get_account_by_name 13,400/s,
 * get_full_accounts 10,700/s, get_objects of two 12,800/s, get_block of 500 transactions 116/s; transfers 8,750 to
 * 9,030/s over 4 WebSockets with 16 under way. One core of ours makes a text of about 2 kB from an account in 15 µs and
 * moves a message through the server in 10 µs: twice the reference should be within reach.
 */

const READS: readonly (readonly [string, string, unknown[]])[] = [
  ['get_account_by_name', 'get_account_by_name', ['alice']],
  ['get_full_accounts', 'get_full_accounts', [['alice'], false]],
  ['get_objects', 'get_objects', [['1.2.9', '2.1.0']]],
];

const BLOCK_TRANSACTIONS = { small: 50, full: 500 };

interface Loaded extends LoadResult {
  /** Of all threads of the node, for each answer. */
  readonly cpuUs: number;
}

async function loaded(node: NodeProcess, load: Load): Promise<Loaded> {
  const before = node.cpuMs();
  const result = await runLoad(load);
  return { ...result, cpuUs: ((node.cpuMs() - before) * 1000) / result.answers };
}

function row(name: string, { perSecond, cpuUs, p50Ms, p99Ms, p999Ms }: Loaded): string[] {
  const ms = (value: number): string => `${value.toFixed(2)} ms`;
  const times = [`p50 ${ms(p50Ms)}`, `p99 ${ms(p99Ms)}`, `p999 ${ms(p999Ms)}`];
  return [name, `${Math.round(perSecond)}/s`, `${cpuUs.toFixed(1)} µs CPU each`, ...times];
}

export async function run(print: Print, size: Size, ratio: Ratio): Promise<void> {
  const seconds = size === 'small' ? 0.1 : 5;
  for (const transport of SERVERS) await measure(transport, print, size, seconds, ratio);
}

/** Figures name the server that they were taken with. */
async function measure(transport: string, printRow: Print, size: Size, seconds: number, ratio: Ratio): Promise<void> {
  const small = size === 'small';
  const node = await startNodeProcess(['--rpc-transport', transport]);
  const print: Print = ([name = '', ...figures]) => printRow([`${transport}: ${name}`, ...figures]);
  try {
    const request =
      (method: string, params: unknown[]) =>
      (n: number): string =>
        JSON.stringify({ id: n, method, params });
    for (const [name, method, params] of READS) {
      const load = { port: node.port, seconds, request: request(method, params), check: checkAnswer };
      const ws = await loaded(node, { ...load, transport: 'ws', connections: 10, inFlight: 8 });
      print(row(`${name}, 10 ws x 8`, ws));
      ratio(`${transport}: recovery of a key to ${name}`, recoveryUs() / ws.cpuUs);
      for (const connections of small ? [1] : [1, 100, 1000]) {
        for (const way of ['ws', 'http'] as const) {
          const one = await loaded(node, { ...load, transport: way, connections, inFlight: 1 });
          print(row(`${name}, ${connections} ${way}`, one));
        }
      }
    }
    await sustained(node, print, small);
    await readBlocks(node, print, seconds, BLOCK_TRANSACTIONS[size]);
  } finally {
    await node.stop();
  }
}

/** Signing ahead takes longer than the load itself: BENCH_SUSTAINED_SEC=10 gives a quick answer. */
const SUSTAINED_SEC = Number(process.env.BENCH_SUSTAINED_SEC ?? 60);
/** So many are signed ahead; a faster node is done before the time is over. */
const EXPECTED_PER_SECOND = 10_500;

/** Until the blocks have them all; a slot without a block would be one that the load took away. */
async function sustained(node: NodeProcess, print: Print, small: boolean): Promise<void> {
  const count = small ? 200 : SUSTAINED_SEC * EXPECTED_PER_SECOND;
  const texts = await transfers(node, count);
  const from = await headOf(node.port);
  const start = performance.now();
  const how = { connections: 4, inFlight: 16, seconds: small ? 20 : SUSTAINED_SEC };
  const { load, cpuUs } = await broadcast(node, how, (n) => texts[n]);
  print(row('broadcast_transaction, 4 ws x 16', { ...load, cpuUs }));
  let taken = 0;
  let number = from;
  let missed = 0;
  let last = 0;
  while (taken < load.answers && performance.now() - start < 3 * 60_000) {
    const head = await headOf(node.port);
    for (; number < head; number++) {
      const block = await ask<{ transactions: unknown[]; timestamp: string }>(node, 'get_block', [number + 1]);
      taken += block.transactions.length;
      const at = Date.parse(`${block.timestamp}Z`);
      if (last !== 0) missed += Math.round((at - last) / 3000) - 1;
      last = at;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const elapsed = (performance.now() - start) / 1000;
  print(['applied in blocks', `${Math.round(taken / elapsed)}/s`, `${taken} transfers`, `${missed} slots missed`]);
  print(['memory of the node', `${Math.round(node.memory() / 2 ** 20)} MiB`]);
}

/** A block of about so many transactions. */
async function readBlocks(node: NodeProcess, print: Print, seconds: number, transactions: number): Promise<void> {
  const texts = await transfers(node, transactions);
  const before = await headOf(node.port);
  let accepted = 0;
  for (const text of texts) {
    await ask(node, 'call', [2, 'broadcast_transaction', [JSON.parse(text)]]).then(
      () => accepted++,
      () => undefined,
    );
  }
  let best = { number: before, count: 0 };
  for (let tries = 0; tries < 100 && best.count < accepted; tries++) {
    const head = await headOf(node.port);
    for (let number = before; number <= head; number++) {
      const { transactions } = await ask<{ transactions: unknown[] }>(node, 'get_block', [number]);
      if (transactions.length > best.count) best = { number, count: transactions.length };
    }
    if (best.count > 0 && tries > 5) break;
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
  const result = await loaded(node, {
    port: node.port,
    transport: 'ws',
    connections: 10,
    inFlight: 8,
    seconds,
    request: (n) => JSON.stringify({ id: n, method: 'get_block', params: [best.number] }),
    check: checkAnswer,
  });
  print(row(`get_block of ${best.count} transactions, 10 ws x 8`, result));
}
