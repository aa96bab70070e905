import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import '../../src/operations/index.js';
import { ChainError } from '../../src/base/errors.js';
import { encodeWith } from '../../src/codec/binary.js';
import { transactionId } from '../../src/crypto/digests.js';
import { openStoredChain, type StoredChain } from '../../src/node/chain/stored-chain.js';
import type { SignedBlock } from '../../src/protocol/block.js';
import { transaction } from '../../src/protocol/transaction.js';
import { stateHash } from '../../src/state/state-hash.js';
import { BlockLog } from '../../src/storage/block-log.js';
import { STORAGE_ERRORS } from '../../src/storage/errors.js';
import { nodeFiles } from '../../src/storage/files.js';
import { LevelKv } from '../../src/storage/level-kv.js';
import { STORAGE_FOLDERS, type StorageStart } from '../../src/storage/storage.js';
import { quietLog } from '../crash/quiet-log.js';
import { startDevNode } from '../support/dev-node.js';
import { goldenBlocks, goldenGenesis } from '../support/golden.js';
import { refusedLater } from '../support/refused.js';
import { rpcCall } from '../support/rpc-call.js';
import { twoLives } from '../support/transaction-index.js';

/** Whatever happens to the files: what can be rebuilt is rebuilt, and following an advice loses nothing. */

const LAST = 30;
const genesis = goldenGenesis();
const blocks: SignedBlock[] = [];
for (const block of goldenBlocks()) {
  blocks.push(block);
  if (blocks.length === LAST) break;
}

const open = (dataDir: string, start: StorageStart = 'normal'): Promise<StoredChain> =>
  openStoredChain({ dataDir, genesis, log: quietLog, start, chain: { saveBlocks: 3 } });
const hashOf = ({ chain }: StoredChain): string => chain.snapshots.withHeadState(stateHash);

function temporary(t: Test): string {
  const path = fs.mkdtempSync(join(tmpdir(), 'trustnode-damaged-'));
  t.teardown(() => fs.rmSync(path, { recursive: true, force: true }));
  return path;
}

async function filled(t: Test): Promise<{ dataDir: string; objects: string; blockLog: string; hash: string }> {
  const dataDir = temporary(t);
  const stored = await open(dataDir);
  for (const block of blocks) stored.chain.blocks.push({ block });
  const hash = hashOf(stored);
  await stored.close();
  const objects = join(dataDir, STORAGE_FOLDERS.objects);
  // Opened and closed once more, what was in the library's log stands in a table.
  await (await open(dataDir)).close();
  return { dataDir, objects, blockLog: join(dataDir, STORAGE_FOLDERS.blockLog), hash };
}

const files = (path: string, what: RegExp): string[] =>
  fs
    .readdirSync(path)
    .filter((name) => what.test(name))
    .map((name) => join(path, name));

function damage(path: string, what: RegExp, how: (file: string) => void): void {
  const found = files(path, what);
  if (found.length === 0) throw new Error(`nothing to damage: ${fs.readdirSync(path).join(' ')}`);
  for (const file of found) how(file);
}

const remove = (file: string): void => fs.rmSync(file);
const halve = (file: string): void => fs.truncateSync(file, fs.statSync(file).size >> 1);
const clear = (file: string): void => fs.writeFileSync(file, Buffer.alloc(fs.statSync(file).size));
const changeByte = (file: string, at: number): void => {
  const bytes = fs.readFileSync(file);
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
  fs.writeFileSync(file, bytes);
};

const DAMAGES: readonly (readonly [string, RegExp, (file: string) => void])[] = [
  ['tables are missing', /\.ldb$/, remove],
  ['tables are cut', /\.ldb$/, halve],
  ['tables hold zeros', /\.ldb$/, clear],
  ['the manifest is missing', /^MANIFEST/, remove],
  ['the manifest is cut', /^MANIFEST/, halve],
  ['the manifest holds zeros', /^MANIFEST/, clear],
  ['the pointer to the manifest is missing', /^CURRENT$/, remove],
  ['the pointer to the manifest is empty', /^CURRENT$/, (file) => fs.truncateSync(file, 0)],
];

for (const [what, which, how] of DAMAGES) {
  t.test(`the stored state: ${what}`, async (t) => {
    const { dataDir, objects, hash } = await filled(t);
    damage(objects, which, how);
    const before = fs.readdirSync(objects).filter((name) => name.endsWith('.ldb'));
    const outcome = await open(dataDir).then(
      async (stored) => {
        await stored.close();
        return 'opened';
      },
      (error: unknown) => (error instanceof ChainError ? error : String(error)),
    );
    if (!(outcome instanceof ChainError)) return t.fail(`${what}: ${outcome}`);
    t.ok(outcome.row === STORAGE_ERRORS.database_damaged || outcome.row === STORAGE_ERRORS.object_store_corrupt, what);
    t.match(outcome.message, /Start with --replay-blockchain to rebuild the state from the block log/);
    const after = fs.readdirSync(objects).filter((name) => name.endsWith('.ldb'));
    t.same(after, before, 'a refused start removes nothing');
    const replayed = await open(dataDir, 'replay');
    t.equal(hashOf(replayed), hash, 'the advice helps');
    await replayed.close();
  });
}

t.test('a state whose first blocks are not there is never dropped for a replay', async (t) => {
  const { dataDir, objects, blockLog, hash } = await filled(t);
  const copy = join(temporary(t), 'copy');
  fs.cpSync(objects, copy, { recursive: true });
  // As after a start from a snapshot: the state of a block, and a log that begins behind it.
  fs.rmSync(blockLog, { recursive: true });
  await refusedLater(t, STORAGE_ERRORS.replay_needs_first_block, open(dataDir, 'replay'), 'an empty log');
  fs.rmSync(objects, { recursive: true });
  const behind = temporary(t);
  const source = await open(behind);
  for (const block of blocks) source.chain.blocks.push({ block });
  const { log } = source.storage;
  const tail = [...log.walk(10)].map(({ id, bytes }) => ({ id, bytes: Uint8Array.from(bytes) }));
  await source.close();
  fs.cpSync(copy, objects, { recursive: true });
  const short = new BlockLog(nodeFiles, blockLog, genesis.chainId);
  for (const { id, bytes } of tail) short.append(id, bytes);
  short.close();
  await refusedLater(t, STORAGE_ERRORS.replay_needs_first_block, open(dataDir, 'replay'), 'a log behind a snapshot');
  const stored = await open(dataDir);
  t.equal(hashOf(stored), hash, 'nothing was dropped');
  await stored.close();
  fs.rmSync(objects, { recursive: true });
  await refusedLater(t, STORAGE_ERRORS.state_missing, open(dataDir), 'nothing to build on');
});

t.test('a state is not dropped for a replay that a damaged block would end', async (t) => {
  const { dataDir, blockLog, hash } = await filled(t);
  const path = join(blockLog, 'blocks');
  const bytes = fs.readFileSync(path);
  // In the middle of a block, which opening the log does not read.
  const middle = Math.floor(bytes.length / 2);
  bytes.writeUInt8(bytes.readUInt8(middle) ^ 1, middle);
  fs.writeFileSync(path, bytes);
  await refusedLater(t, STORAGE_ERRORS.block_log_corrupt, open(dataDir, 'replay'), 'with what can be kept');
  const stored = await open(dataDir);
  t.equal(hashOf(stored), hash, 'the node goes on with it as before');
  await stored.close();
});

t.test('a resync sets a damaged log aside and removes an intact one', async (t) => {
  const { dataDir, blockLog } = await filled(t);
  const path = join(blockLog, 'blocks');
  const bytes = fs.readFileSync(path);
  fs.rmSync(join(blockLog, 'index'));
  const broken = Buffer.from(bytes);
  broken.fill(0xff, 200, 260);
  for (const name of ['block_log.damaged', 'block_log.damaged-2']) {
    fs.mkdirSync(blockLog, { recursive: true });
    fs.writeFileSync(path, broken);
    fs.rmSync(join(blockLog, 'index'), { force: true });
    await refusedLater(t, STORAGE_ERRORS.block_log_corrupt, open(dataDir), 'damage in the middle');
    await (await open(dataDir, 'resync')).close();
    t.ok(fs.readFileSync(join(dataDir, 'blockchain', name, 'blocks')).equals(broken), name);
  }
  await (await open(dataDir, 'resync')).close();
  t.same(files(join(dataDir, 'blockchain'), /block_log/).length, 3, 'no third one');
});

t.test('a store that was never written may be begun anew', async (t) => {
  const path = join(temporary(t), 'store');
  await (await LevelKv.open(path)).close();
  fs.rmSync(path, { recursive: true });
  await (await LevelKv.open(path)).close();
  t.ok(nodeFiles.exists(path));
});

t.test(
  'a transaction index whose files are damaged, or of an earlier version, is built anew by the start',
  async (t) => {
    const damaged = 'the transaction index is damaged and is built anew';
    const cases: readonly (readonly [
      what: string,
      text: string,
      level: 'warn' | 'info',
      how: (folder: string) => void,
    ])[] = [
      ['files are cut', damaged, 'warn', (folder) => damage(folder, /\.ids$/, halve)],
      ['a header is changed', damaged, 'warn', (folder) => damage(folder, /\.ids$/, (file) => changeByte(file, 50))],
      [
        'a LevelDB of format 2',
        'the transaction index has the format of an earlier version and is built anew',
        'info',
        (folder) => {
          fs.rmSync(folder, { recursive: true });
          fs.mkdirSync(folder);
          fs.writeFileSync(join(folder, 'CURRENT'), 'MANIFEST-000002\n');
        },
      ],
    ];
    for (const [what, text, level, how] of cases) {
      const home = temporary(t);
      const index = join(home, 'data', 'blockchain', 'transaction_index');
      let dev = await twoLives(home, 40);
      await dev.node.stop();
      how(index);
      dev = await startDevNode(home, {}, dev.clock);
      t.ok(dev.log.texts(level).includes(text), what);
      const first = dev.node.chain.queries.blockByNumber(1)?.transactions[0];
      if (first === undefined) throw new Error('the first block of a development chain has transactions');
      const id = encodeWith(transaction, first, transactionId);
      const found = await rpcCall<{ operations: unknown[] }>(dev.node.endpoints.plain, 'get_transaction_rows', [id]);
      t.equal(found.operations.length, first.operations.length, 'and answers');
      await dev.node.stop();
      t.match(fs.readdirSync(index), [/^blocks-1-\d+\.ids$/], 'and is written');
    }
  },
);

t.test('a running node finds damage far behind its head, tells of it, and goes on', async (t) => {
  const home = temporary(t);
  let dev = await startDevNode(home);
  for (let i = 0; i < 60; i++) dev.clock.advance(3000);
  const old = dev.node.chain.queries.blockByNumber(5)?.witness_signature;
  if (old === undefined) throw new Error('a development chain has a fifth block');
  await dev.node.stop();
  const path = join(home, 'data', STORAGE_FOLDERS.blockLog, 'blocks');
  const bytes = fs.readFileSync(path);
  const at = bytes.indexOf(old);
  t.ok(at > 0, 'the block is in the log');
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
  fs.writeFileSync(path, bytes);
  dev = await startDevNode(home, { 'monitor-endpoint': '127.0.0.1:0' }, dev.clock);
  const before = dev.node.chain.queries.head.number;
  for (let i = 0; i < 10; i++) dev.clock.advance(3000);
  const told = dev.log.entries.filter(({ text }) => text === 'a block of the log is damaged');
  t.match(told, [{ level: 'error', module: 'storage', values: { block: 5 } }]);
  const metrics = await fetch(`http://${dev.node.endpoints.monitor}/metrics`);
  t.match(await metrics.text(), /trustnode_storage_damaged_blocks_total 1\n/);
  t.equal(dev.node.chain.queries.head.number, before + 10, 'blocks are made');
  await dev.node.stop();
});
