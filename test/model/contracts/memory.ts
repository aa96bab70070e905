import { must } from '../tables.js';
import { PAGE } from './script.js';

const LENGTH_MAX = 2 ** 31 - 1;
const PAGES_MAX = 528;

/** Of one action at a time: the next begins when it has ended. */
const FIRST_PAGE = new Uint8Array(PAGE);

/** What pointers point to. */
export class Memory {
  #bytes = FIRST_PAGE.fill(0);

  get size(): number {
    return this.#bytes.length;
  }

  /** Pages before, or all ones where there would be too many. */
  grow(pages: number): bigint {
    const old = this.size / PAGE;
    if (old + pages > PAGES_MAX) return -1n;
    const bytes = new Uint8Array((old + pages) * PAGE);
    bytes.set(this.#bytes);
    this.#bytes = bytes;
    return BigInt(old);
  }

  // What a contract's own instructions do

  byte(at: number): number {
    must(at < this.size, 'contract_trap');
    return this.#bytes[at] as number;
  }

  setByte(at: number, value: number): void {
    must(at < this.size, 'contract_trap');
    this.#bytes[at] = value;
  }

  number(at: number): bigint {
    must(at + 8 <= this.size, 'contract_trap');
    return new DataView(this.#bytes.buffer).getBigUint64(at, true);
  }

  setNumber(at: number, value: bigint): void {
    new DataView(this.#bytes.buffer).setBigUint64(at, BigInt.asUintN(64, value), true);
  }

  // What host functions check, and do

  checkRange(at: number, length: number): void {
    must(length < LENGTH_MAX, 'contract_length_overflow');
    must(at + length <= this.size, 'contract_access_violation');
  }

  checkReference(at: number, length: number): void {
    must(at !== 0, 'contract_null_reference');
    must(at + length <= this.size, 'contract_access_violation');
  }

  checkText(at: number): void {
    must(at + 1 <= this.size, 'contract_access_violation');
    must(this.#bytes.indexOf(0, at) !== -1, 'contract_unterminated_string');
  }

  read(at: number, length: number): Uint8Array {
    return this.#bytes.slice(at, at + length);
  }

  write(at: number, bytes: Uint8Array): void {
    this.#bytes.set(bytes, at);
  }

  /** Up to a zero, wherever that is. */
  text(at: number): Uint8Array {
    this.checkText(at);
    return this.#bytes.slice(at, this.#bytes.indexOf(0, at));
  }

  /** As much as there is room for; how much there is if there is none. */
  hand(bytes: Uint8Array, at: number, length: number): bigint {
    if (length === 0) return BigInt(bytes.length);
    this.write(at, bytes.subarray(0, length));
    return BigInt(Math.min(bytes.length, length));
  }
}
