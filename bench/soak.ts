import { runLoad } from './rpc-load/load.js';
import { type NodeProcess, startNodeProcess } from './rpc-load/node-process.js';
import { call, checkAnswer, transfers } from './rpc-load/requests.js';
import type { Print, Size } from './run.js';

/**
 * A node under a load that it can bear for ever: 10 WebSockets with 8 reads under way each, and 500 signed transfers a
 * second that expire after a minute. Its memory must not grow once the first minutes are over.
 */

const SIZES = { small: { steps: 2, stepSec: 0.3, perSecond: 50 }, full: { steps: 10, stepSec: 60, perSecond: 500 } };
/** As many as one request may hold. */
const BATCH = 100;
const EXPIRATION_SEC = 60;
const SECOND_MS = 1000;

export async function run(print: Print, size: Size): Promise<void> {
  const { steps, stepSec, perSecond } = SIZES[size];
  const node = await startNodeProcess();
  try {
    for (let step = 1; step <= steps; step++) {
      const sender = new Sender(node, perSecond);
      const reads = await runLoad({
        port: node.port,
        transport: 'ws',
        connections: 10,
        inFlight: 8,
        seconds: stepSec,
        request: (n) => JSON.stringify({ id: n, method: 'get_full_accounts', params: [['alice', 'bob'], false] }),
        check: checkAnswer,
      });
      const sent = await sender.stop();
      const megabytes = Math.round(node.memory() / 2 ** 20);
      const minute = `after ${(step * stepSec) / 60 >= 1 ? `${(step * stepSec) / 60} min` : `${step * stepSec} s`}`;
      print([
        minute,
        `${megabytes} MiB`,
        `${Math.round(reads.perSecond)} reads/s`,
        `p99 ${reads.p99Ms.toFixed(1)} ms`,
        `${sent} transfers`,
      ]);
    }
  } finally {
    await node.stop();
  }
}

/** Sends a second's transfers once a second, until it is stopped. */
class Sender {
  readonly #node: NodeProcess;
  readonly #perSecond: number;
  readonly #done: Promise<void>;
  #isStopped = false;
  #sent = 0;

  constructor(node: NodeProcess, perSecond: number) {
    this.#node = node;
    this.#perSecond = perSecond;
    this.#done = this.#run();
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      const next = Date.now() + SECOND_MS;
      const texts = await transfers(this.#node, this.#perSecond, EXPIRATION_SEC);
      for (let at = 0; at < texts.length; at += BATCH) {
        const requests = texts
          .slice(at, at + BATCH)
          .map((text, id) => `{"id":${id},"method":"call","params":[2,"broadcast_transaction",[${text}]]}`);
        checkAnswer(await call(this.#node, `[${requests.join()}]`));
      }
      this.#sent += texts.length;
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, next - Date.now())));
    }
  }

  async stop(): Promise<number> {
    this.#isStopped = true;
    await this.#done;
    return this.#sent;
  }
}
