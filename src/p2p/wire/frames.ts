import { type AesStream, aesDecryptStream, aesEncryptStream } from '../../crypto/aes.js';
import { MESSAGE_BYTES_MAX } from '../../protocol/block.js';
import type { SessionKeys } from './key-exchange.js';
import { PieceQueue } from './piece-queue.js';

/** Messages as they travel: size and type, the payload, zeros up to the next whole cipher block. */

const BLOCK_BYTES = 16;
const HEADER_BYTES = 8;

/** Of a payload. Part of the protocol: what is larger cannot travel. */
export const PAYLOAD_BYTES_MAX = MESSAGE_BYTES_MAX;

export interface Frame {
  readonly type: number;
  readonly payload: Uint8Array;
}

const frameBytes = (payloadBytes: number): number =>
  BLOCK_BYTES * Math.ceil((HEADER_BYTES + payloadBytes) / BLOCK_BYTES);

/** Readers ignore the padding; zeros tell nobody what this process had in its memory. */
export function plainFrame({ type, payload }: Frame): Uint8Array {
  const out = new Uint8Array(frameBytes(payload.length));
  const header = new DataView(out.buffer);
  header.setUint32(0, payload.length, true);
  header.setUint32(4, type, true);
  out.set(payload, HEADER_BYTES);
  return out;
}

export class FrameWriter {
  readonly #encrypt: AesStream;

  constructor({ key, iv }: SessionKeys) {
    this.#encrypt = aesEncryptStream(key, iv);
  }

  write(frame: Frame): Uint8Array {
    return this.#encrypt(plainFrame(frame));
  }
}

/** What a reader makes of bytes that came: the next message, `more` when it is not all there, `too_large` for good. */
export type Reading = Frame | 'more' | 'too_large';

/**
 * Takes cipher text in pieces of any size and gives messages one by one. It holds what has arrived of one message and
 * hardly more, whatever is announced.
 */
export class FrameReader {
  readonly #decrypt: AesStream;
  /** Cipher text that is not deciphered yet. */
  readonly #waiting = new PieceQueue();
  /** What is deciphered: all that is there in one go, for many a message costs less than the call. */
  readonly #plain = new PieceQueue();
  #header: { readonly size: number; readonly type: number } | undefined;

  constructor({ key, iv }: SessionKeys) {
    this.#decrypt = aesDecryptStream(key, iv);
  }

  /** Bytes that wait here for the rest of their message. */
  get waitingBytes(): number {
    return this.#waiting.bytes + this.#plain.bytes;
  }

  push(bytes: Uint8Array): void {
    this.#waiting.push(bytes);
  }

  next(): Reading {
    if (this.#header === undefined) {
      if (!this.#has(HEADER_BYTES)) return 'more';
      const first = this.#plain.take(HEADER_BYTES);
      const view = new DataView(first.buffer, first.byteOffset, first.length);
      this.#header = { size: view.getUint32(0, true), type: view.getUint32(4, true) };
    }
    const { size, type } = this.#header;
    if (size > PAYLOAD_BYTES_MAX) return 'too_large';
    const rest = frameBytes(size) - HEADER_BYTES;
    if (!this.#has(rest)) return 'more';
    this.#header = undefined;
    // A copy: what was deciphered together would stay as long as any message of it.
    return { type, payload: new Uint8Array(this.#plain.take(rest).subarray(0, size)) };
  }

  /** Whether so many bytes are deciphered, or can be. */
  #has(count: number): boolean {
    if (this.#plain.bytes >= count) return true;
    const { bytes } = this.#waiting;
    if (this.#plain.bytes + bytes < count) return false;
    const whole = bytes - (bytes % BLOCK_BYTES);
    if (whole > 0) this.#plain.push(this.#decrypt(this.#waiting.take(whole)));
    return this.#plain.bytes >= count;
  }
}
