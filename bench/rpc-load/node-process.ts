import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { STACK_SIZE } from '../../test/runner/stack-size.js';
import { YOUNG_SPACE } from '../../test/runner/young-space.js';
import { endWithUs } from '../../test/support/ends-with-us.js';
import { cpuMsOf, mainThreadMsOf, memoryOf } from '../fixtures/process-stat.js';

/** A node of the development network as a process of its own, with its data in a folder that goes with it. */
export interface NodeProcess {
  readonly port: number;
  /** As /metrics shows them. */
  metrics(): Promise<string>;
  readonly accounts: readonly { readonly name: string; readonly id: string; readonly wif: string }[];
  /** Resident memory in bytes. */
  memory(): number;
  /** The same after a collection of garbage: what it cannot do without. */
  liveMemory(): Promise<number>;
  /** What its main thread has worked so far. */
  mainThreadMs(): number;
  /** What all its threads have worked so far. */
  cpuMs(): number;
  stop(): Promise<void>;
}

const START_MS = 10 * 60_000;
/** Collects its garbage when it is asked to, and says what is left. */
const SAYS_MEMORY =
  'data:text/javascript,process.on("SIGUSR2",()=>{gc();gc();const{heapUsed,external}=process.memoryUsage();console.error("live",heapUsed+external)})';
const LIVE = /^live (\d+)$/;
/** What contracts need, and room for young objects; see the first line of the program. */
const FLAGS = [STACK_SIZE, YOUNG_SPACE, '--expose-gc', '--import', SAYS_MEMORY];

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

export interface NodeGiven {
  /** Its data directory, which stays; otherwise one of its own, which goes. */
  readonly dataDir?: string;
  /** Of the engine. */
  readonly flags?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

export async function startNodeProcess(
  options: readonly string[] = [],
  { dataDir, flags = [], environment = {} }: NodeGiven = {},
): Promise<NodeProcess> {
  const [port, monitorPort] = [await freePort(), await freePort()];
  const folder = dataDir ?? mkdtempSync(join(tmpdir(), 'trustnode-bench-'));
  // bench and src are compiled side by side.
  const program = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'src', 'bin', 'trustnode.js');
  const endpoints = ['--rpc-endpoint', `127.0.0.1:${port}`, '--monitor-endpoint', `127.0.0.1:${monitorPort}`];
  const args = ['start', '--dev', '--data-dir', folder, ...endpoints, ...options];
  const child = spawn(process.execPath, [...FLAGS, ...flags, program, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, ...environment },
  });
  endWithUs(child);
  let said = '';
  const collected = new EventEmitter();
  createInterface({ input: child.stderr }).on('line', (line) => {
    said = `${said}${line}\n`.slice(-4000);
    const live = LIVE.exec(line)?.[1];
    if (live !== undefined) collected.emit('live', Number(live));
  });
  await untilReady(child, port, () => said);
  return {
    port,
    metrics: async () => (await ask(`http://127.0.0.1:${monitorPort}/metrics`)).text(),
    accounts: JSON.parse(readFileSync(join(folder, 'dev-accounts.json'), 'utf8')),
    memory: () => memoryOf(child.pid),
    liveMemory: async () => {
      const said = once(collected, 'live');
      child.kill('SIGUSR2');
      const [bytes] = (await said) as [number];
      return bytes;
    },
    mainThreadMs: () => mainThreadMsOf(child.pid),
    cpuMs: () => cpuMsOf(child.pid),
    stop: async () => {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
      if (dataDir === undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function untilReady(child: ChildProcess, port: number, said: () => string): Promise<void> {
  const until = Date.now() + START_MS;
  while (Date.now() < until) {
    if (child.exitCode !== null) throw new Error(`the node ended: ${said()}`);
    const head = await headOf(port).catch(() => 0);
    if (head >= 2) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`the node did not start: ${said()}`);
}

export async function headOf(port: number): Promise<number> {
  const body = '{"id":1,"method":"get_dynamic_global_properties","params":[]}';
  const response = await ask(`http://127.0.0.1:${port}/`, { method: 'POST', body });
  const { result } = (await response.json()) as { result: { head_block_number: number } };
  return result.head_block_number;
}

/** The server closes connections that were idle while transfers were signed; a request that met this is sent again. */
export async function ask(url: string, init?: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch {
    return await fetch(url, init);
  }
}
