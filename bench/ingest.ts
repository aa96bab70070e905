import { setTimeout as sleep } from 'node:timers/promises';
import type { Ratio } from './fixtures/ratios.js';
import { mebibytes } from './fixtures/stopwatch.js';
import { recoveryUs } from './fixtures/yardstick.js';
import { broadcastAll, type Cost } from './rpc-load/broadcast.js';
import { headOf, type NodeProcess, startNodeProcess } from './rpc-load/node-process.js';
import { ask, transfers } from './rpc-load/requests.js';
import { FASTEST_SERVER } from './rpc-load/servers.js';
import type { Print, Size } from './run.js';

/**
 * Signed transfers between two accounts, over 4 WebSockets with 16 under way each, to a node of the development network
 * that makes its blocks meanwhile; the driver takes its part of the same cores. Then as many as a node keeps waiting,
 * while it makes no blocks: what each of them takes of memory, and how the node gets rid of them.
 *
 * The reference took 8,750 to 9,030 in a second where one recovery takes 29.2 µs, in the same run on two cores.
 */

const SIZES = {
  small: { sent: 300, waiting: 500 },
  full: {
    sent: Number(process.env.BENCH_SENT ?? 300_000),
    waiting: Number(process.env.BENCH_WAITING ?? 299_000),
  },
};
const SETTLE_MS = 3000;

export async function run(print: Print, size: Size, ratio: Ratio): Promise<void> {
  const { sent, waiting } = SIZES[size];
  await measured((node) => whileBlocksAreMade(node, sent, print, ratio));
  await measured((node) => whileNoneAreMade(node, waiting, print));
}

async function measured(work: (node: NodeProcess) => Promise<void>): Promise<void> {
  const node = await startNodeProcess(FASTEST_SERVER);
  try {
    await work(node);
  } finally {
    await node.stop();
  }
}

function printCost(print: Print, what: string, { load, cpuUs, mainUs, driverUs }: Cost): void {
  print([
    what,
    `${Math.round(load.perSecond)}/s`,
    `p50 ${load.p50Ms.toFixed(1)} ms`,
    `p99 ${load.p99Ms.toFixed(1)} ms`,
    `p999 ${load.p999Ms.toFixed(1)} ms`,
    `longest ${load.longestMs.toFixed(0)} ms`,
    `${cpuUs.toFixed(1)} µs CPU each, ${mainUs.toFixed(1)} of them in the main thread; the driver ${driverUs.toFixed(1)}`,
  ]);
}

async function whileBlocksAreMade(node: NodeProcess, count: number, print: Print, ratio: Ratio): Promise<void> {
  const texts = await transfers(node, count);
  const from = await headOf(node.port);
  const cost = await broadcastAll(node, texts);
  printCost(print, 'transfers while blocks are made', cost);
  // Clocks differ with who else is on the machine; processor time does so much less.
  const recovery = recoveryUs();
  ratio('recovery of its key to all that a transfer costs', recovery / cost.cpuUs);
  ratio('recovery of its key to what a transfer costs the main thread', recovery / cost.mainUs);
  await untilTaken(node, 'until blocks had them all', from, cost.load.answers, print);
}

/** A slot without a block would be one that the load took away. */
async function untilTaken(node: NodeProcess, what: string, from: number, count: number, print: Print): Promise<void> {
  const startMs = performance.now();
  let [number, taken, missed, last] = [from, 0, 0, 0];
  while (taken < count) {
    const block = await ask<{ transactions: unknown[]; timestamp: string } | null>(node, 'get_block', [number + 1]);
    if (block === null) {
      await sleep(100);
      continue;
    }
    number++;
    taken += block.transactions.length;
    const at = Date.parse(`${block.timestamp}Z`);
    if (last !== 0) missed += Math.round((at - last) / 3000) - 1;
    last = at;
  }
  print([
    what,
    `${((performance.now() - startMs) / 1000).toFixed(1)} s more`,
    `${number - from} blocks`,
    `${missed} slots missed`,
  ]);
}

async function whileNoneAreMade(node: NodeProcess, count: number, print: Print): Promise<void> {
  const texts = await transfers(node, count);
  await ask(node, 'call', ['dev', 'dev_setProducing', [false]]);
  const from = await headOf(node.port);
  await sleep(SETTLE_MS);
  const [before, liveBefore] = [node.memory(), await node.liveMemory()];
  const cost = await broadcastAll(node, texts);
  printCost(print, 'transfers while none are made', cost);
  const grown = node.memory() - before;
  const live = (await node.liveMemory()) - liveBefore;
  print([
    `memory with ${count} waiting`,
    `${mebibytes(live)} more in use, ${Math.round(live / count)} bytes each`,
    `${mebibytes(grown)} more resident than the ${mebibytes(before)} before`,
  ]);
  await ask(node, 'call', ['dev', 'dev_setProducing', [true]]);
  await untilTaken(node, 'until blocks had those that waited', from, count, print);
  print(['memory afterwards', mebibytes(node.memory())]);
}
