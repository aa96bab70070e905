import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { WebSocket } from 'ws';
import type { SeededRandom } from '../sim/random.js';
import { document } from './documents.js';
import type { Ledger } from './ledger.js';

/**
 * Requests by the thousand: many on one connection, the next ones without a wait for the answers to the last. The other
 * attackers open a connection for each input, and most of their time goes by with waiting.
 */

/** On one connection at once; fewer than may wait there. */
const BURST = 100;
const ANSWERS_MS_MAX = 120_000;
const OPEN_MS_MAX = 60_000;
/** No other request has such an id. Larger ones come back as texts. */
const FIRST_MARKER = 2_000_000_000;
const BUG_ANSWER = '"name":"unhandled_exception"';

interface Sent {
  readonly kind: string;
  readonly body: Buffer;
}

function burst(random: SeededRandom): Sent[] {
  return Array.from({ length: BURST }, () => document(random, 'light'));
}

/** Ends with the work, or after so long. False: it took too long. */
function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), ms);
    const done = (): void => {
      clearTimeout(timer);
      resolve(true);
    };
    work.then(done, done);
  });
}

/** A WebSocket that stays. A request of its own behind the others tells when they have had their turn. */
export class SocketStream {
  readonly #url: string;
  readonly #ledger: Ledger;
  readonly #random: SeededRandom;
  #socket: WebSocket | undefined;
  #marker = 0;

  constructor(endpoint: string, ledger: Ledger, random: SeededRandom) {
    this.#url = `ws://${endpoint}/`;
    this.#ledger = ledger;
    this.#random = random;
  }

  async #open(): Promise<WebSocket | undefined> {
    if (this.#socket?.readyState === WebSocket.OPEN) return this.#socket;
    this.#socket?.terminate();
    const socket = new WebSocket(this.#url, { perMessageDeflate: false });
    socket.on('error', () => undefined);
    this.#socket = socket;
    await within(OPEN_MS_MAX, Promise.race([once(socket, 'open'), once(socket, 'close')]));
    return socket.readyState === WebSocket.OPEN ? socket : undefined;
  }

  async send(): Promise<void> {
    const sent = burst(this.#random);
    const socket = await this.#open();
    if (socket === undefined) return this.#ledger.add('stream ws', 'closed', sent.length);
    const marker = FIRST_MARKER + this.#marker++;
    let answers = 0;
    const all = new Promise<void>((resolve) => {
      socket.on('message', (data: Buffer) => {
        const text = data.toString('utf8');
        if (text.startsWith(`{"id":${marker},`)) return resolve();
        if (text.includes(BUG_ANSWER)) {
          this.#ledger.blame('stream ws', sent.map(({ body }) => body.toString('latin1')).join('\n'), text);
        }
        // Notices come, too: some of the requests subscribe.
        if (text.startsWith('{"id":') || text.startsWith('[')) answers++;
      });
      socket.once('close', () => resolve());
    });
    // What is no UTF-8 would end the connection; frames.ts has that.
    for (const { body } of sent) socket.send(body.toString('utf8'));
    socket.send(`{"id":${marker},"method":"get_chain_id","params":[]}`);
    const isDone = await within(ANSWERS_MS_MAX, all);
    socket.removeAllListeners('message');
    socket.removeAllListeners('close');
    const answered = Math.min(answers, sent.length);
    this.#ledger.add('stream ws', 'answered', answered);
    const isClosed = socket.readyState !== WebSocket.OPEN;
    this.#ledger.add('stream ws', isClosed ? 'closed' : 'silent', sent.length - answered);
    if (isDone && !isClosed) return;
    if (!isDone) this.#ledger.blame('stream ws', '', `no answers in ${ANSWERS_MS_MAX / 1000} s`);
    socket.terminate();
  }

  close(): void {
    this.#socket?.terminate();
  }
}

const HEAD_END = Buffer.from('\r\n\r\n');

/**
 * Keep-alive. `window` requests are sent before the first is answered, and a further one with each answer; answers come
 * in the order of requests. The native server ends a connection that does not wait.
 */
export class HttpStream {
  readonly #port: number;
  readonly #ledger: Ledger;
  readonly #random: SeededRandom;
  readonly #window: number;
  #socket: Socket | undefined;

  constructor(endpoint: string, ledger: Ledger, random: SeededRandom, window: number) {
    this.#window = window;
    this.#port = Number(endpoint.split(':')[1]);
    this.#ledger = ledger;
    this.#random = random;
  }

  async #open(): Promise<Socket | undefined> {
    if (this.#socket?.readyState === 'open') return this.#socket;
    this.#socket?.destroy();
    const socket = connect(this.#port, '127.0.0.1');
    socket.on('error', () => undefined);
    this.#socket = socket;
    await within(OPEN_MS_MAX, Promise.race([once(socket, 'connect'), once(socket, 'close')]));
    return socket.readyState === 'open' ? socket : undefined;
  }

  async send(): Promise<void> {
    const sent = burst(this.#random);
    const socket = await this.#open();
    if (socket === undefined) return this.#ledger.add('stream http', 'closed', sent.length);
    let answered = 0;
    let written = 0;
    const write = (): void => {
      const next = sent.slice(written, answered + this.#window);
      if (next.length === 0) return;
      written += next.length;
      socket.write(Buffer.concat(next.flatMap(({ body }) => [headOf(body), body])));
    };
    let rest: Buffer = Buffer.alloc(0);
    const all = new Promise<void>((resolve) => {
      socket.on('data', (piece: Buffer) => {
        rest = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
        for (;;) {
          const answer = firstAnswer(rest);
          if (answer === undefined) return write();
          rest = rest.subarray(answer.bytes);
          this.#judge(sent[answered++] as Sent, answer);
          if (answered === sent.length) return resolve();
        }
      });
      socket.once('close', () => resolve());
    });
    write();
    const isDone = await within(ANSWERS_MS_MAX, all);
    socket.removeAllListeners('data');
    socket.removeAllListeners('close');
    if (answered === sent.length) return;
    this.#ledger.add('stream http', isDone ? 'closed' : 'silent', sent.length - answered);
    if (!isDone) this.#ledger.blame('stream http', (sent[answered] as Sent).body, 'no answer in so long');
    socket.destroy();
  }

  #judge({ body }: Sent, { status, text }: HttpAnswer): void {
    if (status >= 500) this.#ledger.blame('stream http', body, `status ${status}: ${text}`);
    else if (text === '') this.#ledger.add('stream http', 'silent');
    else if (status >= 400) this.#ledger.add('stream http', 'refused');
    else this.#ledger.judge('stream http', body, text);
  }

  close(): void {
    this.#socket?.destroy();
  }
}

function headOf(body: Buffer): Buffer {
  return Buffer.from(`POST /rpc HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n`);
}

interface HttpAnswer {
  readonly status: number;
  readonly text: string;
  /** Of all that belongs to it. */
  readonly bytes: number;
}

/** Undefined: it is not whole yet. */
function firstAnswer(bytes: Buffer): HttpAnswer | undefined {
  const end = bytes.indexOf(HEAD_END);
  if (end < 0) return undefined;
  const head = bytes.toString('latin1', 0, end);
  const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
  const from = end + HEAD_END.length;
  if (bytes.length < from + length) return undefined;
  return { status: Number(head.slice(9, 12)), text: bytes.toString('utf8', from, from + length), bytes: from + length };
}
