import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { decode } from '@ipld/dag-pb';
import { UnixFS } from 'ipfs-unixfs';
import { importFile } from 'ipfs-unixfs-importer';
import type { Kysely, Transaction } from 'kysely';
import { CID } from 'multiformats/cid';
import { toHex } from '../../base/bytes.js';
import { crashPoint } from '../../base/crash-point.js';
import { ChainError, check, defineErrors, invariant } from '../../base/errors.js';
import type { Clock, Random } from '../../base/world.js';
import type { Content } from '../../http/answers.js';
import { transact } from '../common/database.js';
import { BLOCK_FILE_ERRORS, BlockFiles, OWNER } from './block-files.js';
import type { ContentTables } from './tables.js';

/**
 * Contents by what they are: UnixFS files with the ids that public IPFS tools give them, their blocks in files of their
 * own, and in the database who wants them kept and from when on they are for everybody. Several processes may share the
 * database, and with it the folder or an IPFS node, which is asked for what the folder has not.
 */

export interface Stored {
  /** Of the oldest form, 46 characters. */
  readonly cid: string;
  readonly bytes: number;
}

interface Walked {
  readonly cid: CID;
  readonly bytes: Uint8Array;
}

export interface Damage {
  readonly cid: string;
  readonly block: string;
  readonly why: string;
}

export interface Verified {
  readonly contents: number;
  readonly blocks: number;
  /** Files that no content has: a crash leaves some, and they are cleared away later. */
  readonly unused: number;
}

export const CONTENT_ERRORS = defineErrors(
  {
    content_other_database: {
      text: 'the folder of blocks ${folder} has the contents of another database (${theirs}; this one is ${mine})',
      hint: 'Give this one a folder of its own (blocks, or data-dir): files of contents that it knows nothing of would be cleared away. If the other database is gone for good, remove ${file}.',
    },
  },
  'environment',
);

const DATABASE_ID_BYTES = 8;
const SHA_256 = 0x12;
const DAG_PB = 0x70;
const RAW = 0x55;
const CID_CHARS_MAX = 128;

/** The name of a block: its hash, whatever form of id asks for it. Undefined for ids of other kinds. */
export function blockOf(cid: CID): string | undefined {
  const { code, digest } = cid.multihash;
  if (code !== SHA_256 || (cid.code !== DAG_PB && cid.code !== RAW)) return undefined;
  return toHex(digest);
}

/** Undefined for what is no id. */
export function parseCid(text: string): CID | undefined {
  // The library takes letters of other alphabets for the digit zero, and gives them back when the id is written.
  if (text.length > CID_CHARS_MAX || !/^[0-9A-Za-z]*$/.test(text)) return undefined;
  try {
    return CID.parse(text);
  } catch {
    return undefined;
  }
}

/** Only files of this form are roots here. */
function rootOf(cid: CID): string | undefined {
  return cid.code === DAG_PB && blockOf(cid) !== undefined ? cid.toV0().toString() : undefined;
}

/** Where blocks are that other instances have stored. */
export interface BlockSource {
  /** With the hash that its id promises. */
  get(cid: CID): Promise<Uint8Array>;
}

export class ContentStore {
  readonly #blocks: BlockFiles;
  readonly #db: Kysely<ContentTables>;
  readonly #clock: Clock;
  readonly #elsewhere: BlockSource | undefined;

  constructor(folder: string, db: Kysely<ContentTables>, clock: Clock, elsewhere?: BlockSource) {
    this.#blocks = new BlockFiles(folder);
    this.#db = db;
    this.#clock = clock;
    this.#elsewhere = elsewhere;
  }

  /** Keeps it for this owner, for nobody to have yet. All of it is on the disk then. */
  async add(source: AsyncIterable<Uint8Array>, owner: string): Promise<Stored> {
    const written = new Set<string>();
    const put = async (cid: CID, bytes: unknown): Promise<CID> => {
      const block = blockOf(cid);
      invariant(block !== undefined && bytes instanceof Uint8Array, 'blocks come whole, with the hash of our choice');
      await this.#blocks.write(block, bytes);
      written.add(block);
      return cid;
    };
    const { cid, unixfs } = await importFile({ content: source }, { put }, { profile: 'unixfs-v0-2015' });
    await this.#blocks.sync(written);
    crashPoint('content_written');
    const root = cid.toString();
    const bytes = Number(unixfs?.fileSize() ?? 0n);
    await transact(this.#db, async (trx) => {
      const quietly = { released_ms: null };
      await trx
        .insertInto('content_root')
        .values({ root, bytes })
        // Written in any case: whoever takes the last pin of the same content away waits, and sees this one.
        .onConflict((one) => one.column('root').doUpdateSet({ bytes }))
        .execute();
      await trx
        .insertInto('content_pin')
        .values({ root, owner, ...quietly })
        .onConflict((one) => one.doNothing())
        .execute();
      await trx
        .insertInto('content_block')
        .values([...written].map((block) => ({ block, root })))
        .onConflict((one) => one.doNothing())
        .execute();
    });
    crashPoint('content_pinned');
    return { cid: root, bytes };
  }

  /** From now on everybody may have what this owner keeps. */
  async release(owner: string, trx: Kysely<ContentTables> | Transaction<ContentTables> = this.#db): Promise<void> {
    await trx
      .updateTable('content_pin')
      .set({ released_ms: this.#clock.nowMs() })
      .where('owner', '=', owner)
      .where('released_ms', 'is', null)
      .execute();
  }

  /**
   * This owner wants nothing any more; what nobody else keeps is gone, its files a while later. `isStillSo` is asked when
   * nobody stores any of it until the end of the transaction.
   */
  async unpin(
    owner: string,
    trx: Transaction<ContentTables>,
    isStillSo: () => Promise<boolean> = async () => true,
  ): Promise<void> {
    const pins = await trx
      .selectFrom('content_pin')
      .select('root')
      .where('owner', '=', owner)
      .orderBy('root')
      .execute();
    // Held first, as by whoever stores the same content at this moment.
    for (const { root } of pins) await trx.updateTable('content_root').set({ root }).where('root', '=', root).execute();
    if (!(await isStillSo())) return;
    await trx.deleteFrom('content_pin').where('owner', '=', owner).execute();
    for (const { root } of pins) {
      const other = await trx.selectFrom('content_pin').select('owner').where('root', '=', root).executeTakeFirst();
      if (other !== undefined) continue;
      await trx.deleteFrom('content_block').where('root', '=', root).execute();
      await trx.deleteFrom('content_root').where('root', '=', root).execute();
    }
  }

  /** A released content, or undefined. */
  async find(text: string): Promise<Content | undefined> {
    const cid = parseCid(text);
    const root = cid === undefined ? undefined : rootOf(cid);
    if (cid === undefined || root === undefined) return undefined;
    const found = await this.#db
      .selectFrom('content_root')
      .innerJoin('content_pin', 'content_pin.root', 'content_root.root')
      .select('bytes')
      .where('content_root.root', '=', root)
      .where('released_ms', 'is not', null)
      .executeTakeFirst();
    if (found === undefined) return undefined;
    return {
      bytes: found.bytes,
      type: 'application/octet-stream',
      tag: root,
      read: (from, to) => this.#read(cid, from, to),
    };
  }

  /** Whether the block belongs to a content that everybody may have. */
  async isReleased(block: string): Promise<boolean> {
    const found = await this.#db
      .selectFrom('content_block')
      .innerJoin('content_pin', 'content_pin.root', 'content_block.root')
      .select('owner')
      .where('block', '=', block)
      .where('released_ms', 'is not', null)
      .executeTakeFirst();
    return found !== undefined;
  }

  async readBlock(cid: CID): Promise<Uint8Array> {
    try {
      return await this.#readHere(cid);
    } catch (error) {
      const isElsewhere = error instanceof ChainError && error.row !== BLOCK_FILE_ERRORS.content_disk;
      if (this.#elsewhere === undefined || !isElsewhere) throw error;
      return this.#elsewhere.get(cid);
    }
  }

  #readHere(cid: CID): Promise<Uint8Array> {
    const block = blockOf(cid);
    invariant(block !== undefined, 'contents are made of blocks of our kind');
    return this.#blocks.read(block);
  }

  async sizeOfBlock(cid: CID): Promise<number | undefined> {
    const size = await this.#blocks.size(blockOf(cid) ?? '');
    return size === undefined && this.#elsewhere !== undefined ? (await this.#elsewhere.get(cid)).length : size;
  }

  /** The block and all that it leads to, each once, a parent before its children. */
  walk(cid: CID): AsyncGenerator<Walked> {
    return this.#walk(cid, (one) => this.readBlock(one), new Set());
  }

  /** The same of what lies in the folder. */
  walkHere(cid: CID): AsyncGenerator<Walked> {
    return this.#walk(cid, (one) => this.#readHere(one), new Set());
  }

  async *#walk(cid: CID, read: (cid: CID) => Promise<Uint8Array>, seen: Set<string>): AsyncGenerator<Walked> {
    const block = blockOf(cid);
    if (block === undefined || seen.has(block)) return;
    seen.add(block);
    const bytes = await read(cid);
    yield { cid, bytes };
    if (cid.code !== DAG_PB) return;
    for (const { Hash } of decode(bytes).Links) yield* this.#walk(Hash, read, seen);
  }

  /** From one byte of the file up to but without another. */
  async *#read(cid: CID, from: number, to: number): AsyncGenerator<Uint8Array> {
    const { Data, Links } = decode(await this.readBlock(cid));
    const { data, blockSizes } = UnixFS.unmarshal(Data ?? new Uint8Array());
    if (Links.length === 0) {
      if (data !== undefined && from < to) yield data.subarray(from, to);
      return;
    }
    let begin = 0;
    for (const [i, { Hash }] of Links.entries()) {
      const end = begin + Number(blockSizes[i] ?? 0n);
      if (end > from && begin < to) {
        yield* this.#read(Hash, Math.max(0, from - begin), Math.min(to, end) - begin);
      }
      begin = end;
    }
  }

  /** Reads every block of every content; each that is not as it was stored is told. Others may go on storing. */
  async verify(tell: (damage: Damage) => void): Promise<Verified> {
    // First, so that all blocks of each of them are among the rows: others may come meanwhile.
    const roots = await this.#db.selectFrom('content_root').select('root').execute();
    const rows = await this.#db.selectFrom('content_block').select(['root', 'block']).orderBy('root').execute();
    const tellOf = async (damage: Damage): Promise<void> => {
      if (await this.#isKept(damage.cid)) tell(damage);
    };
    const good = new Set<string>();
    for (const { root, block } of rows) {
      const why = await this.#whyBad(block, good);
      if (why !== undefined) await tellOf({ cid: root, block, why });
    }
    const known = new Set(rows.map(({ root, block }) => `${root} ${block}`));
    for (const { root } of roots) await this.#checkComplete(root, known, good, tellOf);
    const used = new Set(rows.map(({ block }) => block));
    let unused = 0;
    for await (const { name } of this.#blocks.names()) if (!used.has(name) && !(await this.#isUsed(name))) unused++;
    return { contents: roots.length, blocks: used.size, unused };
  }

  /** What was taken out since it was read is nobody's loss. */
  async #isKept(root: string): Promise<boolean> {
    const found = await this.#db.selectFrom('content_root').select('root').where('root', '=', root).executeTakeFirst();
    return found !== undefined;
  }

  async #isUsed(block: string): Promise<boolean> {
    const found = await this.#db
      .selectFrom('content_block')
      .select('root')
      .where('block', '=', block)
      .executeTakeFirst();
    return found !== undefined;
  }

  async #whyBad(block: string, good: Set<string>): Promise<string | undefined> {
    if (good.has(block)) return undefined;
    try {
      await this.#blocks.read(block);
      good.add(block);
      return undefined;
    } catch (error) {
      if (error instanceof ChainError) return error.message;
      throw error;
    }
  }

  /** Every block that a content leads to is one that the database knows as its own. */
  async #checkComplete(
    root: string,
    known: ReadonlySet<string>,
    good: ReadonlySet<string>,
    tell: (damage: Damage) => Promise<void>,
  ): Promise<void> {
    const waiting = [blockOf(CID.parse(root)) as string];
    for (let block = waiting.pop(); block !== undefined; block = waiting.pop()) {
      if (!known.has(`${root} ${block}`)) {
        await tell({ cid: root, block, why: `the database does not know the block ${block}` });
      }
      if (!good.has(block)) continue;
      let bytes: Uint8Array;
      try {
        bytes = await this.#blocks.read(block);
      } catch (error) {
        if (!(error instanceof ChainError)) throw error;
        await tell({ cid: root, block, why: error.message });
        continue;
      }
      waiting.push(...decode(bytes).Links.map(({ Hash }) => blockOf(Hash) as string));
    }
  }

  /** Of the folder of blocks: instances that share a database have to share it as well, or an IPFS node. */
  identity(random: Random): Promise<string> {
    return this.#blocks.identity(random);
  }

  /**
   * Refuses a folder with the contents of another database: what this one knows nothing of would be cleared away, although
   * somebody has paid for it.
   */
  async claimFolder(random: Random): Promise<void> {
    const mine = await this.#databaseId(random);
    const theirs = await this.#blocks.ownedBy(mine, random);
    const { folder } = this.#blocks;
    check(theirs === mine, CONTENT_ERRORS.content_other_database, { folder, theirs, mine, file: join(folder, OWNER) });
  }

  async #databaseId(random: Random): Promise<string> {
    const one = 1;
    await this.#db
      .insertInto('content_database')
      .values({ one, id: toHex(random.bytes(DATABASE_ID_BYTES)) })
      .onConflict((conflict) => conflict.column('one').doNothing())
      .execute();
    const { id } = await this.#db.selectFrom('content_database').select('id').executeTakeFirstOrThrow();
    return id;
  }

  /** Files that no content has, and which are older than anything that is still being stored. How many went. */
  async sweep(ageMs: number): Promise<number> {
    let gone = 0;
    for await (const { name, path, isBlock } of this.#blocks.names()) {
      if (isBlock && (await this.#isUsed(name))) continue;
      // Nothing runs in between: whoever stores it again has touched it.
      const found = statSync(path, { throwIfNoEntry: false });
      if (found === undefined || found.mtimeMs > this.#clock.nowMs() - ageMs) continue;
      rmSync(path, { force: true });
      gone++;
    }
    return gone;
  }
}
