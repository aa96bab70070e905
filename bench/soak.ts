import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { tapos } from '../src/crypto/digests.js';
import { projectPath } from '../test/support/paths.js';
import type { Ratio } from './fixtures/ratios.js';
import { count, mebibytes, median } from './fixtures/stopwatch.js';
import { yardstick } from './fixtures/yardstick.js';
import { broadcast, type Cost } from './rpc-load/broadcast.js';
import { type NodeProcess, startNodeProcess } from './rpc-load/node-process.js';
import { ask } from './rpc-load/requests.js';
import { FASTEST_SERVER } from './rpc-load/servers.js';
import { SwiftTransfers } from './rpc-load/swift-transfers.js';
import type { Print, Size } from './run.js';

/**
 * Half an hour of signed transfers at 80 % of the rate that the same node takes just before: over 4 WebSockets, each due
 * at its time, between two accounts, expiring 30 s after they are sent, a block each 3 s that has room for all of them.
 * The driver takes its part of the same cores. No slot may be missed, none refused, all of them have to be in blocks in
 * the end, and memory must not grow any more after the second third. A line each minute, at once.
 *
 * BENCH_MINUTES says for how long. The node keeps its index of transactions and its journal of operations, as nodes do,
 * and no histories of accounts.
 */

const SIZES = {
  small: { measureSec: 0.5, steps: 3, stepSec: 0.5, accepts: 300 },
  full: {
    measureSec: 20,
    steps: Number(process.env.BENCH_MINUTES ?? 30),
    stepSec: 60,
    accepts: Number.POSITIVE_INFINITY,
  },
};
const SHARE = 0.8;
const MEASURED = { connections: 4, inFlight: 16 };
/** A node takes 2,000 at once. What is due while it makes a block waits here, and its time counts. */
const PACED = { connections: 4, inFlight: 450 };
const EXPIRATION_SEC = 30;
const FEE = 1000;
const CORE_ASSET = 1;
/** 80,000 transfers and more. */
const BLOCK_BYTES = 16 * 2 ** 20;
/** The senders of the development network have enough for some ten million transfers. */
const RICHER = 100;
const SAMPLE_MS = 1000;
const TAKEN_MS = 60_000;
const LOOK_MS = 200;
const GENESIS = 'bench-genesis.json';
const OPTIONS = [...FASTEST_SERVER, '--max-ops-per-account', '0'];

export async function run(print: Print, size: Size, ratio: Ratio): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'trustnode-bench-'));
  try {
    const chainDir = prepare(dataDir);
    const node = await startNodeProcess(OPTIONS, { dataDir: chainDir });
    try {
      await soak(node, print, size, ratio);
    } finally {
      await node.stop();
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

interface DevGenesis {
  readonly initial_parameters: { maximum_block_size: number };
  readonly initial_balances: { amount: string }[];
}

/** The development network with blocks that have room for the load. */
function prepare(folder: string): string {
  const genesis = JSON.parse(readFileSync(projectPath('genesis', 'dev.json'), 'utf8')) as DevGenesis;
  genesis.initial_parameters.maximum_block_size = BLOCK_BYTES;
  for (const balance of genesis.initial_balances) balance.amount = String(Number(balance.amount) * RICHER);
  const [genesisFile, dataDir] = [join(folder, GENESIS), join(folder, 'node')];
  mkdirSync(dataDir);
  writeFileSync(genesisFile, JSON.stringify(genesis));
  // Which genesis file a development network has can be said here alone.
  writeFileSync(join(dataDir, 'config.ini'), `genesis-json = ${genesisFile}\n`);
  return dataDir;
}

interface Head {
  readonly head_block_number: number;
  readonly head_block_id: string;
  readonly current_aslot: number;
}

const headOf = (node: NodeProcess): Promise<Head> => ask<Head>(node, 'get_dynamic_global_properties', []);

/** Slots without a block in the whole life of the chain. */
const emptySlots = ({ current_aslot, head_block_number }: Head): number => current_aslot - head_block_number;

async function soak(node: NodeProcess, print: Print, size: Size, ratio: Ratio): Promise<void> {
  const { measureSec, steps, stepSec, accepts } = SIZES[size];
  const [from, to] = node.accounts.map(({ id }) => id);
  const wif = node.accounts[0]?.wif;
  if (from === undefined || to === undefined || wif === undefined) throw new Error('it takes two accounts to pay');
  const before = await headOf(node);
  const { ref_block_num: refBlockNum, ref_block_prefix: refBlockPrefix } = tapos(before.head_block_id);
  const made = new SwiftTransfers({
    chainId: await ask<string>(node, 'get_chain_id', []),
    ...{ from: instanceOf(from), to: instanceOf(to), asset: CORE_ASSET, wif, fee: FEE, refBlockNum, refBlockPrefix },
  });
  const had = await balanceOf(node, to);
  const send = (how: typeof PACED, seconds: number, perSecond?: number): Promise<Cost> =>
    sendFor(node, made, { ...how, seconds, accepts, ...(perSecond === undefined ? {} : { perSecond }) });

  const measured = await send(MEASURED, measureSec);
  const perSecond = measured.load.perSecond * SHARE;
  tell(print, ['rate that is measured first', ...figures(measured)]);
  let answered = measured.load.answers;
  let [due, inTime] = [0, 0];
  const memory: number[] = [];
  let inUseFirst = 0;
  const sampling = setInterval(() => memory.push(node.memory()), SAMPLE_MS);
  memory.push(node.memory());
  try {
    for (let step = 1; step <= steps; step++) {
      const { head_block_number: first } = await headOf(node);
      const sent = await send(PACED, stepSec, perSecond);
      memory.push(node.memory());
      answered += sent.load.answers;
      due += Math.min(perSecond * stepSec, accepts);
      inTime += sent.load.answers;
      const head = await headOf(node);
      // Blocks have this many, beside those few that set the chain up.
      const taken = await takenBy(node);
      const blocks = head.head_block_number - first;
      tell(print, [
        `after ${step * stepSec >= 60 ? `${(step * stepSec) / 60} min` : `${step * stepSec} s`}`,
        `${count(perSecond)}/s due`,
        ...figures(sent),
        `${blocks} blocks, ${count(sent.load.answers / Math.max(1, blocks))} for each`,
        `${emptySlots(head) - emptySlots(before)} slots missed`,
        `${mebibytes(memory.at(-1) ?? 0)} resident`,
        `${count(Math.max(0, answered - taken))} waiting`,
        yardstick(),
      ]);
      if (step === 1) inUseFirst = await node.liveMemory();
    }
  } finally {
    clearInterval(sampling);
  }
  const missing = await untilTaken(node, to, had, made);
  const missed = emptySlots(await headOf(node)) - emptySlots(before);
  const inUse = await node.liveMemory();
  const [middle, last] = [thirdOf(memory, 1), thirdOf(memory, 2)];
  print([
    'in the end',
    `${count(answered)} transfers answered`,
    `${missing} units of them missing`,
    `${missed} slots missed`,
    `resident ${resident(middle)} in the second third, ${resident(last)} in the last`,
    `${mebibytes(inUseFirst)} in use after the first step, ${mebibytes(inUse)} after the last`,
  ]);
  // The most it was is a matter of how long others held the machine; whether it grows is not.
  ratio('memory of the second third to that of the last, in the median', median(middle) / median(last));
  ratio('memory in use after the first step to that after the last', inUseFirst / inUse);
  // Below, it was not the load that it should be.
  ratio('answered of what was due', inTime / due);
  // None refused is what the load itself sees to.
  if (missing !== 0n) throw new Error(`${missing} units of what was answered are in no block`);
  if (missed !== 0) throw new Error(`${missed} slots were missed`);
}

const instanceOf = (id: string): number => Number(id.split('.')[2]);

/** Half an hour is too long to see nothing: each row is also written when it is known. */
function tell(print: Print, row: string[]): void {
  print(row);
  process.stderr.write(`${row.join('  ')}\n`);
}

function thirdOf(samples: readonly number[], third: 1 | 2): number[] {
  const [from, to] = [(samples.length * third) / 3, (samples.length * (third + 1)) / 3];
  return samples.slice(Math.floor(from), Math.ceil(to));
}

const resident = (samples: readonly number[]): string =>
  `${mebibytes(median(samples))} in the median, ${mebibytes(Math.max(...samples))} at most`;

function figures({ load, cpuUs, mainUs, driverUs }: Cost): string[] {
  return [
    `${count(load.perSecond)}/s answered`,
    `p99 ${load.p99Ms.toFixed(1)} ms, longest ${load.longestMs.toFixed(0)}`,
    `${cpuUs.toFixed(1)} µs CPU each, ${mainUs.toFixed(1)} of them in the main thread; the driver ${driverUs.toFixed(1)}`,
  ];
}

interface Pace {
  readonly connections: number;
  readonly inFlight: number;
  readonly seconds: number;
  readonly accepts: number;
  readonly perSecond?: number;
}

/** Ends when everything that was sent is answered. */
function sendFor(node: NodeProcess, made: SwiftTransfers, { seconds, accepts, ...how }: Pace): Promise<Cost> {
  const untilMs = performance.now() + seconds * 1000;
  return broadcast(node, { ...how, seconds: seconds + TAKEN_MS / 1000 }, (n) =>
    performance.now() > untilMs || n >= accepts ? undefined : made.next(Math.floor(Date.now() / 1000) + EXPIRATION_SEC),
  );
}

async function takenBy(node: NodeProcess): Promise<number> {
  const line = /^trustnode_follower_records\{follower="transaction_index"\} (\S+)$/m.exec(await node.metrics());
  return Number(line?.[1] ?? 0);
}

async function balanceOf(node: NodeProcess, account: string): Promise<bigint> {
  const asked = [account, [`1.3.${CORE_ASSET}`]];
  const [balance] = await ask<{ amount: number | string }[]>(node, 'get_account_balances', asked);
  return BigInt(balance?.amount ?? 0);
}

/** Every transfer in a block, by what the receiver has; more than one block after the last of them. */
async function untilTaken(node: NodeProcess, to: string, had: bigint, made: SwiftTransfers): Promise<bigint> {
  const { head_block_number: from } = await headOf(node);
  const until = performance.now() + TAKEN_MS;
  for (;;) {
    const { head_block_number: head } = await headOf(node);
    const missing = had + BigInt(made.sum) - (await balanceOf(node, to));
    if ((missing === 0n && head >= from + 2) || performance.now() > until) return missing;
    await sleep(LOOK_MS);
  }
}
