import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads';
import { decode, encode } from '../src/codec/binary.js';
import { parseJson } from '../src/codec/json.js';
import '../src/operations/index.js';
import { signedTransaction } from '../src/protocol/transaction.js';
import { NETWORK } from '../test/support/network.js';
import { recoveryUs } from './fixtures/yardstick.js';
import { broadcastAll } from './rpc-load/broadcast.js';
import { startNodeProcess } from './rpc-load/node-process.js';
import { transfers } from './rpc-load/requests.js';
import { FASTEST_SERVER } from './rpc-load/servers.js';
import type { Print, Size } from './run.js';

/**
 * What more cores would give a node that takes broadcast transfers: a model, since the machine at hand has few, with parts
 * measured in this run. One core is the main thread's at most, so no more comes through than it takes; and all threads
 * together have no more than all cores. The other column moves reading of requests to threads, which hand over
 * the packed transactions of one batch of signatures in one message.
 */

const SIZES = { small: { sent: 200, rounds: 1 }, full: { sent: 60_000, rounds: 50 } };
const CORES = [2, 4, 8, 16];
/** Transactions that one message hands over. */
const BATCH = 32;
const SAMPLE = 1000;

interface Parts {
  readonly mainUs: number;
  readonly allUs: number;
}

export async function run(print: Print, sizeName: Size): Promise<void> {
  const { sent, rounds } = SIZES[sizeName];
  const node = await startNodeProcess(FASTEST_SERVER);
  let now: Parts;
  let texts: string[];
  try {
    texts = await transfers(node, sent);
    const { mainUs, cpuUs } = await broadcastAll(node, texts);
    now = { mainUs, allUs: cpuUs };
  } finally {
    await node.stop();
  }
  const sample = texts.slice(0, SAMPLE);
  const packed = sample.map((text) => encode(signedTransaction, signedTransaction.fromJson(parseJson(text), NETWORK)));
  const per = rounds * sample.length;
  const readUs = cpuUsOf(rounds, () => {
    for (const text of sample) signedTransaction.fromJson(parseJson(text), NETWORK);
  });
  const decodeUs = cpuUsOf(rounds, () => {
    for (const bytes of packed) decode(signedTransaction, bytes);
  });
  const [read, decoded, handed] = [readUs / per, decodeUs / per, handOverUs(packed, rounds)];
  const us = (value: number): string => `${value.toFixed(1)} µs`;
  print(['a broadcast transfer', `${us(now.allUs)} CPU`, `${us(now.mainUs)} of them in the main thread`]);
  print(['recovery of its key', us(recoveryUs())]);
  print(['reading its JSON', us(read), `the same from bytes ${us(decoded)}, handed over by a thread ${us(handed)}`]);
  const moved: Parts = {
    mainUs: now.mainUs - read + decoded + handed,
    allUs: now.allUs + decoded + 2 * handed,
  };
  for (const cores of CORES) {
    print([`model of ${cores} cores`, rateOf(now, cores), `with reading in threads ${rateOf(moved, cores)}`]);
  }
}

function rateOf({ mainUs, allUs }: Parts, cores: number): string {
  const [ofMain, ofAll] = [1e6 / mainUs, (1e6 * cores) / allUs];
  const limit = ofMain < ofAll ? 'the main thread' : 'all cores';
  return `${Math.round(Math.min(ofMain, ofAll))}/s, limited by ${limit}`;
}

function cpuUsOf(rounds: number, work: () => void): number {
  const before = process.cpuUsage();
  for (let i = 0; i < rounds; i++) work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** What the receiver of packed transactions spends on the message that brings them, each. */
function handOverUs(packed: readonly Uint8Array[], rounds: number): number {
  const { port1, port2 } = new MessageChannel();
  try {
    const batch = Buffer.concat(packed.slice(0, BATCH));
    const messages = Math.ceil(packed.length / BATCH);
    let spent = 0;
    for (let round = 0; round < rounds; round++) {
      for (let i = 0; i < messages; i++) port1.postMessage(new Uint8Array(batch));
      spent += cpuUsOf(messages, () => receiveMessageOnPort(port2));
    }
    return spent / (rounds * messages * Math.min(BATCH, packed.length));
  } finally {
    port1.close();
  }
}
