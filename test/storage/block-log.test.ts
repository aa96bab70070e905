import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { armCrashPoint, type CrashPoint, disarmCrashPoints } from '../../src/base/crash-point.js';
import { ChainError } from '../../src/base/errors.js';
import { BlockLog } from '../../src/storage/block-log.js';
import {
  FILE_HEADER_BYTES,
  fileHeader,
  INDEX_ENTRY_BYTES,
  RECORD_HEADER_BYTES,
  readIndexEntry,
  writeIndexEntry,
} from '../../src/storage/block-record.js';
import { STORAGE_ERRORS } from '../../src/storage/errors.js';
import { nodeFiles } from '../../src/storage/files.js';
import { JOURNAL, LOG_MAGIC } from '../../src/storage/log-kind.js';
import { MemoryFiles } from '../support/memory-files.js';
import { refused } from '../support/refused.js';

const CHAIN = '11'.repeat(32);
const LOG = 'log/blocks';
const INDEX = 'log/index';

/** The log does not look into blocks: any bytes with an id whose first four bytes are the number. */
function block(number: number, branch = ''): { id: string; bytes: Uint8Array } {
  const seed = createHash('sha256').update(`${number}${branch}`).digest();
  const bytes = new Uint8Array(20 + ((number * 37) % 90)).map((_, i) => (seed[i % 32] as number) ^ (i >> 5));
  return { id: number.toString(16).padStart(8, '0') + seed.toString('hex', 0, 16), bytes };
}

function write(files: MemoryFiles, from: number, to: number, branch = ''): BlockLog {
  const log = new BlockLog(files, 'log', CHAIN);
  for (let n = from; n <= to; n++) {
    const { id, bytes } = block(n, branch);
    log.append(id, bytes);
  }
  return log;
}

function filled(count: number): MemoryFiles {
  const files = new MemoryFiles();
  write(files, 1, count).close();
  return files;
}

/** Every block of the log is the one that was written, by walking and by number. */
function sameBlocks(t: Test, log: BlockLog, to: number, branch: (n: number) => string = () => ''): void {
  t.equal(log.headNumber, to);
  const walked = [...log.walk(1)].map(({ number, id, bytes }) => ({ number, id, bytes: Buffer.from(bytes) }));
  const wrong: string[] = [];
  for (let n = 1; n <= to; n++) {
    const expected = block(n, branch(n));
    if (!Buffer.from(log.read(n) ?? []).equals(expected.bytes)) wrong.push(`block ${n}`);
    if (!walked[n - 1]?.bytes.equals(expected.bytes)) wrong.push(`block ${n} while walking`);
    if (log.idOf(n) !== expected.id) wrong.push(`id of ${n}`);
  }
  t.strictSame([walked.length, wrong], [to, []]);
}

t.test('what one block did may have hundreds of megabytes', (t) => {
  const path = mkdtempSync(join(tmpdir(), 'trustnode-large-'));
  t.teardown(() => rmSync(path, { recursive: true, force: true }));
  const length = 260 * 1024 * 1024;
  const id = (number: number): string => number.toString(16).padStart(40, '0').slice(-8).padEnd(40, '0');
  const log = new BlockLog(nodeFiles, path, CHAIN, JOURNAL);
  log.keepsBack = 'everything';
  log.append(id(1), Uint8Array.of(1));
  log.append(id(2), new Uint8Array(length));
  log.append(id(3), Uint8Array.of(3));
  log.close();
  const again = new BlockLog(nodeFiles, path, CHAIN, JOURNAL);
  t.equal(again.headNumber, 3);
  t.equal(again.read(2)?.length, length);
  t.same(again.read(3), Uint8Array.of(3));
  again.close();
  // The index is made anew from the records.
  rmSync(join(path, JOURNAL.indexFile));
  const mended = new BlockLog(nodeFiles, path, CHAIN, JOURNAL);
  t.equal(mended.headNumber, 3);
  mended.close();
  t.end();
});

t.test('what was appended is there after reopening, by number and in order', (t) => {
  const files = filled(40);
  const log = new BlockLog(files, 'log', CHAIN);
  sameBlocks(t, log, 40);
  t.strictSame(log.repair, { indexed: 0 });
  t.equal(log.read(0), undefined);
  t.equal(log.read(41), undefined);
  t.equal(log.idOf(41), undefined);
  t.strictSame(
    [...log.walk(38, 39)].map((b) => b.number),
    [38, 39],
  );
  t.strictSame([...log.walk(41)], []);
  refused(t, STORAGE_ERRORS.block_log_order, () => log.append(block(43).id, block(43).bytes));
  t.end();
});

t.test('an empty log', (t) => {
  const log = new BlockLog(new MemoryFiles(), 'log', CHAIN);
  t.equal(log.headNumber, 0);
  t.equal(log.headId, '');
  t.strictSame([...log.walk(1)], []);
  log.cut(0);
  t.end();
});

t.test('blocks that are larger than one read of a walk', (t) => {
  const files = new MemoryFiles();
  const log = new BlockLog(files, 'log', CHAIN);
  const sizes = [10, 9_000_000, 3_000_000, 5, 4_194_304];
  for (const [i, size] of sizes.entries()) log.append(block(i + 1).id, new Uint8Array(size).fill(i));
  const seen = [...log.walk(1)].map(({ bytes }) => [bytes.length, bytes[bytes.length - 1]]);
  t.strictSame(
    seen,
    sizes.map((size, i) => [size, i]),
  );
  t.end();
});

t.test('a log that begins behind a snapshot', (t) => {
  const files = new MemoryFiles();
  write(files, 500, 510).close();
  const log = new BlockLog(files, 'log', CHAIN);
  t.strictSame([log.firstNumber, log.headNumber], [500, 510]);
  t.equal(log.read(499), undefined);
  t.equal(log.idOf(505), block(505).id);
  t.equal([...log.walk(1)].length, 11);
  log.cut(100);
  t.strictSame([log.firstNumber, log.headNumber], [0, 0], 'below its first block nothing is left');
  log.append(block(7).id, block(7).bytes);
  t.equal(new BlockLog(files, 'log', CHAIN).headId, block(7).id);
  t.end();
});

t.test('a tail torn at every byte of the last record is cut, and the log goes on', (t) => {
  const whole = filled(12);
  const log = whole.get(LOG);
  const last = RECORD_HEADER_BYTES + block(12).bytes.length;
  for (let missing = 1; missing <= last; missing++) {
    for (const indexToo of [false, true]) {
      const files = whole.clone();
      files.contents.set(LOG, log.subarray(0, log.length - missing));
      // The index entry may have reached the disk or not.
      if (indexToo) files.contents.set(INDEX, files.get(INDEX).subarray(0, -INDEX_ENTRY_BYTES));
      const reopened = new BlockLog(files, 'log', CHAIN);
      t.equal(reopened.headNumber, 11, `${missing} bytes missing`);
      if (missing === last) t.equal(reopened.repair.cut, undefined);
      else t.match(reopened.repair.cut, { number: 12, bytes: last - missing, offset: log.length - last });
      reopened.append(block(12, 'again').id, block(12, 'again').bytes);
      reopened.close();
      t.ok(Buffer.from(new BlockLog(files, 'log', CHAIN).read(12) ?? []).equals(block(12, 'again').bytes));
    }
  }
  t.end();
});

t.test('an index torn at every byte of its last entries, or lost, is rebuilt', (t) => {
  const whole = filled(12);
  const index = whole.get(INDEX);
  for (let size = 0; size < index.length; size += size < 60 ? 1 : 7) {
    const files = whole.clone();
    files.contents.set(INDEX, index.subarray(0, size));
    const log = new BlockLog(files, 'log', CHAIN);
    sameBlocks(t, log, 12);
    t.ok(files.get(INDEX).equals(index), `index of ${size} bytes`);
  }
  const files = whole.clone();
  files.contents.delete(INDEX);
  t.equal(new BlockLog(files, 'log', CHAIN).repair.indexed, 12);
  t.ok(files.get(INDEX).equals(index));
  const longer = whole.clone();
  longer.contents.set(INDEX, Buffer.concat([index, index.subarray(-INDEX_ENTRY_BYTES * 3)]));
  sameBlocks(t, new BlockLog(longer, 'log', CHAIN), 12);
  t.end();
});

t.test('a lost index of more blocks than are written at a time', (t) => {
  const many = 2 * 16_384 + 3;
  const files = new MemoryFiles();
  const log = new BlockLog(files, 'log', CHAIN);
  log.keepsBack = 'everything';
  for (let n = 1; n <= many; n++) log.append(block(n).id, Uint8Array.of(n, n >> 8));
  log.close();
  files.remove(INDEX);
  const rebuilt = new BlockLog(files, 'log', CHAIN);
  t.strictSame(rebuilt.repair, { indexed: many });
  for (const n of [1, 16_384, 16_385, many]) {
    t.same(rebuilt.read(n), Buffer.of(n, n >> 8), `block ${n}`);
    t.equal(rebuilt.idOf(n), block(n).id);
  }
  rebuilt.close();
  t.end();
});

t.test('a bit flipped anywhere is detected and named', (t) => {
  const whole = filled(9);
  const starts = [FILE_HEADER_BYTES];
  for (let n = 1; n <= 9; n++) starts.push((starts[n - 1] as number) + RECORD_HEADER_BYTES + block(n).bytes.length);
  const wrong: string[] = [];
  const expect = (ok: boolean, what: string): unknown => ok || wrong.push(what);
  for (const path of [LOG, INDEX]) {
    for (let bit = 0; bit < whole.get(path).length * 8; bit += path === LOG ? 3 : 1) {
      const files = whole.clone();
      const bytes = files.get(path);
      const at = bit >> 3;
      bytes[at] = (bytes[at] as number) ^ (1 << (bit & 7));
      const damagedBlock = path === LOG ? starts.findIndex((start) => start > at) : 0;
      let outcome: string | undefined;
      try {
        const log = new BlockLog(files, 'log', CHAIN);
        if (log.repair.cut !== undefined) outcome = `cut ${log.repair.cut.number}`;
        for (const b of log.walk(1)) {
          if (!Buffer.from(b.bytes).equals(block(b.number).bytes)) wrong.push(`bit ${bit} of ${path} went unseen`);
        }
        for (let n = 1; n <= log.headNumber; n++) {
          if (!Buffer.from(log.read(n) ?? []).equals(block(n).bytes)) wrong.push(`bit ${bit} of ${path} went unseen`);
        }
      } catch (error) {
        if (!(error instanceof ChainError)) throw error;
        outcome = `${error.key} ${String(error.data.number ?? '')}`;
      }
      const where = `bit ${bit & 7} of byte ${at} of ${path}: ${outcome ?? 'nothing noticed'}`;
      if (path === LOG && at < FILE_HEADER_BYTES) {
        expect(/^(block_log_corrupt|storage_not_ours)/.test(outcome ?? ''), where);
      } else if (path === LOG) {
        expect(outcome === (damagedBlock === 9 ? 'cut 9' : `block_log_corrupt ${damagedBlock}`), where);
      } else {
        // The header and the last entries are rebuilt; an entry in the middle is refused when it is read.
        const entry = Math.floor((at - FILE_HEADER_BYTES) / INDEX_ENTRY_BYTES) + 1;
        const isRebuilt = at < FILE_HEADER_BYTES || entry === 9 || entry === 1;
        expect(outcome === (isRebuilt ? undefined : `block_index_corrupt ${entry}`), where);
      }
    }
  }
  t.strictSame(wrong, []);
  t.end();
});

t.test('a fork switch cuts and goes on with the other branch', (t) => {
  const files = filled(10);
  let log = new BlockLog(files, 'log', CHAIN);
  log.cut(6);
  t.strictSame([log.headNumber, log.headId], [6, block(6).id]);
  t.equal(log.read(7), undefined);
  log.close();
  log = write(files, 7, 11, 'fork');
  const branch = (n: number): string => (n > 6 ? 'fork' : '');
  sameBlocks(t, log, 11, branch);
  log.close();
  sameBlocks(t, new BlockLog(files, 'log', CHAIN), 11, branch);
  log = new BlockLog(files, 'log', CHAIN);
  log.cut(0);
  t.equal(log.headNumber, 0);
  log.append(block(1, 'other').id, block(1, 'other').bytes);
  t.equal(new BlockLog(files, 'log', CHAIN).headId, block(1, 'other').id);
  t.end();
});

t.test('what was walked over last is not the block of another branch', (t) => {
  const log = write(new MemoryFiles(), 1, 10);
  for (const { number } of log.walk(1)) if (number === 8) break;
  t.equal(log.idOf(8), block(8).id);
  log.cut(5);
  for (let number = 6; number <= 9; number++) log.append(block(number, 'fork').id, block(number, 'fork').bytes);
  t.equal(log.idOf(8), block(8, 'fork').id);
  t.end();
});

/** The log alone, of the records of these blocks; `kept`: bytes of the record, all where nothing is said. */
function ofRecords(...records: readonly { readonly number: number; readonly kept?: number }[]): MemoryFiles {
  const whole = filled(5).get(LOG);
  const ends = [FILE_HEADER_BYTES];
  for (let number = 1; number <= 5; number++) {
    ends.push((ends[number - 1] as number) + RECORD_HEADER_BYTES + block(number).bytes.length);
  }
  const pieces = records.map(({ number, kept }) => {
    const record = whole.subarray(ends[number - 1], ends[number]);
    return record.subarray(0, kept ?? record.length);
  });
  const files = new MemoryFiles();
  files.contents.set(LOG, Buffer.concat([whole.subarray(0, FILE_HEADER_BYTES), ...pieces]));
  return files;
}

t.test('a log with a gap is damaged, and so is one with an intact record right behind a part of one', (t) => {
  const gap = ofRecords({ number: 1 }, { number: 2 }, { number: 4 });
  refused(t, STORAGE_ERRORS.block_log_corrupt, () => new BlockLog(gap, 'log', CHAIN), { data: { number: 3 } });
  const torn = ofRecords({ number: 1 }, { number: 2, kept: 10 }, { number: 3 });
  const { length } = torn.get(LOG);
  refused(t, STORAGE_ERRORS.block_log_corrupt, () => new BlockLog(torn, 'log', CHAIN), { data: { number: 2 } });
  t.equal(torn.get(LOG).length, length, 'nothing is cut');
  sameBlocks(t, new BlockLog(ofRecords({ number: 1 }, { number: 2 }), 'log', CHAIN), 2);
  t.end();
});

t.test('an index that names another block than the log has is found out', (t) => {
  const files = filled(30);
  const index = files.get(INDEX);
  const at = FILE_HEADER_BYTES + 2 * INDEX_ENTRY_BYTES;
  const entry = readIndexEntry(index, at, 3);
  if (entry === undefined) throw new Error('the third entry is there');
  writeIndexEntry(index, at, { ...entry, id: block(3, 'fork').id });
  const log = new BlockLog(files, 'log', CHAIN);
  refused(t, STORAGE_ERRORS.block_log_corrupt, () => log.read(3));
  t.end();
});

t.test('an index knows places beyond four gigabytes', (t) => {
  const bytes = Buffer.alloc(INDEX_ENTRY_BYTES);
  const entry = { position: 5 * 2 ** 32 + 7, length: 100, id: block(9).id };
  writeIndexEntry(bytes, 0, entry);
  t.strictSame(readIndexEntry(bytes, 0, 9), entry);
  t.end();
});

t.test('blocks that are kept back are read, cut and written out', (t) => {
  const files = new MemoryFiles();
  const log = new BlockLog(files, 'log', CHAIN);
  log.keepsBack = 'everything';
  const before = files.get(LOG).length;
  for (let n = 1; n <= 5; n++) log.append(block(n).id, block(n).bytes);
  t.equal(files.get(LOG).length, before, 'nothing is written yet');
  t.ok(Buffer.from(log.read(3) ?? []).equals(block(3).bytes));
  t.equal(log.idOf(3), block(3).id);
  t.equal(files.get(LOG).length, before, 'nor for who reads one of them');
  sameBlocks(t, log, 5);
  t.ok(files.get(LOG).length > before, 'but for who walks over all');
  for (let n = 6; n <= 9; n++) log.append(block(n).id, block(n).bytes);
  log.cut(7);
  log.append(block(8, 'fork').id, block(8, 'fork').bytes);
  log.keepsBack = 'nothing';
  sameBlocks(t, new BlockLog(files, 'log', CHAIN), 8, (n) => (n === 8 ? 'fork' : ''));
  log.keepsBack = 'everything';
  log.append(block(9).id, block(9).bytes);
  log.sync();
  t.equal(new BlockLog(files, 'log', CHAIN).headNumber, 9);
  t.ok(files.syncs >= 2);
  t.end();
});

t.test('a full disk refuses the block and leaves the log as it was', (t) => {
  const whole = filled(5);
  const record = RECORD_HEADER_BYTES + block(6).bytes.length;
  for (let room = 0; room < record + INDEX_ENTRY_BYTES; room++) {
    const files = whole.clone();
    const log = new BlockLog(files, 'log', CHAIN);
    files.room = room;
    refused(t, STORAGE_ERRORS.storage_disk_full, () => log.append(block(6).id, block(6).bytes), `room ${room}`);
    t.ok(files.get(LOG).equals(whole.get(LOG)) && files.get(INDEX).equals(whole.get(INDEX)), 'both files unchanged');
    files.room = Number.POSITIVE_INFINITY;
    log.append(block(6).id, block(6).bytes);
    sameBlocks(t, log, 6);
  }
  const files = whole.clone();
  const log = new BlockLog(files, 'log', CHAIN);
  log.keepsBack = 'everything';
  log.append(block(6).id, block(6).bytes);
  files.room = 3;
  refused(t, STORAGE_ERRORS.storage_disk_full, () => log.sync(), 'where it was kept back');
  t.equal(log.headNumber, 6, 'it waits on');
  t.ok(Buffer.from(log.read(6) ?? []).equals(block(6).bytes));
  files.room = Number.POSITIVE_INFINITY;
  sameBlocks(t, new BlockLog(files.clone(), 'log', CHAIN), 5);
  log.cut(5);
  files.code = 'EACCES';
  files.room = 0;
  log.keepsBack = 'nothing';
  refused(t, STORAGE_ERRORS.storage_access_denied, () => log.append(block(6).id, block(6).bytes));
  t.end();
});

t.test('files of another chain, another kind, a newer format', (t) => {
  const files = filled(3);
  const before = files.clone();
  refused(t, STORAGE_ERRORS.storage_other_chain, () => new BlockLog(files, 'log', '22'.repeat(32)));
  const foreign = new MemoryFiles();
  foreign.contents.set(LOG, Buffer.from('this is a letter to somebody, longer than a header would be'));
  refused(t, STORAGE_ERRORS.storage_not_ours, () => new BlockLog(foreign, 'log', CHAIN));
  foreign.contents.set(LOG, Buffer.from('short'));
  refused(t, STORAGE_ERRORS.storage_not_ours, () => new BlockLog(foreign, 'log', CHAIN));
  const newer = filled(3);
  const header = fileHeader(LOG_MAGIC, CHAIN, 2);
  newer.get(LOG).set(header);
  refused(t, STORAGE_ERRORS.storage_newer_version, () => new BlockLog(newer, 'log', CHAIN));
  t.ok(files.get(LOG).equals(before.get(LOG)) && files.get(INDEX).equals(before.get(INDEX)), 'nothing was changed');
  const torn = new MemoryFiles();
  torn.contents.set(LOG, Buffer.from(fileHeader(LOG_MAGIC, CHAIN, 1).subarray(0, 20)));
  t.equal(new BlockLog(torn, 'log', CHAIN).headNumber, 0, 'a header whose writing was cut off is written again');
  t.end();
});

t.test('a crash at every named point of the log', (t) => {
  const points: CrashPoint[] = [
    'block_log_before_append',
    'block_log_half_append',
    'after_block_log_before_index',
    'block_log_half_index',
  ];
  for (const point of points) {
    const files = filled(5);
    const log = new BlockLog(files, 'log', CHAIN);
    let image: MemoryFiles | undefined;
    armCrashPoint(point, 0, () => {
      image = files.clone();
    });
    log.append(block(6).id, block(6).bytes);
    disarmCrashPoints();
    const after = new BlockLog(image as MemoryFiles, 'log', CHAIN);
    const kept = point === 'after_block_log_before_index' || point === 'block_log_half_index';
    sameBlocks(t, after, kept ? 6 : 5);
    t.equal(after.repair.cut !== undefined, point === 'block_log_half_append', point);
  }
  for (const [point, head] of [
    ['block_log_after_index_cut', 5],
    ['block_log_after_cut', 2],
  ] as const) {
    const files = filled(5);
    const log = new BlockLog(files, 'log', CHAIN);
    let image: MemoryFiles | undefined;
    armCrashPoint(point, 0, () => {
      image = files.clone();
    });
    log.cut(2);
    disarmCrashPoints();
    sameBlocks(t, new BlockLog(image as MemoryFiles, 'log', CHAIN), head);
  }
  t.end();
});
