import { createReadStream, rmSync } from 'node:fs';
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { toHex } from '../../base/bytes.js';
import { check } from '../../base/errors.js';
import type { Random } from '../../base/world.js';
import { Md5Stream } from '../../crypto/hash.js';
import { STORAGE_ERRORS } from './errors.js';

/** Up to here it is not worth a file, and what goes there goes in pieces of this size. */
const MEMORY_BYTES_MAX = 65_536;
const NAME_BYTES = 12;

/** The folder of uploads under way. What a crash has left in it is of no use. */
export class SpoolFolder {
  readonly folder: string;
  readonly #random: Random;

  constructor(folder: string, random: Random) {
    this.folder = folder;
    this.#random = random;
  }

  async clear(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
    await mkdir(this.folder, { recursive: true });
  }

  open(bytesMax: number): Spool {
    return new Spool(join(this.folder, toHex(this.#random.bytes(NAME_BYTES))), bytesMax);
  }
}

/** An upload until it is known whether it is paid for: its size and hash, and its bytes once more. */
export class Spool {
  readonly #path: string;
  readonly #bytesMax: number;
  readonly #hash = new Md5Stream();
  /** What is not in the file: in one piece, since clients may send each byte by itself. */
  #memory: Buffer = Buffer.alloc(0);
  #filled = 0;
  #file: FileHandle | undefined;
  #md5: string | undefined;
  bytes = 0;

  constructor(path: string, bytesMax: number) {
    this.#path = path;
    this.#bytesMax = bytesMax;
  }

  async write(piece: Uint8Array): Promise<void> {
    this.bytes += piece.length;
    check(this.bytes <= this.#bytesMax, STORAGE_ERRORS.storage_size, { limit: this.#bytesMax });
    this.#hash.update(piece);
    for (let rest = piece; rest.length > 0; ) {
      if (this.#filled === MEMORY_BYTES_MAX) await this.#flush();
      const fits = rest.subarray(0, MEMORY_BYTES_MAX - this.#filled);
      this.#keep(fits);
      rest = rest.subarray(fits.length);
    }
  }

  #keep(piece: Uint8Array): void {
    const bytes = this.#filled + piece.length;
    if (bytes > this.#memory.length) {
      const larger = Buffer.allocUnsafe(Math.min(MEMORY_BYTES_MAX, 2 * bytes));
      this.#memory.copy(larger, 0, 0, this.#filled);
      this.#memory = larger;
    }
    this.#memory.set(piece, this.#filled);
    this.#filled = bytes;
  }

  async #flush(): Promise<void> {
    this.#file ??= await open(this.#path, 'wx', 0o600);
    await this.#file.writeFile(this.#memory.subarray(0, this.#filled));
    this.#filled = 0;
  }

  async end(): Promise<void> {
    if (this.#file !== undefined) await this.#flush();
    this.#md5 = this.#hash.hex();
    await this.#close();
  }

  async #close(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.close();
  }

  /** Of all of it, once it has ended. */
  get md5(): string {
    return this.#md5 ?? '';
  }

  async *read(): AsyncGenerator<Uint8Array> {
    if (this.bytes > MEMORY_BYTES_MAX) yield* createReadStream(this.#path) as AsyncIterable<Uint8Array>;
    else if (this.bytes > 0) yield this.#memory.subarray(0, this.#filled);
  }

  async discard(): Promise<void> {
    await this.#close();
    rmSync(this.#path, { force: true });
  }
}
