import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decode } from '../src/codec/binary.js';
import { signedBlock } from '../src/protocol/block.js';
import type { LocalNode } from '../test/network/local-node.js';
import { NETWORK } from '../test/support/network.js';
import { worldGenesisBytes } from '../test/support/world-genesis.js';
import { mainThreadMsOf } from './fixtures/process-stat.js';
import type { Ratio } from './fixtures/ratios.js';
import { cpuUntilNow, fillDataDir, newNode } from './fixtures/real-process.js';
import { count } from './fixtures/stopwatch.js';
import { GENESIS_OPTIONS, REFERENCE_BLOCKS, transferWorkload } from './fixtures/transfers.js';
import { recoveryUs } from './fixtures/yardstick.js';
import { runLoad } from './rpc-load/load.js';
import { checkAnswer } from './rpc-load/requests.js';
import { SERVERS } from './rpc-load/servers.js';
import type { Print, Size } from './run.js';

/**
 * Blocks of 500 transfers as JSON, into a node that is a process of its own and out of it again: `broadcast_block` one
 * after the other with all checks, as a tool that feeds a node sends them, then `get_block` of random ones over 10
 * WebSockets with 8 under way each.
 *
 * The reference takes 10,160 transfers/s where one recovery of a key is 29.2 µs, and gives out 116 blocks/s. Possible:
 * two cores recover the keys of a block in 7.3 ms, and nothing of the next block can be done before; reading 230 kB of
 * JSON takes 2 ms and applying it 4 more, so some 35,000/s. Aim: twice the reference.
 */

const SIZES = {
  small: { accounts: 200, blocks: 3, transfers: 10, seconds: 0.1 },
  full: { accounts: 10_000, ...REFERENCE_BLOCKS, seconds: 5 },
};
const MAX_SEC = 600;

/** The native server's largest message follows from how many connections it takes: a block has some 220 kB. */
const MORE_OPTIONS: Readonly<Record<string, readonly string[]>> = { uws: ['--rpc-connections-max', '100'] };

export async function run(print: Print, sizeName: Size, ratio: Ratio): Promise<void> {
  const { seconds, ...size } = SIZES[sizeName];
  const folder = mkdtempSync(join(tmpdir(), 'trustnode-bench-'));
  try {
    const workload = transferWorkload(size);
    const texts = workload.blocks.map((bytes) =>
      JSON.stringify(signedBlock.toJson(decode(signedBlock, bytes), NETWORK)),
    );
    const genesisFile = join(folder, 'genesis.json');
    writeFileSync(genesisFile, worldGenesisBytes(GENESIS_OPTIONS));
    for (const [i, server] of SERVERS.entries()) {
      const dataDir = join(folder, `node-${i}`);
      await fillDataDir(workload, dataDir, []);
      const node = newNode(folder, genesisFile, i, dataDir);
      await node.start([], ['--rpc-transport', server, ...(MORE_OPTIONS[server] ?? [])]);
      try {
        const printRow: Print = ([what = '', ...figures]) => print([`${server}: ${what}`, ...figures]);
        const cpuUs = await broadcast(printRow, node, texts, workload.transfers);
        ratio(`${server}: recovery of its key to all that a transfer in a block costs`, recoveryUs() / cpuUs);
        await read(printRow, node, texts.length, seconds);
      } finally {
        await node.stop();
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const portOf = (node: LocalNode): number => Number(node.rpc.split(':').at(-1));

/** CPU microseconds of a transfer. */
async function broadcast(print: Print, node: LocalNode, texts: readonly string[], transfers: number): Promise<number> {
  const [cpuUs, main] = [await cpuUntilNow(node), mainThreadMsOf(node.pid)];
  const load = await runLoad({
    port: portOf(node),
    transport: 'ws',
    connections: 1,
    inFlight: 1,
    seconds: MAX_SEC,
    request: (n) =>
      texts[n] === undefined
        ? undefined
        : `{"id":${n},"method":"call","params":["network_broadcast","broadcast_block",[${texts[n]}]]}`,
    check: checkAnswer,
  });
  const [usedUs, usedMain] = [(await cpuUntilNow(node)) - cpuUs, mainThreadMsOf(node.pid) - main];
  if (load.answers !== texts.length) throw new Error(`only ${load.answers} of ${texts.length} blocks were taken`);
  print([
    `broadcast_block of ${count(transfers / (texts.length - 1))} transfers, one after the other`,
    `${count((transfers * load.perSecond) / texts.length)} transfers/s`,
    `p50 ${load.p50Ms.toFixed(1)} ms, longest ${load.longestMs.toFixed(0)}`,
    `${(usedUs / transfers).toFixed(1)} µs CPU each, ${((usedMain * 1000) / transfers).toFixed(1)} of them in the main thread`,
  ]);
  return usedUs / transfers;
}

async function read(print: Print, node: LocalNode, blocks: number, seconds: number): Promise<void> {
  const load = await runLoad({
    port: portOf(node),
    transport: 'ws',
    connections: 10,
    inFlight: 8,
    seconds,
    request: (n) => `{"id":${n},"method":"get_block","params":[${2 + ((n * 7919) % (blocks - 1))}]}`,
    check: checkAnswer,
  });
  print(['get_block, 10 ws x 8', `${count(load.perSecond)} blocks/s`, `p50 ${load.p50Ms.toFixed(1)} ms`]);
}
