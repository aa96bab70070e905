import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import t, { type Test } from 'tap';
import {
  packSnapshot,
  readSnapshotHead,
  SNAPSHOT_FILE_ERRORS,
  SNAPSHOT_FORMAT,
  unpackSnapshot,
} from '../../../src/node/chain/snapshot-file.js';
import { META_KEY } from '../../../src/storage/buckets.js';
import { MemoryKv } from '../../../src/storage/memory-kv.js';
import { refusedLater } from '../../support/refused.js';

/** A packed snapshot says what is wrong with it, wherever it was damaged. */

const HEAD = {
  format: SNAPSHOT_FORMAT,
  chain_id: '11'.repeat(32),
  block: 7,
  block_id: '00000007'.padEnd(40, '1'),
  state_hash: '22'.repeat(32),
  packed_block: '0102',
};
const SUM_BYTES = 32;
const ZERO_LENGTHS_BYTES = 8;

async function packedIn(t: Test): Promise<{ readonly path: string; readonly kv: MemoryKv; readonly plain: Buffer }> {
  const kv = new MemoryKv('of the node');
  const entries = [META_KEY, Uint8Array.of(0x10, 1, 1), Uint8Array.of(0x20, 5)];
  await kv.write(entries.map((key, i) => ({ key, value: new Uint8Array(40_000 * (i + 1)).fill(i + 1) })));
  const path = join(t.testdir(), 'packed');
  await packSnapshot(kv, HEAD, path);
  return { path, kv, plain: gunzipSync(readFileSync(path)) };
}

/** As somebody would pack it who knows the format and means to deceive. */
function sealed(content: Uint8Array): Buffer {
  return gzipSync(Buffer.concat([content, createHash('sha256').update(content).digest()]));
}

t.test('what was packed comes out again', async (t) => {
  const { path, kv } = await packedIn(t);
  t.same(await readSnapshotHead(path), HEAD);
  const into = new MemoryKv('of another node');
  t.same(await unpackSnapshot(path, into), HEAD);
  t.same([...into.entries], [...kv.entries]);
});

t.test('also one that is left when the others have been written', async (t) => {
  const folder = t.testdir();
  for (const [i, sizes] of [[1], [5 << 20, 1]].entries()) {
    const kv = new MemoryKv('of the node');
    await kv.write(sizes.map((size, n) => ({ key: Uint8Array.of(0x10, n + 1), value: new Uint8Array(size).fill(7) })));
    const path = join(folder, String(i));
    await packSnapshot(kv, HEAD, path);
    const into = new MemoryKv('of another node');
    await unpackSnapshot(path, into);
    t.same([...into.entries.keys()], [...kv.entries.keys()]);
  }
});

t.test('what is no snapshot, or is none any more, is refused by name', async (t) => {
  const { path, plain } = await packedIn(t);
  const content = plain.subarray(0, plain.length - SUM_BYTES);
  const other = `${path}.other`;
  const told = async (row: keyof typeof SNAPSHOT_FILE_ERRORS, bytes: Uint8Array, what: string): Promise<void> => {
    writeFileSync(other, bytes);
    await refusedLater(t, SNAPSHOT_FILE_ERRORS[row], unpackSnapshot(other, new MemoryKv()), what);
  };
  const whole = readFileSync(path);
  await told('snapshot_not_one', Buffer.from('something else'), 'a text');
  await told('snapshot_not_one', gzipSync('something else\n'), 'something else, gzipped');
  await told('snapshot_damaged', Buffer.alloc(0), 'an empty file');
  await told('snapshot_damaged', whole.subarray(0, whole.length - 100), 'its end is missing');
  await told('snapshot_damaged', gzipSync(plain.subarray(0, 1000)), 'a record ends too early');
  await told('snapshot_damaged', gzipSync(plain.subarray(0, plain.length - 1)), 'the sum is cut');
  const flipped = Buffer.from(plain);
  flipped[plain.length - SUM_BYTES - ZERO_LENGTHS_BYTES - 1] = 0x55;
  await told('snapshot_damaged', gzipSync(flipped), 'a byte of a record');
  const broken = `trustnode snapshot ${JSON.stringify(HEAD).slice(0, -5)}\n`;
  await told('snapshot_damaged', sealed(Buffer.from(broken)), 'its head is cut');
  const endless = Buffer.concat([
    content.subarray(0, content.indexOf(0x0a) + 1),
    Buffer.alloc(ZERO_LENGTHS_BYTES, 0x7f),
  ]);
  await told('snapshot_damaged', sealed(endless), 'a record without end');
  const newer = content.toString('latin1').replace('"format":1', '"format":2');
  await told('snapshot_newer', sealed(Buffer.from(newer, 'latin1')), 'a later format');
  await told('snapshot_not_one', gzipSync(`trustnode picture ${'x'.repeat(100)}\n`), 'another mark');
});
