import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { STACK_SIZE } from '../test/runner/stack-size.js';
import { YOUNG_SPACE } from '../test/runner/young-space.js';
import type { Holds } from './fixtures/hold-meter.js';
import type { Ratio } from './fixtures/ratios.js';
import { LARGE_HEAP } from './fixtures/real-process.js';
import { count } from './fixtures/stopwatch.js';
import { runLoad } from './rpc-load/load.js';
import { headOf, type NodeProcess, startNodeProcess } from './rpc-load/node-process.js';
import { ask, checkAnswer } from './rpc-load/requests.js';
import type { Print, Size } from './run.js';

/**
 * A snapshot of a running node with very many accounts that signs every block: how long it takes, how long it keeps the
 * main thread and clients waiting, how large it is, and how long it takes from there to a node that serves clients.
 * Wanted: no slot missed, no request held for more than 50 ms.
 */

const SIZES = {
  small: { accounts: 1_000, restSeconds: 1 },
  full: { accounts: 1_000_000, restSeconds: 20 },
};

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const FILL = here('./fixtures/fill-data-dir.js');
const METER = here('./fixtures/hold-meter.js');
const PROGRAM = here('../src/bin/trustnode.js');
const FLAGS = [LARGE_HEAP];
const SLOT_MS = 3000;
/** Of work of the main thread. */
const HOLD_MS = 50;
const GENESIS = 'genesis.json';

const execute = promisify(execFile);

interface Timed<T> {
  readonly value: T;
  readonly seconds: number;
}

async function timed<T>(work: () => Promise<T>): Promise<Timed<T>> {
  const started = performance.now();
  const value = await work();
  return { value, seconds: (performance.now() - started) / 1000 };
}

const program = (...args: string[]): Promise<Timed<unknown>> =>
  timed(() => execute(process.execPath, [STACK_SIZE, YOUNG_SPACE, ...FLAGS, PROGRAM, ...args]));

/** Over the socket that is the operator's. */
function operate<T>(dataDir: string, method: string): Promise<T> {
  const body = JSON.stringify({ id: 1, method, params: [] });
  return new Promise((resolve, reject) => {
    const sent = request({ socketPath: join(dataDir, 'operator.sock'), path: '/', method: 'POST' }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
      });
      response.on('end', () => {
        const { result, error } = JSON.parse(text) as { result: T; error?: { message: string } };
        if (error === undefined) resolve(result);
        else reject(new Error(error.message));
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** A client that asks all the time, until the work is over. */
async function whileAsking<T>(node: NodeProcess, work: () => Promise<T>): Promise<Timed<T> & { longestMs: number }> {
  let isOver = false;
  const asking = runLoad({
    port: node.port,
    transport: 'ws',
    connections: 1,
    inFlight: 1,
    seconds: 3600,
    request: (n) => (isOver ? undefined : `{"id":${n},"method":"get_account_by_name","params":["alice"]}`),
    check: checkAnswer,
  });
  const done = await timed(work).finally(() => {
    isOver = true;
  });
  const { longestMs } = await asking;
  return { ...done, longestMs };
}

async function missedSlots(
  node: NodeProcess,
  from: number,
): Promise<{ readonly blocks: number; readonly missed: number }> {
  const to = await headOf(node.port);
  let missed = 0;
  let last: number | undefined;
  for (let number = from; number <= to; number++) {
    const { timestamp } = await ask<{ timestamp: string }>(node, 'get_block', [number]);
    const at = Date.parse(`${timestamp}Z`);
    if (last !== undefined) missed += Math.round((at - last) / SLOT_MS) - 1;
    last = at;
  }
  return { blocks: to - from + 1, missed };
}

function bytesOf(folder: string): number {
  return readdirSync(folder, { withFileTypes: true }).reduce((sum, one) => {
    const path = join(folder, one.name);
    return sum + (one.isDirectory() ? bytesOf(path) : statSync(path).size);
  }, 0);
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
const ms = (value: number): string => `${value.toFixed(1)} ms`;
const seconds = (value: number): string => `${value.toFixed(1)} s`;

export async function run(print: Print, size: Size, ratio: Ratio): Promise<void> {
  const { accounts, restSeconds } = SIZES[size];
  const folder = mkdtempSync(join(tmpdir(), 'trustnode-snapshot-'));
  const dataDir = join(folder, 'node');
  const snapshots = join(folder, 'snapshots');
  const holds = join(folder, 'holds.json');
  try {
    mkdirSync(dataDir);
    await (await startNodeProcess(['--plugins', 'witness'], { dataDir })).stop();
    await execute(process.execPath, [...FLAGS, FILL, dataDir, String(accounts)]);
    const given = { dataDir, flags: [...FLAGS, '--import', `file://${METER}`], environment: { BENCH_HOLDS: holds } };
    const started = await timed(() =>
      startNodeProcess(['--plugins', 'witness', '--state-snapshots-dir', snapshots], given),
    );
    print([`start of a node with ${count(accounts)} accounts, until it has made blocks`, seconds(started.seconds)]);
    const node = started.value;
    let made: { readonly snapshot_dir: string };
    try {
      const pause = () => new Promise((resolve) => setTimeout(resolve, restSeconds * 1000));
      const longest = longestHold(holds);
      const before = await whileAsking(node, pause);
      print(['main thread held at most, at rest', ms(longest().workedMs), `longest answer ${ms(before.longestMs)}`]);
      const from = await headOf(node.port);
      const during = longestHold(holds);
      const snapshot = await whileAsking(node, () =>
        operate<{ readonly snapshot_dir: string }>(dataDir, 'create_snapshot'),
      );
      // The meter speaks once a second.
      await new Promise((resolve) => setTimeout(resolve, 1500));
      const { workedMs, clockMs } = during();
      made = snapshot.value;
      print(['create_snapshot', seconds(snapshot.seconds), megabytes(bytesOf(made.snapshot_dir))]);
      print([
        'main thread held at most, meanwhile',
        ms(workedMs),
        `${ms(clockMs)} by the clock; wanted at most ${HOLD_MS}`,
      ]);
      ratio('the longest hold that is wanted to that of a snapshot', HOLD_MS / Math.max(1, workedMs));
      print(['longest answer to a client, meanwhile', ms(snapshot.longestMs)]);
      // Until the next slots are over.
      await new Promise((resolve) => setTimeout(resolve, 2 * SLOT_MS));
      const { blocks, missed } = await missedSlots(node, from);
      print(['slots missed', String(missed), `${blocks} blocks`]);
      ratio('blocks to slots', blocks / (blocks + missed));
    } finally {
      await node.stop();
    }
    await restoring(print, folder, dataDir, made.snapshot_dir);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The longest hold that is told from now on. */
function longestHold(path: string): () => Holds {
  const read = (): Holds[] => JSON.parse(readFileSync(path, 'utf8')) as Holds[];
  const before = read().length;
  return () =>
    read()
      .slice(before)
      .reduce(
        (most, { workedMs, clockMs }) => ({
          workedMs: Math.max(most.workedMs, workedMs),
          clockMs: Math.max(most.clockMs, clockMs),
        }),
        { workedMs: 0, clockMs: 0 },
      );
}

async function restoring(print: Print, folder: string, dataDir: string, snapshot: string): Promise<void> {
  const packed = join(folder, 'packed');
  const verified = await program('snapshot', 'verify', snapshot, '--data-dir', dataDir);
  print(['snapshot verify', seconds(verified.seconds)]);
  const pack = await program('snapshot', 'pack', snapshot, packed, '--data-dir', dataDir);
  print(['snapshot pack', seconds(pack.seconds), megabytes(statSync(packed).size)]);
  const other = join(folder, 'other');
  mkdirSync(other);
  copyFileSync(join(dataDir, GENESIS), join(other, GENESIS));
  const restored = await program('snapshot', 'restore', packed, '--data-dir', other);
  print(['snapshot restore', seconds(restored.seconds)]);
  const serving = await timed(() => startNodeProcess(['--plugins', 'witness'], { dataDir: other, flags: FLAGS }));
  await serving.value.stop();
  print(['from there until it serves clients', seconds(serving.seconds), 'with the first block of its own']);
}
