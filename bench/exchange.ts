import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { PrivateKey } from '../src/crypto/private-key.js';
import { publicKeyToText } from '../src/crypto/public-key.js';
import { accountId } from '../src/protocol/ids.js';
import { openExchangeDatabase } from '../src/services/des/des.js';
import { writeJson } from '../src/trade/json.js';
import { heartbeat } from '../src/trade/seller.js';
import { type Account, DevChain } from '../test/exchange/dev-chain.js';
import { requestBody } from '../test/exchange/money/authorizations.js';
import { Program } from '../test/exchange/program.js';
import { sell } from '../test/services/support/des-world.js';
import { signForm, unsignedForm } from '../test/services/support/payer.js';
import { SourceServer } from '../test/services/support/source-server.js';
import { cpuMsOf, memoryOf } from './fixtures/process-stat.js';
import type { Ratio } from './fixtures/ratios.js';
import { median } from './fixtures/stopwatch.js';
import type { Print, Size } from './run.js';

/**
 * The services of the exchange as processes of their own, with a real node: purchases from end to end, heartbeats, product
 * queries, files stored and paid. The limits of callers are off, which the options below say; this process is buyers,
 * sources and all.
 */

const SIZES = {
  small: { sources: 2, crowd: 4, queries: 20, purchases: 4, stores: 3, large: 1, atOnce: 4, minute: 0.1 },
  full: {
    sources: 10,
    crowd: 10_000,
    queries: 20_000,
    purchases: 2000,
    stores: 500,
    large: 20,
    atOnce: 50,
    minute: 60,
  },
};
type Sizes = (typeof SIZES)['full'];

const CROWD_PRODUCT = 2;
const PRICE = 1000n;
const PERCENT = 1000;
const MONEY = 500_000_000;
const LIFETIME_SEC = 3600;
const POLL_MS = 60;
const KILOBYTE = 1024;
const LARGE_BYTES = 10 * 1024 * KILOBYTE;
const FEE_UNITS = 20;
const NO_LIMITS = ['--requests-per-second', '0', '--memory-max', '1073741824'];
const BUYER_LIMITS = [
  '--creates-per-second',
  '0',
  '--products-per-second',
  '0',
  '--looks-per-second',
  '0',
  '--heartbeats-per-second',
  '0',
];
const STORE_LIMITS = ['--stores-per-second', '0', '--bytes-per-minute', '0'];
const LISTENS = /listens.* url=(http:\/\/[\d.]+:\d+)/;
/** What is compared of the ten: the first ones fill caches. */
const [MINUTES, LATER] = [10, 7];
const [EARLIER_FROM, EARLIER_TO] = [3, 6];

export async function run(print: Print, sizeName: Size, ratio: Ratio): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'trustnode-bench-'));
  const chain = new DevChain(folder);
  try {
    await chain.start();
    print(['limits of callers', 'off', '', '', [...BUYER_LIMITS, ...STORE_LIMITS, ...NO_LIMITS].join(' ')]);
    await exchange(print, ratio, SIZES[sizeName], chain, folder);
    await storage(print, SIZES[sizeName], chain, folder);
  } finally {
    await chain.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Called {
  readonly status: number;
  readonly text: string;
}

const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });

function call(url: string, body?: string): Promise<Called> {
  return new Promise((resolve, reject) => {
    const headers =
      body === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
    const asked = request(url, { method: body === undefined ? 'GET' : 'POST', headers, agent }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    asked.on('error', reject);
    asked.end(body);
  });
}

async function good(url: string, body?: string): Promise<string> {
  const { status, text } = await call(url, body);
  if (status !== 200) throw new Error(`status ${status}: ${text}`);
  return text;
}

/** As many at once as are wanted; what each has taken. */
async function timed(count: number, atOnce: number, work: (n: number) => Promise<void>): Promise<number[]> {
  const taken: number[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let n = next++; n < count; n = next++) {
      const startMs = performance.now();
      await work(n);
      taken.push(performance.now() - startMs);
    }
  };
  await Promise.all(Array.from({ length: Math.min(count, atOnce) }, worker));
  return taken.sort((a, b) => a - b);
}

/** Processor time and memory of a process, where the system tells it and the process has not ended. */
function usageOf(pid: number | undefined): { readonly cpuMs: number; readonly mebibytes: number } | undefined {
  try {
    return pid === undefined ? undefined : { cpuMs: cpuMsOf(pid), mebibytes: memoryOf(pid) / KILOBYTE ** 2 };
  } catch {
    return undefined;
  }
}

interface Process {
  readonly name: string;
  readonly pid: number | undefined;
}

async function measure(
  print: Print,
  label: string,
  processes: readonly Process[],
  { count, atOnce }: { readonly count: number; readonly atOnce: number },
  work: (n: number) => Promise<void>,
): Promise<void> {
  const before = processes.map(({ pid }) => usageOf(pid));
  const startMs = performance.now();
  const taken = await timed(count, atOnce, work);
  const seconds = (performance.now() - startMs) / 1000;
  const at = (share: number): string => `${(taken[Math.floor((taken.length - 1) * share)] ?? 0).toFixed(1)} ms`;
  const spent = processes.map(({ name, pid }, i) => {
    const [was, is] = [before[i], usageOf(pid)];
    return was === undefined || is === undefined ? name : `${name} ${((is.cpuMs - was.cpuMs) / count).toFixed(2)} ms`;
  });
  const rate = `${(count / seconds).toFixed(1)}/s`;
  print([label, rate, `p50 ${at(0.5)}`, `p99 ${at(0.99)}`, `processor time of each: ${spent.join(', ')}`]);
}

async function exchange(print: Print, ratio: Ratio, size: Sizes, chain: DevChain, folder: string): Promise<void> {
  const [keeper, buyer, ...sellers] = (await chain.accounts([
    { name: 'bench-exchange', units: MONEY },
    { name: 'bench-buyer', units: MONEY },
    ...Array.from({ length: size.sources }, (_, i) => ({ name: `bench-source-${i}`, units: 0 })),
  ])) as [Account, Account, ...Account[]];
  const dataDir = join(folder, 'exchange');
  const db = await openExchangeDatabase({ 'data-dir': dataDir, database: undefined });
  const sources = await Promise.all(sellers.map((seller) => SourceServer.start(seller)));
  const des = new Program({
    words: [
      ...['des', '--node', chain.nodeUrl, '--account', keeper.name, '--endpoint', '127.0.0.1:0', '--data-dir', dataDir],
      ...['--private-sources', '--percent', String(PERCENT), '--source-timeout', '60', '--connect-timeout', '60'],
      ...['--clock-skew', '60000', ...BUYER_LIMITS, ...NO_LIMITS],
    ],
    listens: LISTENS,
    variables: { TRUSTNODE_DES_KEY: keeper.wif },
  });
  try {
    const crowd = await chain.crowd('bench-crowd', size.crowd);
    const members = crowd.map(({ id }) => ({ id, url: 'http://127.0.0.1:1' }));
    await db.transaction().execute(async (trx) => {
      await sell(trx, { id: 1, members: sources, units: Number(PRICE) });
      await sell(trx, { id: CROWD_PRODUCT, members, units: Number(PRICE) });
    });
    await des.start();
    const processes = [
      { name: 'exchange', pid: des.running?.child.pid },
      { name: 'node', pid: chain.pid },
      { name: 'buyers and sources', pid: process.pid },
    ];
    await heartbeats(print, size, des.address, crowd, processes);
    // Those that are asked are there for as long as it takes.
    const presence = { products: '[1]', query_url: null, expire_ms: Date.now() + LIFETIME_SEC * 1000 };
    const rows = sellers.map(({ id }) => ({ account: accountId.fromJson(id), ...presence }));
    await db.insertInto('des_presence').values(rows).execute();
    await measure(print, 'product queries', processes, { count: size.queries, atOnce: size.atOnce }, async () => {
      await good(`${des.address}/api/product/1`);
    });
    const market = { chain, url: des.address, keeper, buyer, sellers, processes };
    await purchases(print, size, market);
    await tenMinutes(print, ratio, size, market);
    await des.stop();
  } finally {
    await des.close();
    for (const source of sources) await source.close();
    await db.destroy();
  }
}

/** Of as many accounts as there are heartbeats: each has its key asked for at the node, and a row of its own. */
async function heartbeats(
  print: Print,
  size: Sizes,
  url: string,
  crowd: readonly Account[],
  processes: readonly Process[],
): Promise<void> {
  const bodies = crowd.map(({ id, wif }, n) =>
    writeJson(heartbeat(id, PrivateKey.fromWif(wif), [CROWD_PRODUCT], Date.now() + (n % 1000))),
  );
  await measure(print, 'heartbeats', processes, { count: crowd.length, atOnce: size.atOnce * 2 }, async (n) => {
    await good(`${url}/api/datasource/heartbeat`, bodies[n]);
  });
}

interface Market {
  readonly chain: DevChain;
  readonly url: string;
  readonly keeper: Account;
  readonly buyer: Account;
  readonly sellers: readonly Account[];
  readonly processes: readonly Process[];
}

/** Makes the body of the next purchase, of one source after the other. */
async function bodyMaker({ chain, keeper, buyer, sellers }: Market): Promise<() => string> {
  const asked = sellers.map(({ id, wif }) => ({
    id,
    publicKey: publicKeyToText(PrivateKey.fromWif(wif).publicKey, 'GXC'),
  }));
  const { time } = await chain.head();
  const terms = { exchange: keeper.id, percent: PERCENT, price: PRICE, expiration: time + LIFETIME_SEC };
  let turn = 0;
  return () => {
    const n = turn++;
    return requestBody(buyer, [asked[n % asked.length] as (typeof asked)[number]], [{ n }], terms).body;
  };
}

async function purchase(url: string, body: string): Promise<void> {
  const { request_id: id } = JSON.parse(await good(`${url}/api/request/create/1`, body)) as { request_id: string };
  for (;;) {
    const text = await good(`${url}/api/request/${id}`);
    if (text.includes('FINISHED')) {
      if (!text.includes('SUCCESS')) throw new Error(text);
      return;
    }
    await pause(POLL_MS);
  }
}

async function purchases(print: Print, size: Sizes, market: Market): Promise<void> {
  const { url, processes } = market;
  const body = await bodyMaker(market);
  const bodies = Array.from({ length: size.purchases }, body);
  await measure(print, 'purchases', processes, { count: size.purchases, atOnce: size.atOnce }, (n) =>
    purchase(url, bodies[n] as string),
  );
}

/** As many purchases as there can be: the memory of the exchange must not grow once the first minutes are over. */
async function tenMinutes(print: Print, ratio: Ratio, size: Sizes, market: Market): Promise<void> {
  const { url, processes } = market;
  const body = await bodyMaker(market);
  const held: number[] = [];
  let [done, isOver] = [0, false];
  const buy = async (): Promise<void> => {
    while (!isOver) {
      await purchase(url, body());
      done++;
    }
  };
  const watch = async (): Promise<void> => {
    for (let minute = 0; minute < MINUTES; minute++) {
      await pause(size.minute * 1000);
      const usage = usageOf(processes[0]?.pid);
      if (usage !== undefined) held.push(usage.mebibytes);
    }
    isOver = true;
  };
  await Promise.all([watch(), ...Array.from({ length: size.atOnce }, buy)]);
  const rate = `${(done / (MINUTES * size.minute)).toFixed(1)}/s`;
  const each = held.map((mebibytes) => mebibytes.toFixed(0)).join(' ');
  print(['ten minutes of purchases', rate, `${done} purchases`, `memory of the exchange: ${each} MiB`]);
  // Not told by every system.
  if (held.length === MINUTES)
    ratio('memory before beside later', median(held.slice(EARLIER_FROM, EARLIER_TO)) / median(held.slice(LATER)));
}

async function storage(print: Print, size: Sizes, chain: DevChain, folder: string): Promise<void> {
  const [keeper, owner] = (await chain.accounts([
    { name: 'bench-storage', units: MONEY },
    { name: 'bench-owner', units: MONEY },
  ])) as [Account, Account];
  const service = new Program({
    words: [
      ...['storage', '--node', chain.nodeUrl, '--account', keeper.name, '--endpoint', '127.0.0.1:0'],
      ...['--data-dir', join(folder, 'storage'), ...STORE_LIMITS, ...NO_LIMITS],
    ],
    listens: LISTENS,
    variables: { TRUSTNODE_STORAGE_KEY: keeper.wif },
  });
  try {
    await service.start();
    const processes = [
      { name: 'storage', pid: service.running?.child.pid },
      { name: 'node', pid: chain.pid },
    ];
    const { time } = await chain.head();
    let turn = 0;
    const store = async (bytes: number): Promise<void> => {
      const data = Buffer.alloc(bytes, `${turn++} `);
      const amount = String(FEE_UNITS * Math.max(1, Math.ceil(bytes / KILOBYTE)));
      const wanted = { from: owner.id, provider: keeper.id, data, amount, expiration: time + LIFETIME_SEC };
      const form = new FormData();
      form.append('data', new Blob([data], { type: 'application/octet-stream' }));
      for (const [name, value] of Object.entries(signForm(unsignedForm(wanted), owner.wif))) form.append(name, value);
      const response = await fetch(`${service.address}/store`, { method: 'POST', body: form });
      const { code, msg } = (await response.json()) as { code: number; msg: string };
      if (code !== 200) throw new Error(`${code} ${msg}`);
    };
    const few = { count: size.large, atOnce: 4 };
    await measure(print, 'stores of 1 KiB', processes, { count: size.stores, atOnce: size.atOnce }, () =>
      store(KILOBYTE),
    );
    await measure(print, 'stores of 10 MiB', processes, few, () => store(LARGE_BYTES));
    await service.stop();
  } finally {
    await service.close();
  }
}
