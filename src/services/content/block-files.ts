import { constants } from 'node:fs';
import { link, mkdir, open, opendir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { toHex } from '../../base/bytes.js';
import { ChainError, defineErrors } from '../../base/errors.js';
import type { Random } from '../../base/world.js';
import { sha256Hex } from '../../crypto/hash.js';
import { onDisk } from '../common/on-disk.js';

export const BLOCK_FILE_ERRORS = defineErrors(
  {
    content_disk: { text: 'cannot keep a block: ${why}' },
    content_missing: { text: 'the block ${block} is missing' },
    content_damaged: { text: 'the block ${block} is damaged' },
  },
  'environment',
);

const BLOCK = /^[0-9a-f]{64}$/;
const UNFINISHED = '.new';
const IDENTITY = 'folder-id';
export const OWNER = 'database-id';
const IDENTITY_BYTES = 8;

/** A file each, named by the SHA-256 of its bytes; whole and on the disk, or not there. */
export class BlockFiles {
  readonly folder: string;
  #count = 0;

  constructor(folder: string) {
    this.folder = folder;
  }

  #folderOf(block: string): string {
    return join(this.folder, block.slice(0, 2));
  }

  #pathOf(block: string): string {
    return join(this.#folderOf(block), block);
  }

  async write(block: string, bytes: Uint8Array): Promise<void> {
    try {
      // One that was damaged is whole again when the same content is stored once more.
      const former = await readFile(this.#pathOf(block)).catch(() => undefined);
      if (former !== undefined && Buffer.compare(former, bytes) === 0) {
        // Whoever clears away looks at the age.
        const now = new Date();
        await utimes(this.#pathOf(block), now, now);
        return;
      }
      await this.#create(block, bytes);
    } catch (error) {
      throw new ChainError(BLOCK_FILE_ERRORS.content_disk, { why: (error as Error).message });
    }
  }

  async #create(block: string, bytes: Uint8Array): Promise<void> {
    const folder = this.#folderOf(block);
    await mkdir(folder, { recursive: true });
    const unfinished = `${this.#pathOf(block)}.${process.pid}-${this.#count++}${UNFINISHED}`;
    try {
      const file = await open(unfinished, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, 0o644);
      try {
        await file.writeFile(bytes);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(unfinished, this.#pathOf(block));
    } catch (error) {
      await rm(unfinished, { force: true });
      throw error;
    }
  }

  /** A name that this folder has got once: whoever reads the same one has the same folder, or a copy of it. */
  identity(random: Random): Promise<string> {
    return this.#once(IDENTITY, toHex(random.bytes(IDENTITY_BYTES)), random);
  }

  /** The database whose contents these are: the first one that says so. */
  ownedBy(database: string, random: Random): Promise<string> {
    return this.#once(OWNER, database, random);
  }

  /** What the file says, once and for all: this, unless somebody was first. */
  async #once(name: string, text: string, random: Random): Promise<string> {
    const path = join(this.folder, name);
    try {
      await mkdir(this.folder, { recursive: true });
      // Linked, since of two that begin at the same moment one wins, and nobody reads half of it.
      const mine = `${path}.${toHex(random.bytes(IDENTITY_BYTES))}${UNFINISHED}`;
      if ((await stat(path).catch(() => undefined)) === undefined) {
        await writeFile(mine, text, { flush: true });
        try {
          await link(mine, path);
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
        } finally {
          await rm(mine, { force: true });
        }
      }
      return (await readFile(path, 'utf8')).trim();
    } catch (error) {
      throw new ChainError(BLOCK_FILE_ERRORS.content_disk, { why: (error as Error).message });
    }
  }

  /**
   * The names of these blocks are on the disk as well; also of those that were there before, since whoever has written them
   * may not have come to this yet.
   */
  async sync(blocks: Iterable<string>): Promise<void> {
    const folders = new Set<string>();
    for (const block of blocks) folders.add(this.#folderOf(block));
    // A folder of which a name is new, and the one that has it.
    for (const folder of [...folders, ...(folders.size === 0 ? [] : [this.folder])]) await onDisk(folder);
  }

  /** What the name promises, or a refusal. */
  async read(block: string): Promise<Uint8Array> {
    let bytes: Buffer;
    try {
      bytes = await readFile(this.#pathOf(block));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
        throw new ChainError(BLOCK_FILE_ERRORS.content_missing, { block });
      }
      throw new ChainError(BLOCK_FILE_ERRORS.content_disk, { why: (error as Error).message });
    }
    if (sha256Hex(bytes) !== block) throw new ChainError(BLOCK_FILE_ERRORS.content_damaged, { block });
    return bytes;
  }

  /** Bytes of it on the disk, whatever they are. */
  async size(block: string): Promise<number | undefined> {
    return (await stat(this.#pathOf(block)).catch(() => undefined))?.size;
  }

  /** Every file: its name, and whether it is a block. */
  async *names(): AsyncGenerator<{ readonly name: string; readonly path: string; readonly isBlock: boolean }> {
    await mkdir(this.folder, { recursive: true });
    for await (const { name: inner } of await opendir(this.folder)) {
      if (!/^[0-9a-f]{2}$/.test(inner)) continue;
      for await (const { name } of await opendir(join(this.folder, inner))) {
        yield { name, path: join(this.folder, inner, name), isBlock: BLOCK.test(name) };
      }
    }
  }
}
