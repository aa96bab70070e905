import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import '../../src/operations/index.js';
import { armCrashPoint, CRASH_POINTS, type CrashPoint, disarmCrashPoints } from '../../src/base/crash-point.js';
import { ChainError } from '../../src/base/errors.js';
import type { Logger } from '../../src/base/world.js';
import { CHAIN_ERRORS, Chain } from '../../src/chain/chain.js';
import { MemoryBlockStore } from '../../src/chain/memory-block-store.js';
import { openStoredChain, type StoredChain } from '../../src/node/chain/stored-chain.js';
import type { SignedBlock } from '../../src/protocol/block.js';
import { stateHash } from '../../src/state/state-hash.js';
import { BlockLog } from '../../src/storage/block-log.js';
import { STORAGE_ERRORS } from '../../src/storage/errors.js';
import { nodeFiles } from '../../src/storage/files.js';
import { MemoryKv } from '../../src/storage/memory-kv.js';
import { LIVE_FLUSH, STORAGE_FOLDERS } from '../../src/storage/storage.js';
import { chainContractEngine } from '../../src/vm/chain-engine.js';
import { contractKeys } from '../../src/vm/keys.js';
import { goldenBlocks, goldenGenesis } from '../support/golden.js';
import { MemoryFiles } from '../support/memory-files.js';
import { NETWORK } from '../support/network.js';
import { refused, refusedLater } from '../support/refused.js';

/** The recorded chain, kept on a disk in memory that can be copied at any instant. */

const genesis = goldenGenesis();
const LAST = 50;
const blocks: SignedBlock[] = [];
for (const block of goldenBlocks()) {
  blocks.push(block);
  if (blocks.length === LAST) break;
}

const quiet: Logger = { debug() {}, info() {}, warn() {}, error() {}, child: () => quiet };
const hashOf = (chain: Chain): string => chain.snapshots.withHeadState(stateHash);

/** State hash at each height of a node that nothing ever happened to. */
const hashes = new Map<number, string>();
const ids = new Map<number, string>();
{
  const chain = new Chain({
    genesis,
    engine: chainContractEngine(contractKeys(NETWORK)),
    blocks: new MemoryBlockStore(),
  });
  hashes.set(0, hashOf(chain));
  for (const block of blocks) {
    chain.blocks.push({ block });
    hashes.set(chain.queries.head.number, hashOf(chain));
    ids.set(chain.queries.head.number, chain.queries.head.id);
  }
}

class Disk {
  files = new MemoryFiles();
  kv = new MemoryKv();

  image(): Disk {
    const copy = new Disk();
    copy.files = this.files.clone();
    copy.kv = this.kv.clone();
    return copy;
  }

  open(start: 'normal' | 'replay' | 'resync' = 'normal', saveBlocks = 3): Promise<StoredChain> {
    if (start !== 'normal') this.kv.entries.clear();
    return openStoredChain({
      dataDir: 'data',
      genesis,
      log: quiet,
      start,
      chain: { saveBlocks },
      storage: { files: this.files, openKv: async () => this.kv },
    });
  }
}

/** Pushes what is missing up to `to`; flushes every few blocks, as a running node does. */
async function feed(stored: StoredChain, to: number, flushEvery = 7): Promise<void> {
  const { chain, storage } = stored;
  for (let number = chain.queries.head.number + 1; number <= to; number++) {
    chain.blocks.push({ block: blocks[number - 1] as SignedBlock });
    if (number % flushEvery === 0) await storage.flush();
  }
}

t.test('closed and opened again: same head, same state, little to apply again', async (t) => {
  const disk = new Disk();
  let stored = await disk.open();
  t.strictSame(stored.recovered, { from: 1, to: 0, transactions: 0 });
  await feed(stored, 50);
  const { irreversible } = stored.chain.queries.head;
  await stored.close();
  stored = await disk.open();
  t.equal(stored.chain.queries.head.number, 50, 'blocks that could still be undone are there too');
  t.equal(stored.recovered.from, irreversible + 1, 'the store stands at the last irreversible block');
  t.equal(hashOf(stored.chain), hashes.get(50));
  await feed(stored, LAST);
  t.equal(hashOf(stored.chain), hashes.get(LAST));
  await stored.close();
});

t.test('a write is due after so many irreversible blocks, and again after as many more', async (t) => {
  const stored = await new Disk().open();
  stored.storage.flushLimits = { blocks: 10, objects: 1_000_000 };
  const due: number[] = [];
  for (let number = 1; number <= LAST; number++) {
    await feed(stored, number, LAST + 1);
    if (!stored.storage.isFlushDue) continue;
    due.push(stored.storage.objects.savedHead?.number ?? 0);
    await stored.storage.flush();
    t.equal(stored.storage.isFlushDue, false);
  }
  t.ok(due.length > 1 && due.every((number, i) => number - (due[i - 1] ?? 0) >= 10), due.join(' '));
  await stored.storage.abandon();
});

t.test('a crash at every named point: back without a replay, nothing irreversible lost, same state', async (t) => {
  const elsewhere: CrashPoint[] = [
    'block_log_after_index_cut',
    'block_log_after_cut',
    'journal_after_index_cut',
    'journal_after_cut',
    'replay_after_drop',
    'slot_claimed',
    'block_made',
  ];
  for (const point of Object.keys(CRASH_POINTS) as CrashPoint[]) {
    if (elsewhere.includes(point)) continue;
    let crashes = 0;
    for (const skip of [0, 4]) {
      const disk = new Disk();
      let image: Disk | undefined;
      const known = { head: 0, irreversible: 0, stored: 0 };
      let running: StoredChain | undefined;
      armCrashPoint(point, skip, () => {
        image = disk.image();
        const at = running?.chain.queries.head;
        known.head = at?.number ?? 0;
        known.irreversible = at?.irreversible ?? 0;
        known.stored = running?.storage.objects.head?.number ?? 0;
      });
      // Two lives, so that points of a start are passed as well.
      for (const to of [22, 40]) {
        running = await disk.open();
        await feed(running, to);
        if (to === 40) await running.storage.flush();
        await running.close();
        running = undefined;
      }
      disarmCrashPoints();
      if (image === undefined) continue;
      crashes++;
      const after = await image.open();
      const { head } = after.chain.queries;
      const name = `${point} (${skip} passes before)`;
      t.ok(head.number >= known.irreversible && head.number >= known.stored, `${name}: head ${head.number}`);
      t.equal(hashOf(after.chain), hashes.get(head.number), `${name}: state`);
      if (known.stored > 0) t.ok(after.recovered.from > known.stored, `${name}: no replay from genesis`);
      await feed(after, LAST);
      t.equal(hashOf(after.chain), hashes.get(LAST), `${name}: goes on`);
      await after.close();
    }
    t.ok(crashes > 0 || point.startsWith('replay'), `${point} was passed`);
  }
});

t.test('a disk that fills up at any write', async (t) => {
  const whole = new Disk();
  const stored = await whole.open();
  await feed(stored, 30);
  await stored.close();
  for (let room = 0; room < 3000; room += 397) {
    const disk = whole.image();
    const running = await disk.open();
    disk.files.room = room;
    await refusedLater(t, STORAGE_ERRORS.storage_disk_full, feed(running, LAST), `room for ${room} bytes`);
    const { number } = running.chain.queries.head;
    t.equal(hashOf(running.chain), hashes.get(number), 'the refused block left no trace');
    disk.files.room = Number.POSITIVE_INFINITY;
    const again = await disk.image().open();
    t.equal(again.chain.queries.head.number, number);
    await feed(again, LAST);
    t.equal(hashOf(again.chain), hashes.get(LAST));
  }
});

t.test('a database that refuses to write stops the writes for good, the log brings everything back', async (t) => {
  const disk = new Disk();
  const running = await disk.open();
  await feed(running, 20);
  await running.storage.flush();
  const { write } = disk.kv;
  disk.kv.write = () => Promise.reject(new ChainError(STORAGE_ERRORS.storage_disk_full, { path: 'objects' }));
  await refusedLater(t, STORAGE_ERRORS.storage_disk_full, feed(running, 40));
  await refusedLater(t, STORAGE_ERRORS.storage_disk_full, running.storage.throttle());
  disk.kv.write = write;
  await refusedLater(t, STORAGE_ERRORS.storage_disk_full, running.storage.flush());
  const again = await disk.image().open();
  const { number } = again.chain.queries.head;
  t.ok(number >= 21);
  t.equal(hashOf(again.chain), hashes.get(number));
});

t.test('blocks of the log that were torn are simply missing again', async (t) => {
  const disk = new Disk();
  const stored = await disk.open();
  await feed(stored, 40);
  await stored.storage.flush();
  const path = join('data', STORAGE_FOLDERS.blockLog, 'blocks');
  disk.files.contents.set(path, disk.files.get(path).subarray(0, -5));
  const again = await disk.open();
  t.match(again.storage.repair.cut, { number: 40 });
  t.equal(again.chain.queries.head.number, 39);
  t.equal(hashOf(again.chain), hashes.get(39));
});

t.test('damage in the log is named at the start or when it is read, and nothing is applied past it', async (t) => {
  const disk = new Disk();
  const stored = await disk.open('normal', 1000);
  await feed(stored, 40, 1000);
  const path = join('data', STORAGE_FOLDERS.blockLog, 'blocks');
  const bytes = disk.files.get(path);
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] as number) ^ 4;
  const outcome = await disk.open().then(
    () => 'opened',
    (error: unknown) => (error instanceof ChainError ? `${error.key} ${error.message}` : String(error)),
  );
  t.match(outcome, /block_log_corrupt .*blocks: the record of block \d+ at offset \d+ is damaged/);
});

t.test('heads that do not belong together are refused with the way out', async (t) => {
  const disk = new Disk();
  const stored = await disk.open();
  await feed(stored, 40);
  await stored.close();
  const shorter = disk.image();
  let log = new BlockLog(shorter.files, join('data', STORAGE_FOLDERS.blockLog), genesis.chainId);
  log.cut(10);
  log.close();
  await refusedLater(t, STORAGE_ERRORS.block_log_gap, shorter.open());
  const replayed = await shorter.open('replay');
  t.equal(hashOf(replayed.chain), hashes.get(10), 'a replay makes the state of the shorter log');

  const without = disk.image();
  log = new BlockLog(without.files, join('data', STORAGE_FOLDERS.blockLog), genesis.chainId);
  log.cut(0);
  log.close();
  await refusedLater(t, STORAGE_ERRORS.block_log_lost, without.open());

  const other = disk.image();
  log = new BlockLog(other.files, join('data', STORAGE_FOLDERS.blockLog), genesis.chainId);
  log.cut(30);
  for (let number = 31; number <= 45; number++) {
    log.append(`${number.toString(16).padStart(8, '0')}${'ee'.repeat(16)}`, new Uint8Array(200));
  }
  log.close();
  await refusedLater(t, STORAGE_ERRORS.block_log_other_branch, other.open());

  const foreign = disk.image();
  foreign.kv = new MemoryKv();
  const changed = { ...genesis, chainId: '77'.repeat(32) };
  const open = openStoredChain({
    dataDir: 'data',
    genesis: changed,
    log: quiet,
    storage: { files: foreign.files, openKv: async () => foreign.kv },
  });
  await refusedLater(t, STORAGE_ERRORS.storage_other_chain, open);
});

t.test('replay and resync', async (t) => {
  const disk = new Disk();
  const stored = await disk.open();
  await feed(stored, 40);
  await stored.close();
  const replayed = await disk.open('replay');
  t.strictSame([replayed.recovered.from, replayed.recovered.to], [1, 40]);
  const { irreversible } = replayed.chain.queries.head;
  const killed = await disk.image().open();
  t.equal(killed.recovered.from, irreversible + 1, 'what was applied again is stored when the start is over');
  await killed.storage.abandon();
  t.equal(hashOf(replayed.chain), hashes.get(40), 'signatures are skipped, the state is the same');
  t.same(replayed.storage.flushLimits, LIVE_FLUSH, 'from now on it is written about once a minute');
  await replayed.close();
  const fresh = await disk.open('resync');
  t.equal(fresh.chain.queries.head.number, 0);
  t.equal(hashOf(fresh.chain), hashes.get(0));
  t.equal(fresh.storage.log.headNumber, 0);
});

t.test('undone blocks leave the log, and the next start', async (t) => {
  const disk = new Disk();
  const stored = await disk.open();
  await feed(stored, 40);
  const { irreversible } = stored.chain.queries.head;
  t.ok(irreversible < 38, `last irreversible ${irreversible}`);
  for (const [point, headAfter] of [
    ['block_log_after_index_cut', 40],
    ['block_log_after_cut', 39],
  ] as const) {
    const running = await disk.image().open();
    let image: Disk | undefined;
    const current = disk.image();
    const target = await current.open();
    armCrashPoint(point, 0, () => {
      image = current.image();
    });
    target.chain.blocks.popTo(38);
    disarmCrashPoints();
    const after = await (image as Disk).open();
    t.equal(after.chain.queries.head.number, headAfter, point);
    t.equal(hashOf(after.chain), hashes.get(headAfter), point);
    await running.storage.abandon();
  }
  stored.chain.blocks.popTo(38);
  t.equal(stored.storage.log.headNumber, 38);
  await stored.close();
  const again = await disk.open();
  t.equal(again.chain.queries.head.number, 38);
  t.equal(hashOf(again.chain), hashes.get(38));
  t.equal(again.chain.queries.head.id, ids.get(38));
});

t.test('what is stored is not undone, though the state of that block knows of fewer irreversible ones', async (t) => {
  const disk = new Disk();
  const stored = await disk.open();
  await feed(stored, 40);
  const { irreversible } = stored.chain.queries.head;
  // A branch was left just before the end.
  stored.chain.blocks.popTo(irreversible);
  await stored.close();
  const again = await disk.open();
  const { head } = again.chain.queries;
  t.equal(head.number, irreversible);
  t.ok(head.irreversible < irreversible, `block ${irreversible} knows of ${head.irreversible}`);
  await feed(again, irreversible + 1);
  refused(t, CHAIN_ERRORS.pop_irreversible, () => again.chain.blocks.popTo(irreversible - 1));
  again.chain.blocks.popTo(irreversible);
  t.equal(hashOf(again.chain), hashes.get(irreversible));
  await again.close();
});

function folder(t: Test): string {
  const path = mkdtempSync(join(tmpdir(), 'trustnode-storage-'));
  t.teardown(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

t.test('on a real disk: two nodes cannot share a folder, a damaged store may be replayed', async (t) => {
  const dataDir = folder(t);
  const options = { dataDir, genesis, log: quiet, chain: { saveBlocks: 3 } };
  let stored = await openStoredChain(options);
  await feed(stored, 30);
  await refusedLater(t, STORAGE_ERRORS.storage_in_use, openStoredChain(options));
  const replay = openStoredChain({ ...options, start: 'replay' });
  await refusedLater(t, STORAGE_ERRORS.storage_in_use, replay, 'not even to drop it');
  await feed(stored, 35);
  await stored.close();
  const objects = join(dataDir, STORAGE_FOLDERS.objects);
  nodeFiles.writeText(join(objects, 'CURRENT'), 'MANIFEST-999999\n');
  const damaged = await openStoredChain(options).then(
    () => 'opened',
    (error: unknown) => (error instanceof ChainError ? error.key : String(error)),
  );
  t.equal(damaged, 'database_damaged');
  stored = await openStoredChain({ ...options, start: 'replay' });
  t.equal(hashOf(stored.chain), hashes.get(35));
  await stored.close();
  stored = await openStoredChain(options);
  t.ok(stored.recovered.from > 20);
  t.equal(hashOf(stored.chain), hashes.get(35));
  await stored.close();
});

/** Lets a test say when the files have reached the medium, and notes in which order that and the batch come. */
class SlowDisk extends Disk {
  readonly order: string[] = [];
  holds = false;
  #held: (() => void)[] = [];

  constructor() {
    super();
    const { files, kv } = this;
    files.open = (path) => ({
      ...MemoryFiles.prototype.open.call(files, path),
      syncLater: async () => {
        this.order.push(`sync of ${path.slice('data/blockchain/'.length)}`);
        if (this.holds) await new Promise<void>((resolve) => this.#held.push(resolve));
        this.order.push('synced');
      },
    });
    kv.write = async (batch) => {
      this.order.push('batch');
      await MemoryKv.prototype.write.call(kv, batch);
    };
  }

  /** Until everything under way waits for a file. */
  async wait(): Promise<void> {
    for (let i = 0; i < 20 && this.#held.length === 0; i++) await new Promise(setImmediate);
  }

  async release(): Promise<void> {
    this.holds = false;
    for (const resume of this.#held.splice(0)) resume();
    await new Promise(setImmediate);
  }
}

t.test('a flush holds the main thread for no file, and objects come after the blocks that made them', async (t) => {
  const disk = new SlowDisk();
  const stored = await disk.open();
  const { syncs } = disk.files;
  disk.order.length = 0;
  await feed(stored, 25, 100);
  await stored.storage.flush();
  t.equal(disk.files.syncs, syncs, 'nothing is synced while others wait');
  t.same(disk.order, [
    'sync of block_log/blocks',
    'synced',
    'sync of block_log/index',
    'synced',
    'sync of operation_journal/segments',
    'synced',
    'sync of operation_journal/index',
    'synced',
    'batch',
  ]);
  await stored.close();
});

t.test('blocks that come while the files are synced are not in the batch that waits for them', async (t) => {
  const disk = new SlowDisk();
  const stored = await disk.open();
  const { chain, storage } = stored;
  await feed(stored, 25, 100);
  const taken = storage.objects.savedHead?.number ?? 0;
  disk.order.length = 0;
  disk.holds = true;
  const flushing = storage.flush();
  await disk.wait();
  await feed(stored, 40, 100);
  chain.blocks.save();
  t.ok((storage.objects.savedHead?.number ?? 0) > taken, 'more has become irreversible');
  t.same(disk.order, ['sync of block_log/blocks'], 'no batch before the blocks are there');
  await disk.release();
  await flushing;
  t.equal(storage.objects.head?.number, taken);
  const image = disk.image();
  const after = await image.open();
  t.equal(hashOf(after.chain), hashes.get(40));
  await after.close();
  await storage.flush();
  t.ok((storage.objects.head?.number ?? 0) > taken, 'they are in the next one');
  await stored.close();
});

t.test('whoever gives up waits for the files that are being synced', async (t) => {
  const disk = new SlowDisk();
  const { storage } = await disk.open();
  disk.holds = true;
  const flushing = storage.flush();
  await disk.wait();
  let isClosed = false;
  const closing = storage.abandon().then(() => {
    isClosed = true;
  });
  await new Promise(setImmediate);
  t.equal(isClosed, false);
  await disk.release();
  await Promise.all([flushing, closing]);
});
