import { Writer } from '../codec/writer.js';
import { decodeText } from './host/text.js';
import { VM_LIMITS } from './limits.js';

/**
 * What contracts print. Texts stay bytes until somebody wants to read them, which is seldom: making letters of what is not
 * UTF-8 takes several times as long as it is billed.
 */
export class Printed {
  private text = '';
  /** Not read yet, in order: texts, and of others how many of the bytes they are. */
  private readonly pieces: (string | number)[] = [];
  private readonly bytes = new Writer(0);
  private room: number = VM_LIMITS.console_bytes_max;

  /** The bytes are copied. What there is no room for is cut off. */
  add(piece: string | Uint8Array): void {
    const length = Math.min(piece.length, this.room);
    if (length === 0) return;
    this.room -= length;
    if (typeof piece === 'string') this.pieces.push(piece.slice(0, length));
    else {
      this.bytes.raw(length < piece.length ? piece.subarray(0, length) : piece);
      this.pieces.push(length);
    }
  }

  read(): string {
    const bytes = this.bytes.peek();
    let at = 0;
    for (const piece of this.pieces) {
      if (typeof piece === 'string') this.text += piece;
      else {
        this.text += decodeText(bytes.subarray(at, at + piece));
        at += piece;
      }
    }
    this.pieces.length = 0;
    this.bytes.clear();
    return this.text;
  }
}
