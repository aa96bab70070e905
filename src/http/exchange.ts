import { ChainError } from '../base/errors.js';
import { HTTP_ERRORS } from './errors.js';
import type { BodyStream, Header, HttpAnswer, HttpRequest, Intake } from './handler.js';
import { CHUNK_BYTES, type Held } from './memory-budget.js';
import type { TransportOptions } from './transport.js';
import { gone, Upload, type Valve } from './upload.js';

export interface AnswerHead {
  readonly status: number;
  readonly headers: readonly Header[];
}

/** How a server carries one request and its answer. None of this is asked for once the client has gone. */
export interface Carrier extends Valve {
  /** An answer that is there as a whole. `isLast`: the connection ends with it. What the client does not take is counted. */
  send(head: AnswerHead, body: string | Uint8Array, isLast: boolean): void;
  /** The answer to HEAD, or one that has no body; `bytes` is what GET would bring. */
  sendHead(head: AnswerHead, bytes: number | undefined, isLast: boolean): void;
  /** Begins an answer that comes in pieces. */
  begin(head: AnswerHead, bytes: number | undefined): void;
  /** Undefined where the client takes it at once; else what is waited for, the client's end included. */
  put(piece: Uint8Array): Promise<void> | undefined;
  /** All pieces are there. */
  finish(): void;
  /** Ends the connection at once. */
  drop(): void;
}

/** Texts up to this length are decoded by the server. */
export const TEXT_BYTES_MAX = 65_536;

/** Pieces of an answer that the client is given at once: what it does not take lies in memory. */
const PIECE_BYTES = 65_536;

const NO_BODY = new Set([204, 304]);
/** An end of line would begin another header; and the server of Node throws where a letter has more than a byte. */
const isHeaderText = ([, value]: Header): boolean => /^[\t\x20-\x7e\x80-\xff]*$/.test(value);

const decoder = new TextDecoder();

function isStream(body: HttpAnswer['body']): body is BodyStream {
  return typeof body !== 'string' && !(body instanceof Uint8Array);
}

/**
 * One request and its answer, whatever server carries them: the limits of the body, its bytes in memory, the handler and
 * what it says, the client that goes away in the middle of all that.
 */
export class Exchange {
  readonly #options: TransportOptions;
  readonly #request: HttpRequest;
  readonly #carrier: Carrier;
  #intake: Intake | undefined;
  readonly #chunks: Uint8Array[] = [];
  #bytes = 0;
  #held: Held | undefined;
  #upload: Upload | undefined;
  #onGone: (() => void) | undefined;
  #isBodyOver = false;
  /** An answer is on its way or nobody waits for one. */
  #isOver = false;
  #isGone = false;

  constructor(options: TransportOptions, request: HttpRequest, carrier: Carrier) {
    this.#options = options;
    this.#request = request;
    this.#carrier = carrier;
  }

  /** True: the body is wanted. */
  begin(): boolean {
    let intake: Intake;
    try {
      intake = this.#options.http.receive(this.#request);
    } catch (error) {
      this.#isBodyOver = true;
      this.#send(this.#bug(error));
      return false;
    }
    this.#intake = intake;
    if (intake.body === 'none') {
      this.#isBodyOver = true;
      this.#answer(() => intake.answer(this));
      return false;
    }
    if (Number(this.#request.header('content-length')) > intake.bytesMax) {
      this.#refuseSize(intake.bytesMax);
      return false;
    }
    if (intake.body === 'stream') {
      this.#upload = new Upload(this.#carrier, this.#hold());
      const upload = this.#upload;
      this.#answer(() => intake.answer(upload, this));
    }
    return true;
  }

  onGone(run: () => void): void {
    this.#onGone = run;
  }

  /** Whether more of the body is waited for, and it is the client that is waited for. */
  get isClientsTurn(): boolean {
    return !this.#isBodyOver && !this.#isOver && this.#upload?.isPaused !== true;
  }

  /** Bytes of the body that have come. */
  get bytes(): number {
    return this.#bytes;
  }

  /** A piece of the body. `isOwned`: it stays as it is when this returns. */
  got(piece: Uint8Array, isLast: boolean, isOwned: boolean): void {
    const intake = this.#intake;
    if (this.#isBodyOver || intake === undefined || intake.body === 'none') return;
    this.#isBodyOver = isLast;
    if (this.#isOver && this.#upload === undefined) return;
    this.#bytes += piece.length;
    if (this.#bytes > intake.bytesMax) this.#refuseSize(intake.bytesMax);
    else if (this.#upload !== undefined) this.#upload.got(isOwned ? piece : piece.slice(), isLast);
    else if (isLast && this.#chunks.length === 0) this.#whole(piece, isOwned);
    else {
      const isKept = this.#hold().set(this.#bytes + CHUNK_BYTES * this.#chunks.length);
      if (isKept) this.#chunks.push(isOwned ? piece : piece.slice());
      if (!isKept || !isLast) return;
      const whole = this.#chunks.length === 1 ? (this.#chunks[0] as Uint8Array) : Buffer.concat(this.#chunks);
      this.#letGo();
      this.#whole(whole, true);
    }
  }

  #whole(body: Uint8Array, isOwned: boolean): void {
    const intake = this.#intake;
    if (intake?.body === 'document') {
      // Small ones as text; a large one as its bytes, which are read in pieces.
      const given = body.length <= TEXT_BYTES_MAX ? decoder.decode(body) : isOwned ? body : body.slice();
      this.#answer(() => intake.answer(given, this));
    } else if (intake?.body === 'bytes') this.#answer(() => intake.answer(isOwned ? body : body.slice(), this));
  }

  /** The connection has ended before its answer was there as a whole. */
  gone(): void {
    this.#isGone = true;
    this.#isOver = true;
    this.#letGo();
    if (!this.#isBodyOver) this.#upload?.fail(gone());
    this.#isBodyOver = true;
    this.#onGone?.();
  }

  /** The body comes too slowly. */
  tooSlow(): void {
    this.#refuse(408, new ChainError(HTTP_ERRORS.http_slow));
  }

  /** Refused for what stands in its head, before any handler has seen it. */
  refuseHead(status: number, error: ChainError): void {
    this.#refuse(status, error);
  }

  #hold(): Held {
    this.#held ??= this.#options.memory.open(() => this.#refuse(503, new ChainError(HTTP_ERRORS.http_uploads)));
    return this.#held;
  }

  #letGo(): void {
    this.#chunks.length = 0;
    this.#held?.set(0);
  }

  #refuseSize(limit: number): void {
    this.#options.metrics?.refused('size');
    this.#refuse(413, new ChainError(HTTP_ERRORS.http_request_size, { limit }));
  }

  #refuse(status: number, error: ChainError): void {
    this.#letGo();
    this.#upload?.fail(error);
    if (this.#isOver) {
      // The answer is on its way already, and what comes meanwhile cannot be taken.
      if (!this.#isGone && !this.#isBodyOver) this.#carrier.drop();
      return;
    }
    this.#send(this.#options.http.refusal(this.#request, status, error));
  }

  #bug(error: unknown): HttpAnswer {
    const { method, path } = this.#request;
    this.#options.log.error('a request met a bug', { method, path, error });
    return this.#options.http.refusal(this.#request, 500, new ChainError(HTTP_ERRORS.http_bug));
  }

  #answer(run: () => HttpAnswer | Promise<HttpAnswer>): void {
    let given: HttpAnswer | Promise<HttpAnswer>;
    try {
      given = run();
    } catch (error) {
      given = this.#bug(error);
    }
    if (given instanceof Promise) {
      given.then(
        (answer) => this.#send(answer),
        (error: unknown) => {
          // Who has read of a body that it broke off has nobody to answer.
          if (!this.#isOver || !(error instanceof ChainError)) this.#send(this.#bug(error));
        },
      );
    } else this.#send(given);
  }

  #send(answer: HttpAnswer): void {
    if (this.#isOver) return;
    if (!answer.headers.every(isHeaderText)) {
      const { headers, ...bug } = this.#bug(new Error('a header has what no header can hold'));
      this.#send({ ...bug, headers: headers.filter(isHeaderText) });
      return;
    }
    this.#isOver = true;
    this.#onGone = undefined;
    // Nobody takes the rest of the body: it ends with the connection.
    const isLast = !this.#isBodyOver;
    if (this.#upload?.isPaused === true) this.#carrier.resume();
    const { body } = answer;
    const hasStream = isStream(body);
    if (this.#request.method === 'HEAD' || NO_BODY.has(answer.status)) {
      const bytes = hasStream ? body.bytes : Buffer.byteLength(body);
      this.#carrier.sendHead(answer, NO_BODY.has(answer.status) ? undefined : bytes, isLast);
    } else if (hasStream) void this.#pump(answer, body);
    else this.#carrier.send(answer, body, isLast);
  }

  async #pump(head: AnswerHead, stream: BodyStream): Promise<void> {
    const held = this.#options.memory.open(() => this.#carrier.drop());
    const pieces = stream.read()[Symbol.asyncIterator]();
    let left = stream.bytes ?? Number.POSITIVE_INFINITY;
    try {
      this.#carrier.begin(head, stream.bytes);
      while (!this.#isGone) {
        const next = await pieces.next();
        if (next.done === true) break;
        left -= next.value.length;
        if (left < 0) break;
        for (let from = 0; from < next.value.length && !this.#isGone; from += PIECE_BYTES) {
          const piece = next.value.subarray(from, from + PIECE_BYTES);
          const wait = this.#carrier.put(piece);
          if (wait === undefined) continue;
          held.set(next.value.length - from);
          await wait;
          held.set(0);
        }
      }
      if (this.#isGone) return;
      if (left !== 0 && stream.bytes !== undefined) throw new Error('an answer has not the length that it has told');
      this.#carrier.finish();
    } catch (error) {
      // The head has been sent: all that is left to say is that the answer is not whole.
      const { method, path } = this.#request;
      this.#options.log.error('an answer broke off', { method, path, error });
      if (!this.#isGone) this.#carrier.drop();
    } finally {
      held.set(0);
      await pieces.return?.()?.catch(() => undefined);
    }
  }
}
