import { join } from 'node:path';
import t, { type Test } from 'tap';
import '../../src/operations/index.js';
import { armCrashPoint, type CrashPoint, disarmCrashPoints } from '../../src/base/crash-point.js';
import type { StoredChain } from '../../src/node/chain/stored-chain.js';
import { SKIP } from '../../src/operations/define.js';
import type { SignedBlock } from '../../src/protocol/block.js';
import type { OperationResult } from '../../src/protocol/results.js';
import { OBJECTS } from '../../src/state/objects/index.js';
import { BlockLog } from '../../src/storage/block-log.js';
import { STORAGE_ERRORS } from '../../src/storage/errors.js';
import { ObjectStore } from '../../src/storage/object-store.js';
import { STORAGE_FOLDERS } from '../../src/storage/storage.js';
import { truncateBlocks } from '../../src/storage/truncate.js';
import { GOLDEN_LAST, goldenBlocks, goldenGenesis, goldenState } from '../support/golden.js';
import { type HistoryObject, storedHistory, undisturbedHistory } from '../support/history.js';
import { MemoryDisk } from '../support/memory-disk.js';
import { MemoryLog } from '../support/memory-log.js';
import { refused } from '../support/refused.js';
import { frozenStorage } from '../support/storage-sample.js';

/** The recorded chain on a disk in memory: what block log and journal say together is what the reference node keeps. */

const genesis = goldenGenesis();
const blocks: readonly SignedBlock[] = [...goldenBlocks()];

const SEGMENTS = join('data', STORAGE_FOLDERS.journal, 'segments');

async function feed({ chain, storage }: StoredChain, to: number, flushEvery = 7): Promise<void> {
  for (let number = chain.queries.head.number + 1; number <= to; number++) {
    chain.blocks.push({ block: blocks[number - 1] as SignedBlock });
    if (number % flushEvery === 0) await storage.flush();
  }
}

/** Without the counter of the reference's process. */
const withoutCounter = ({ virtual_op: _, ...rest }: HistoryObject): object => rest;

function sameHistory(t: Test, found: Iterable<HistoryObject>, wanted: readonly HistoryObject[], name: string): void {
  const list = [...found];
  t.equal(list.length, wanted.length, `${name}: as many operations`);
  const at = list.findIndex((one, i) => JSON.stringify(one) !== JSON.stringify(wanted[i]));
  if (at >= 0) t.same(list[at], wanted[at], `${name}: 1.11.${at}`);
}

t.test('block log and journal give every recorded object 1.11, whenever the node was restarted', async (t) => {
  const recorded = [...goldenState(GOLDEN_LAST).values()].filter(({ id }) => String(id).startsWith('1.11.'));
  t.equal(recorded.length, 1837);
  const disk = new MemoryDisk(genesis);
  // Before the blocks in which proposals are executed at their expiry, among others.
  for (const to of [60, 258, 259, 263, 264, 500, 741, 742, GOLDEN_LAST]) {
    const stored = await disk.open();
    await feed(stored, to, 40);
    await stored.close();
  }
  const stored = await disk.open();
  const found = [...storedHistory(stored.storage)];
  t.equal(found.length, recorded.length);
  recorded.forEach((wanted, i) => {
    const [a, b] = [withoutCounter(found[i] as HistoryObject), withoutCounter(wanted as HistoryObject)];
    if (JSON.stringify(a) !== JSON.stringify(b)) t.same(a, b, `1.11.${i}`);
  });
  const carried = [361, 362, 1603].map((i) => found[i]?.op_in_trx);
  t.same(carried, [1, 1, 1], 'carried on from the last transaction');
  t.match(found[361], { trx_in_block: 0, block_num: 259 });
  const inBlocks = blocks.flatMap(({ transactions }) => transactions.flatMap(({ operations }) => operations)).length;
  const virtual = found.filter(({ virtual_op }) => virtual_op !== 0);
  t.equal(virtual.length, recorded.length - inBlocks, 'issued by proposals and contracts');
  await stored.close();
});

const LAST = 80;
const wanted = undisturbedHistory(genesis, blocks.slice(0, LAST));
const wantedTo = (head: number): HistoryObject[] => wanted.filter(({ block_num }) => (block_num as number) <= head);

const POINTS: readonly CrashPoint[] = [
  'after_block_log_before_index',
  'journal_before_append',
  'journal_half_append',
  'after_journal_before_index',
  'journal_half_index',
  'after_journal_before_state',
  'after_block_log_before_state',
  'after_state_batch',
  'close_before_flush',
];

t.test('a crash at a named point leaves a journal that fits the state and goes on undisturbed', async (t) => {
  for (const point of POINTS) {
    const disk = new MemoryDisk(genesis);
    let image: MemoryDisk | undefined;
    armCrashPoint(point, point === 'close_before_flush' ? 0 : 3, () => {
      image = disk.image();
    });
    for (const to of [30, 50]) {
      const running = await disk.open();
      await feed(running, to);
      await running.close();
    }
    disarmCrashPoints();
    t.ok(image, `${point} was passed`);
    const after = await (image as MemoryDisk).open();
    sameHistory(t, storedHistory(after.storage), wantedTo(after.chain.queries.head.number), point);
    await feed(after, LAST);
    await after.close();
    const again = await (image as MemoryDisk).open();
    sameHistory(t, storedHistory(again.storage), wanted, `${point}, gone on`);
  }
});

t.test('a start that is cut off while it cuts the journal down to the stored state', async (t) => {
  const disk = new MemoryDisk(genesis);
  let ahead: MemoryDisk | undefined;
  const running = await disk.open();
  await feed(running, 40, 40);
  armCrashPoint('after_journal_before_state', 0, () => {
    ahead = disk.image();
  });
  await feed(running, 70, 70);
  for (const point of ['journal_after_index_cut', 'journal_after_cut'] as const) {
    let image: MemoryDisk | undefined;
    const starting = (ahead as MemoryDisk).image();
    armCrashPoint(point, 0, () => {
      image = starting.image();
    });
    await starting.open();
    t.ok(image, `${point} was passed`);
    const after = await (image as MemoryDisk).open();
    await feed(after, LAST);
    await after.storage.flush();
    sameHistory(t, storedHistory(after.storage), wanted, point);
  }
});

t.test('blocks that are taken back vanish from the journal, and nothing of them was on the disk', async (t) => {
  const stored = await new MemoryDisk(genesis).open({ saveBlocks: 1 });
  const { chain, storage } = stored;
  for (const to of [40, 60, LAST]) {
    await feed(stored, to, 1);
    const { irreversible } = chain.queries.head;
    t.equal(storage.journal.writtenNumber, irreversible, 'only what is irreversible is written');
    chain.blocks.popTo(irreversible);
    sameHistory(t, storedHistory(storage), wantedTo(irreversible), `taken back to block ${irreversible}`);
    t.equal(storage.journal.segmentOf(irreversible + 1), undefined);
  }
  await feed(stored, LAST);
  sameHistory(t, storedHistory(storage), wanted, 'applied again');
});

t.test('how much waits to be written is counted from what is written', async (t) => {
  const stored = await new MemoryDisk(genesis).open();
  const { journal } = stored.storage;
  await feed(stored, 40);
  await stored.storage.flush();
  const from = journal.writtenNumber;
  t.ok(from > 10, 'some blocks are written');
  await feed(stored, 120, 1_000);
  t.equal(journal.writtenNumber, from, 'and no more');
  const waiting = (upTo: number): number => journal.entriesWaiting(upTo);
  t.equal(waiting(from), 0);
  t.ok(waiting(120) > 0, 'something waits');
  t.equal(waiting(1_000), waiting(120), 'there is no more than all');
  const half = Math.floor((from + 120) / 2);
  t.ok(waiting(half) < waiting(120), 'fewer up to a block between');
  await stored.close();
});

t.test('a replay writes the same journal', async (t) => {
  const disk = new MemoryDisk(genesis);
  const stored = await disk.open();
  await feed(stored, LAST);
  await stored.close();
  const before = Buffer.from(disk.files.get(SEGMENTS));
  t.ok(before.length > 3000, 'there is something in it');
  await (await disk.open({ start: 'replay' })).close();
  t.ok(disk.files.get(SEGMENTS).equals(before), 'byte for byte');
});

t.test('damage in the journal is named, and a replay mends it', async (t) => {
  const disk = new MemoryDisk(genesis);
  const stored = await disk.open();
  await feed(stored, LAST);
  await stored.close();
  const bytes = disk.files.get(SEGMENTS);
  const middle = bytes.length >> 1;
  bytes[middle] = (bytes[middle] as number) ^ 1;
  const damaged = await disk.open();
  refused(t, STORAGE_ERRORS.journal_corrupt, () => [...storedHistory(damaged.storage)]);
  await damaged.storage.abandon();
  sameHistory(t, storedHistory((await disk.open({ start: 'replay' })).storage), wanted, 'mended');
});

t.test('a result that the block does not carry, or carries wrongly, is that of the operation', async (t) => {
  const number = blocks.findIndex(({ transactions }, i) => i > 20 && transactions.length > 0) + 1;
  const block = blocks[number - 1] as SignedBlock;
  t.ok(number > 20 && number < LAST);
  for (const results of [[], [[1, 5n]]] as OperationResult[][]) {
    const disk = new MemoryDisk(genesis);
    const stored = await disk.open();
    await feed(stored, number - 1);
    const transactions = block.transactions.map((one) => ({ ...one, operation_results: results }));
    stored.chain.blocks.push({ block: { ...block, transactions } }, SKIP.merkleCheck);
    sameHistory(t, storedHistory(stored.storage), wantedTo(number), 'in memory');
    await feed(stored, LAST);
    await stored.close();
    sameHistory(t, storedHistory((await disk.open()).storage), wanted, 'on the disk');
  }
});

t.test('a directory of an earlier version gets its journal by one replay, which is announced', async (t) => {
  const { files, kv } = frozenStorage('v1');
  const older = new MemoryDisk(genesis, files, kv);
  const log = new MemoryLog();
  const stored = await older.open({ log });
  t.equal(stored.storage.journalGap, 'replay');
  t.equal(stored.recovered.from, 1);
  const { number } = stored.chain.queries.head;
  const said = log.entries.find(({ text }) => text.includes('there is no operation journal yet'));
  t.match(said, { level: 'warn', values: { blocks: number } });
  sameHistory(t, storedHistory(stored.storage), wantedTo(number), 'written');
  await stored.close();
  const again = await older.open({ log });
  t.equal(again.storage.journalGap, undefined);
  t.ok(again.recovered.from > 1, 'once');
  sameHistory(t, storedHistory(again.storage), wantedTo(number), 'kept');
});

t.test('behind a snapshot the journal begins there, says so, and counts on', async (t) => {
  const disk = new MemoryDisk(genesis);
  const stored = await disk.open();
  await feed(stored, 60);
  await stored.close();
  const begin = stored.chain.queries.head.irreversible + 1;
  // The objects of this block in another node's place: blocks are there, what they did is not.
  const other = new MemoryDisk(genesis, disk.files.clone(), disk.kv.clone());
  other.files.remove(join('data', STORAGE_FOLDERS.journal));
  const log = new MemoryLog();
  const behind = await other.open({ log });
  t.equal(behind.storage.journalGap, 'snapshot');
  t.equal(behind.storage.journal.firstNumber, begin);
  const said = log.entries.find(({ text }) => text.includes('begins behind the stored state'));
  t.match(said, { level: 'warn', values: { from: begin, operations: wantedTo(begin - 1).length } });
  await feed(behind, LAST);
  await behind.close();
  const again = await other.open({ log });
  t.equal(again.storage.journalGap, undefined, 'said once');
  t.equal(again.storage.journal.firstNumber, begin);
  t.equal(again.storage.journal.segmentOf(begin - 1), undefined);
  const rest = wanted.filter(({ block_num }) => (block_num as number) >= begin);
  sameHistory(t, storedHistory(again.storage, begin), rest, 'with the numbers of all others');
});

t.test('blocks that are cut by hand take what they did with them', async (t) => {
  const disk = new MemoryDisk(genesis);
  const stored = await disk.open();
  await feed(stored, 60);
  await stored.close();
  const { chainId } = stored.chain;
  const where = { dataDir: 'data', chainId, files: disk.files, openKv: async () => disk.kv };
  for (const [number, isStateDropped] of [
    [stored.chain.blocks.head.irreversible + 3, false],
    [31, true],
  ] as const) {
    t.match(await truncateBlocks({ ...where, definitions: OBJECTS }, number), { to: number - 1, isStateDropped });
    const again = await disk.open();
    t.equal(again.storage.journalGap, undefined);
    sameHistory(t, storedHistory(again.storage), wantedTo(number - 1), `cut before block ${number}`);
    await again.close();
  }
});

t.test('an earlier version behind a snapshot: the journal begins there, counts from 0 and says so', async (t) => {
  const { files, kv } = frozenStorage('v1');
  const whole = new BlockLog(files, join('data', STORAGE_FOLDERS.blockLog), genesis.chainId);
  const behind = new MemoryDisk(genesis, undefined, kv);
  const { head } = new ObjectStore(kv, genesis.chainId, OBJECTS);
  const first = head?.number ?? 0;
  t.ok(first > 5);
  const log = new BlockLog(behind.files, join('data', STORAGE_FOLDERS.blockLog), genesis.chainId);
  for (const { id, bytes } of whole.walk(first)) log.append(id, bytes.slice());
  log.close();
  const said = new MemoryLog();
  const stored = await behind.open({ log: said });
  t.equal(stored.storage.journalGap, 'earlier_version');
  t.equal(stored.storage.journal.firstNumber, first + 1);
  const line = said.entries.find(({ text }) => text.includes('begins behind the stored state'));
  t.match(line, { level: 'warn', values: { from: first + 1, operations: 'unknown, counted from 0' } });
  await feed(stored, LAST);
  await stored.close();
  const again = await behind.open();
  t.equal(again.storage.journalGap, undefined);
  const rest = wanted.filter(({ block_num }) => (block_num as number) > first);
  const counted = rest.map((one, i) => ({ ...one, id: `1.11.${i}` }));
  sameHistory(t, storedHistory(again.storage, first + 1), counted, 'counted from 0');
});
