import { setTimeout as sleep } from 'node:timers/promises';
import type { Json } from '../../src/codec/json.js';
import type { SeededRandom } from '../sim/random.js';
import { Wire } from '../support/wire.js';
import type { Blocks } from './blocks.js';
import { document, jsonText } from './documents.js';
import { goodFrame, hostileFrames, upgrade } from './frames.js';
import { rawHttp } from './heads.js';
import type { Ledger } from './ledger.js';
import type { Transactions } from './transactions.js';

const ANSWER_MS_MAX = 5000;
const PIECE_PAUSE_MS = 15;
const HEAD_WAIT_MS = 300;
const FRAMES_WAIT_MS = 60;
const LOOK_MS = 5;
const BUG_ANSWER = /"name":"unhandled_exception"|^HTTP\/1\.1 500/m;

/** Where the inputs go, and what becomes of them. Each function sends one input and waits for what comes back. */
export class Attackers {
  readonly #endpoint: string;
  readonly #ledger: Ledger;

  constructor(endpoint: string, ledger: Ledger) {
    this.#endpoint = endpoint;
    this.#ledger = ledger;
  }

  async #post(kind: string, body: string | Buffer): Promise<void> {
    try {
      const signal = AbortSignal.timeout(ANSWER_MS_MAX);
      const response = await fetch(`http://${this.#endpoint}/rpc`, { method: 'POST', body: body as string, signal });
      const text = await response.text();
      // Nothing is answered to what has no id.
      if (text === '') this.#ledger.add(kind, 'silent');
      else this.#ledger.judge(kind, body, text);
    } catch (error) {
      this.#ledger.add(kind, (error as Error).name === 'TimeoutError' ? 'silent' : 'closed');
    }
  }

  async document(random: SeededRandom): Promise<void> {
    const { kind, body } = document(random);
    await this.#post(kind, body);
  }

  async #call(kind: string, method: string, argument: Json): Promise<void> {
    await this.#post(kind, jsonText({ id: 1, method: 'call', params: ['network_broadcast', method, [argument]] }));
  }

  async transaction(transactions: Transactions): Promise<void> {
    const made = transactions.next();
    if (made !== undefined) await this.#call(made.kind, 'broadcast_transaction', made.json);
  }

  async block(blocks: Blocks): Promise<void> {
    const made = blocks.next();
    if (made !== undefined) await this.#call(made.kind, 'broadcast_block', made.json);
  }

  async #wire(): Promise<Wire | undefined> {
    try {
      return await new Wire(Number(this.#endpoint.split(':')[1])).opened();
    } catch {
      return undefined;
    }
  }

  /** Until something is there, the connection is closed, or it has taken too long. */
  async #seen(wire: Wire, ms: number, isThere: () => boolean): Promise<void> {
    const endMs = performance.now() + ms;
    while (!wire.isClosed && !isThere() && performance.now() < endMs) await sleep(LOOK_MS);
  }

  #settle(kind: string, input: Buffer, wire: Wire, isAnswered: boolean): void {
    if (BUG_ANSWER.test(wire.text)) this.#ledger.blame(kind, input, wire.text);
    const isRefused = /^HTTP\/1\.1 4\d\d/.test(wire.text);
    this.#ledger.add(kind, isRefused ? 'refused' : isAnswered ? 'answered' : wire.isClosed ? 'closed' : 'silent');
    wire.socket.destroy();
  }

  async rawHttp(random: SeededRandom): Promise<void> {
    const { kind, pieces } = rawHttp(document(random).body, random);
    const wire = await this.#wire();
    if (wire === undefined) return this.#ledger.add(kind, 'closed');
    for (const [i, piece] of pieces.entries()) {
      if (i > 0) await sleep(PIECE_PAUSE_MS);
      if (!wire.isClosed) wire.socket.write(piece);
    }
    await this.#seen(wire, HEAD_WAIT_MS, () => wire.hasHead);
    this.#settle(kind, Buffer.concat(pieces), wire, wire.hasHead);
  }

  async webSocket(random: SeededRandom): Promise<void> {
    const first = document(random).body;
    const { kind, frames } = hostileFrames(document(random).body, random);
    const wire = await this.#wire();
    if (wire === undefined) return this.#ledger.add(kind, 'closed');
    wire.socket.write(upgrade(random));
    await this.#seen(wire, HEAD_WAIT_MS, () => wire.hasHead);
    if (!wire.text.startsWith('HTTP/1.1 101')) return this.#settle('ws upgrade', first, wire, false);
    const headChars = wire.text.length;
    if (random.chance(0.5)) wire.socket.write(goodFrame(first, random));
    for (const bytes of frames) {
      if (!wire.isClosed) wire.socket.write(bytes);
      if (random.chance(0.3)) await sleep(1);
    }
    await this.#seen(wire, FRAMES_WAIT_MS, () => false);
    this.#settle(kind, Buffer.concat(frames), wire, wire.text.length > headChars);
  }
}
