import { parentPort, workerData } from 'node:worker_threads';
import { SeededRandom } from '../sim/random.js';
import { Ledger } from './ledger.js';
import { HttpStream, SocketStream } from './streams.js';

/** Streams of requests in a thread of their own, so that whoever follows the chain beside them is not held up. */

export interface StreamWork {
  readonly endpoint: string;
  readonly seed: number;
  readonly sockets: number;
  readonly http: number;
  /** Requests of an HTTP connection that wait for their answers at once. */
  readonly window: number;
}

const TELL_MS = 500;

const { endpoint, seed, sockets, http, window } = workerData as StreamWork;
const port = parentPort;
if (port === null) throw new Error('this runs in a thread');
const ledger = new Ledger();
const random = new SeededRandom(seed);
let isOver = false;

const streams = [
  ...Array.from({ length: sockets }, () => new SocketStream(endpoint, ledger, random.fork())),
  ...Array.from({ length: http }, () => new HttpStream(endpoint, ledger, random.fork(), window)),
];

const timer = setInterval(() => port.postMessage(ledger.give()), TELL_MS);
port.once('message', () => {
  isOver = true;
});
await Promise.all(
  streams.map(async (stream) => {
    while (!isOver) {
      await stream.send();
      // Everybody else in this thread has a turn.
      await new Promise(setImmediate);
    }
    stream.close();
  }),
);
clearInterval(timer);
port.postMessage(ledger.give());
port.close();
