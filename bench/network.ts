import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeMessage, ITEM_TRANSACTION, type ItemHash, MESSAGES, messageId } from '../src/p2p/wire/messages.js';
import { LocalNetwork } from '../test/network/local-network.js';
import type { LocalNode } from '../test/network/local-node.js';
import { NodeHistory } from '../test/network/misses.js';
import { openForTransfers } from '../test/network/money.js';
import { YOUNG_SPACE } from '../test/runner/young-space.js';
import { eventually } from '../test/support/eventually.js';
import { COLLECT_FLAGS, collectGarbage, heldBytes, metricOf } from '../test/support/measured-process.js';
import { SocketPeer } from '../test/support/socket-peer.js';
import { worldGenesisBytes } from '../test/support/world-genesis.js';
import { Payments } from './fixtures/payments.js';
import {
  cpuSaid,
  cpuUntilNow,
  fillDataDir,
  type Measured,
  measured,
  newNode,
  THREADS,
} from './fixtures/real-process.js';
import { count, median } from './fixtures/stopwatch.js';
import { GENESIS_OPTIONS, REFERENCE_BLOCKS, transferWorkload, type Workload } from './fixtures/transfers.js';
import type { Print, Size } from './run.js';

/**
 * The network between processes of one machine: catching up with 100,000 signed transfers in 204 blocks, beside
 * import-blocks of the same blocks; blocks of 500 transfers over three hops; transactions from one peer to another; what
 * a peer costs. The aim for catching up: at most 8 µs of running time per transfer more than the import, both processes
 * together. Possible: AES over 130 bytes twice, two copies, one hash and one id per block: less than 2 µs.
 */

const SIZES = {
  small: {
    rounds: 1,
    sync: { accounts: 200, blocks: 3, transfers: 20 },
    relay: { hops: 1, blocks: 1, transfers: 20 },
    gossip: 60,
    peers: 5,
  },
  full: {
    rounds: 5,
    sync: { accounts: 10_000, ...REFERENCE_BLOCKS },
    relay: { hops: 3, blocks: 40, transfers: 500 },
    gossip: 10_000,
    peers: 100,
  },
};
const SINKS = 20;
const LOOK_MS = 50;
/** A question costs the node about a millisecond: of what is measured they must be no part. */
const SELDOM_MS = 500;
const INVENTORY = 500;

export async function run(print: Print, sizeName: Size): Promise<void> {
  const size = SIZES[sizeName];
  const folder = mkdtempSync(join(tmpdir(), 'trustnode-bench-'));
  try {
    await catchingUp(print, join(folder, 'sync'), transferWorkload(size.sync), size.rounds);
    await relaying(print, join(folder, 'relay'), size.relay);
    await gossiping(print, join(folder, 'gossip'), size);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

// Catching up.

/** Both to the end of their processes, without what a start costs by itself. */
async function catchingUp(print: Print, folder: string, workload: Workload, rounds: number): Promise<void> {
  mkdirSync(folder);
  const genesisFile = join(folder, 'genesis.json');
  writeFileSync(genesisFile, worldGenesisBytes(GENESIS_OPTIONS));
  const source = newNode(folder, genesisFile, 0);
  await fillDataDir(workload, source.dataDir, workload.blocks);
  // The first start indexes the transactions of its blocks: no part of serving them.
  await lifeOf(source, async () => undefined);
  const imports: Imported[] = [];
  const syncs: Synced[] = [];
  for (let round = 0; round < rounds; round++) {
    imports.push(await importing(join(folder, `imported-${round}`), source, workload));
    syncs.push(await syncing(newNode(folder, genesisFile, 1 + round), source, workload));
  }
  const each = (cpuUs: number): number => cpuUs / workload.transfers;
  // Starts alone differ too: the cheapest of them is taken off each.
  const startUs = Math.min(...imports.map(({ starting }) => starting.cpuUs));
  const importedUs = imports.map(({ whole }) => whole.cpuUs - startUs);
  const imported = Math.min(...importedUs);
  const importMs = Math.min(...imports.map(({ whole, starting }) => whole.ms - starting.ms));
  const synced = syncs.reduce((a, b) => (b.serving + b.taking < a.serving + a.taking ? b : a));
  const both = synced.serving + synced.taking;
  // Of the same round: what else the machine did in those seconds made both dearer.
  const more = syncs.map(({ serving, taking }, round) => each(serving + taking - (importedUs[round] as number)));
  print([
    'import-blocks',
    rate(workload.transfers, importMs),
    `${each(imported).toFixed(1)} µs CPU each`,
    `all ${rounds}: ${importedUs.map((us) => each(us).toFixed(1)).join(' ')}`,
  ]);
  print([
    'catching up over loopback',
    rate(workload.transfers, synced.ms),
    `${each(both).toFixed(1)} µs CPU each`,
    `all ${rounds}: ${syncs.map(({ serving, taking }) => each(serving + taking).toFixed(1)).join(' ')}`,
  ]);
  print([
    'the same, more than import-blocks',
    `${median(more).toFixed(1)} µs CPU each`,
    `median of each round's: ${more.map((us) => us.toFixed(1)).join(' ')}`,
    `server ${each(synced.serving).toFixed(1)}, client ${each(synced.taking).toFixed(1)}, which also indexes them`,
    'aim 8.0 at most',
  ]);
}

interface Imported {
  readonly starting: Measured;
  readonly whole: Measured;
}

async function importing(dataDir: string, source: LocalNode, workload: Workload): Promise<Imported> {
  await fillDataDir(workload, dataDir, []);
  const run = (...more: string[]): Promise<Measured> =>
    measured([
      ...['import-blocks', join(source.dataDir, 'blockchain', 'block_log'), '--data-dir', dataDir],
      ...['--genesis-json', source.genesisFile, '--verify-threads', THREADS, ...more],
    ]);
  return { starting: await run('--stop-at', '0'), whole: await run() };
}

interface Synced {
  readonly ms: number;
  /** Microseconds. */
  readonly serving: number;
  readonly taking: number;
}

async function syncing(follower: LocalNode, source: LocalNode, workload: Workload): Promise<Synced> {
  await fillDataDir(workload, follower.dataDir, []);
  let [ms, taking] = [0, 0];
  const serving = await lifeOf(source, async () => {
    taking = await lifeOf(follower, async () => {
      const startMs = performance.now();
      await (await follower.client()).network_node.add_node({ endpoint: source.peer });
      const last = workload.blocks.length;
      await eventually(`block ${last}`, async () => ((await follower.status())?.head ?? 0) >= last, SELDOM_MS);
      ms = performance.now() - startMs;
    });
  });
  return { ms, serving, taking };
}

/** Microseconds of processor time of a node's process from when it answers to its end: starts differ by more than is measured. */
async function lifeOf(node: LocalNode, work: () => Promise<void>): Promise<number> {
  await node.start([]);
  let beforeUs = 0;
  try {
    await indexed(node);
    beforeUs = await cpuUntilNow(node);
    await work();
  } finally {
    await node.stop();
  }
  return cpuSaid(node.log) - beforeUs;
}

async function indexed(node: LocalNode): Promise<void> {
  const behind = 'trustnode_follower_blocks_behind\\{follower="transaction_index"\\}';
  await eventually('all blocks are indexed', async () => (await metricOf(node.monitor, behind)) === 0, LOOK_MS);
}

const cpuSeconds = ({ monitor }: LocalNode): Promise<number> => metricOf(monitor, 'process_cpu_seconds_total');
const rate = (items: number, ms: number): string => `${count((1000 * items) / ms)} tx/s`;

// Blocks over three hops.

interface RelaySize {
  readonly hops: number;
  readonly blocks: number;
  readonly transfers: number;
}

async function relaying(print: Print, folder: string, size: RelaySize): Promise<void> {
  const network = new LocalNetwork({
    folder,
    nodes: size.hops + 1,
    witnesses: 3,
    producers: 1,
    isLine: true,
    accounts: ['payer', 'paid'],
    more: ['--verify-threads', '1'],
  });
  try {
    await network.start();
    await network.reach(2);
    const owners = await openForTransfers(network);
    const first = network.node(0);
    const payments = new Payments(first, owners);
    await network.reach(((await first.status())?.head ?? 0) + 1);
    const client = await first.client();
    for (let block = 0; block < size.blocks; block++) {
      const head = (await first.status())?.head ?? 0;
      const transactions = await payments.make(size.transfers);
      for (let i = 0; i < transactions.length; i += 50) {
        const some = transactions.slice(i, i + 50);
        await Promise.all(some.map((trx) => client.network_broadcast.broadcast_transaction({ trx })));
      }
      await eventually('the next block', async () => ((await first.status())?.head ?? 0) > head, LOOK_MS);
    }
    await network.reach(((await first.status())?.head ?? 0) + 1);
    const made = new NodeHistory(first).blocks;
    const there = new Map(new NodeHistory(network.node(size.hops)).blocks.map(({ id, atMs }) => [id, atMs]));
    const full = new Map(
      [...first.log.matchAll(/ block +num=\d+ id=(\w+) witness=\S+ txs=(\d+) /g)].map((m) => [m[1], Number(m[2])]),
    );
    const wanted = made.filter(({ id }) => (full.get(id) ?? 0) >= size.transfers / 2 && there.has(id));
    const times = wanted.map(({ id, atMs }) => (there.get(id) ?? 0) - atMs).sort((a, b) => a - b);
    const at = (share: number): string =>
      `${times[Math.min(times.length - 1, Math.floor(share * times.length))] ?? 0} ms`;
    print([
      `a block of ${size.transfers} transfers over ${size.hops} hops`,
      `p50 ${at(0.5)}`,
      `p99 ${at(0.99)}`,
      `${times.length} blocks`,
    ]);
    await network.stop();
  } finally {
    await network.close();
  }
}

// Transactions.

async function gossiping(
  print: Print,
  folder: string,
  { gossip, peers }: { gossip: number; peers: number },
): Promise<void> {
  const network = new LocalNetwork({
    folder,
    nodes: 1,
    witnesses: 3,
    accounts: ['payer', 'paid'],
    more: ['--verify-threads', THREADS],
    flags: [YOUNG_SPACE, ...COLLECT_FLAGS],
  });
  try {
    await network.start();
    await network.reach(2);
    const payments = new Payments(network.node(0), await openForTransfers(network));
    const one = await relayed(network, payments, gossip, 1);
    print([
      'transactions relayed to one peer',
      rate(gossip, one.ms),
      `${((1e6 * one.cpu) / gossip).toFixed(1)} µs CPU each`,
    ]);
    const many = await relayed(network, payments, gossip, SINKS);
    const bytes = many.bytes / gossip;
    print([
      `bytes on the wire per transaction, ${SINKS} peers take it`,
      `${count(bytes)} bytes`,
      `${count(bytes / (SINKS + 1))} per peer`,
      `${count(many.size)} in the transaction`,
      rate(gossip, many.ms),
    ]);
    await memoryOfPeers(print, network, peers);
    await network.stop();
  } finally {
    await network.close();
  }
}

interface Relayed {
  readonly ms: number;
  /** Seconds of the node. */
  readonly cpu: number;
  /** To and from all peers. */
  readonly bytes: number;
  /** Of one transaction. */
  readonly size: number;
}

/** One peer offers transactions, the others take all that the node offers them. */
async function relayed(network: LocalNetwork, payments: Payments, number: number, sinks: number): Promise<Relayed> {
  const node = network.node(0);
  const options = { endpoint: node.peer, chainId: await (await node.client()).database.get_chain_id() };
  const items = new Map<ItemHash, Uint8Array>();
  for (const trx of await payments.make(number)) {
    const payload = encodeMessage('trx', { trx });
    items.set(messageId(payload), payload);
  }
  let came = 0;
  const takers = await Promise.all(
    Array.from({ length: sinks }, () =>
      SocketPeer.open({
        ...options,
        onInventory: (type, hashes, taker) => {
          if (type === ITEM_TRANSACTION) taker.say('fetch_items', { item_type: type, items_to_fetch: [...hashes] });
        },
        onMessage: (name) => {
          if (name === 'trx') came++;
        },
      }),
    ),
  );
  const giver: SocketPeer = await SocketPeer.open({
    ...options,
    onFetch: (hashes) => {
      for (const hash of hashes) giver.frame(MESSAGES.trx.type, items.get(hash) as Uint8Array);
    },
  });
  const all = [giver, ...takers];
  const bytesOf = (): number => all.reduce((sum, { socket }) => sum + socket.bytesRead + socket.bytesWritten, 0);
  const [bytesBefore, cpuBefore] = [bytesOf(), await cpuSeconds(node)];
  const startMs = performance.now();
  const hashes = [...items.keys()];
  for (let i = 0; i < hashes.length; i += INVENTORY) {
    giver.say('item_ids_inventory', {
      item_type: ITEM_TRANSACTION,
      item_hashes_available: hashes.slice(i, i + INVENTORY),
    });
  }
  await eventually(
    'every peer has every transaction',
    () => {
      const gone = all.find(({ isClosed }) => isClosed);
      if (gone !== undefined) throw new Error(`a peer was put out: ${gone.reason}`);
      return came >= number * sinks;
    },
    LOOK_MS,
  );
  const ms = performance.now() - startMs;
  const [bytes, cpu] = [bytesOf() - bytesBefore, (await cpuSeconds(node)) - cpuBefore];
  for (const peer of all) peer.close();
  await Promise.all(all.map(({ closed }) => closed));
  const size = items.values().next().value?.length ?? 0;
  return { ms, cpu, bytes, size };
}

async function memoryOfPeers(print: Print, network: LocalNetwork, number: number): Promise<void> {
  const node = network.node(0);
  const chainId = await (await node.client()).database.get_chain_id();
  const held = async (): Promise<number> => {
    await collectGarbage(node.process);
    return heldBytes(node.monitor);
  };
  const before = await held();
  const peers: SocketPeer[] = [];
  for (let i = 0; i < number; i++) peers.push(await SocketPeer.open({ endpoint: node.peer, chainId }));
  const each = (await held()) - before;
  for (const peer of peers) peer.close();
  print(['memory of a peer', `${(each / number / 1024).toFixed(1)} KiB`, `${number} peers`]);
}
