import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { fromHex } from '../../base/bytes.js';
import type { ChainId } from '../../crypto/digests.js';
import type { Files, OpenFile } from '../../storage/files.js';
import type { SlotRecord } from '../../witness/slot-record.js';

/**
 * `witness/signed_slots`: two records at the beginning of two sectors, written in turn, so that one of them is whole
 * whenever the power goes. A record: chain id (32), start of the slot in seconds (u32, little-endian), CRC-32 of both.
 */
const CHAIN_BYTES = 32;
const RECORD_BYTES = CHAIN_BYTES + 8;
const PLACES = [0, 4096] as const;
const FOLDER = 'witness';
const FILE = 'signed_slots';

export interface SignedSlotsParts {
  readonly files: Files;
  readonly dataDir: string;
  readonly chainId: ChainId;
  /** What counts as signed where the records are lost: a slot too many is missed, none is made twice. */
  readonly nowSec: number;
  /** False where nothing can have been signed here yet, and no file says so. */
  readonly isBegun: boolean;
  lost(file: string, how: 'missing' | 'unreadable'): void;
}

/** The last slot for which this node has signed a block, over restarts, kills and losses of power too. */
export class SignedSlots implements SlotRecord {
  readonly #file: OpenFile;
  readonly #chainId: Uint8Array;
  #lastSec = 0;
  /** Where the next record goes: not over the newest one. */
  #place = 0;

  constructor({ files, dataDir, chainId, nowSec, isBegun, lost }: SignedSlotsParts) {
    const folder = join(dataDir, FOLDER);
    files.makeFolder(folder);
    const path = join(folder, FILE);
    const isNew = !files.exists(path);
    this.#file = files.open(path);
    this.#chainId = fromHex(chainId);
    // An empty file is one that has lost its records: whoever begins one writes that nothing was signed.
    if (isNew) this.claim(0);
    let isReadable = false;
    for (const [place, offset] of PLACES.entries()) {
      const found = this.#read(offset);
      if (found === undefined) continue;
      isReadable = true;
      if (found <= this.#lastSec) continue;
      this.#lastSec = found;
      this.#place = 1 - place;
    }
    const isMissing = isNew && isBegun;
    if (isReadable && !isMissing) return;
    lost(this.#file.path, isMissing ? 'missing' : 'unreadable');
    this.#lastSec = nowSec;
  }

  get lastSec(): number {
    return this.#lastSec;
  }

  /** Undefined: no whole record. One of another chain says that nothing was signed of this one. */
  #read(offset: number): number | undefined {
    const record = Buffer.alloc(RECORD_BYTES);
    if (this.#file.read(record, offset) < RECORD_BYTES) return undefined;
    if (crc32(record.subarray(0, RECORD_BYTES - 4)) !== record.readUInt32LE(RECORD_BYTES - 4)) return undefined;
    return record.subarray(0, CHAIN_BYTES).equals(this.#chainId) ? record.readUInt32LE(CHAIN_BYTES) : 0;
  }

  claim(slotSec: number): void {
    const record = Buffer.alloc(RECORD_BYTES);
    record.set(this.#chainId);
    record.writeUInt32LE(slotSec, CHAIN_BYTES);
    record.writeUInt32LE(crc32(record.subarray(0, RECORD_BYTES - 4)), RECORD_BYTES - 4);
    // Also where the disk refuses: half of it may be there.
    this.#lastSec = slotSec;
    this.#file.write(record, PLACES[this.#place] as number);
    this.#file.sync();
    this.#place = 1 - this.#place;
  }

  /** For a chain of one node that is taken back by hand: slots behind this one are signed again. */
  takeBack(slotSec: number): void {
    if (slotSec >= this.#lastSec) return;
    for (const _ of PLACES) this.claim(slotSec);
  }

  close(): void {
    this.#file.close();
  }
}
