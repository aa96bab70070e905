import fs, { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import '../../src/operations/index.js';
import { encodeWith } from '../../src/codec/binary.js';
import { transactionId } from '../../src/crypto/digests.js';
import { transaction } from '../../src/protocol/transaction.js';
import { STORAGE_ERRORS } from '../../src/storage/errors.js';
import { IdRuns } from '../../src/storage/transaction-index/id-runs.js';
import { startDevNode } from '../support/dev-node.js';
import { eventually } from '../support/eventually.js';
import { refusedLater } from '../support/refused.js';
import { replace } from '../support/replaced.js';
import { rpcCall } from '../support/rpc-call.js';
import { openIndex, twoLives } from '../support/transaction-index.js';

t.test('a folder for the transaction index is for one node at a time', async (t) => {
  const folder = t.testdir({ first: {}, second: {} });
  const line = { 'query-txid-path': join(folder, 'transactions') };
  const { node } = await startDevNode(join(folder, 'first'), line);
  await refusedLater(t, STORAGE_ERRORS.storage_in_use, startDevNode(join(folder, 'second'), line));
  await node.stop();
});

t.test('what others have in that folder stays, a database of theirs too', async (t) => {
  const folder = t.testdir();
  const transactions = join(folder, 'transactions');
  mkdirSync(transactions);
  for (const name of ['CURRENT', 'MANIFEST-000002', '000005.ldb']) writeFileSync(join(transactions, name), name);
  const line = { 'query-txid-path': transactions };
  const { node, clock, log } = await startDevNode(folder, line);
  t.ok(log.texts('info').some((text) => text.startsWith('beside the transaction index lies a LevelDB')));
  await node.stop();
  const again = await startDevNode(folder, { ...line, 'resync-blockchain': 'true' }, clock);
  await again.node.stop();
  t.same(readdirSync(transactions).sort(), ['000005.ldb', 'CURRENT', 'MANIFEST-000002', 'lock']);
});

t.test('an index that begins behind the blocks that are there is built anew', async (t) => {
  const folder = t.testdir();
  const transactions = join(folder, 'transactions');
  const line = { 'query-txid-path': transactions };
  const { node, clock } = await twoLives(folder, 20, line);
  const { queries } = node.chain;
  const ids = Array.from({ length: 16 }, (_, number) => queries.blockIdOf(number) ?? '');
  const place = (number: number): { number: number; id: string } => ({ number, id: ids[number] ?? '' });
  const first = queries.blockByNumber(1)?.transactions[0];
  if (first === undefined) throw new Error('the first block of a development chain has transactions');
  await node.stop();
  IdRuns.clear(transactions);
  // As a node makes it whose chain has begun with a snapshot of block 5.
  const later = openIndex(transactions, node.chainId);
  later.skipTo(place(5));
  for (let number = 6; number <= 15; number++) later.apply({ ...place(number), transactionIds: [] });
  later.settle(15);
  await later.close();
  const again = await startDevNode(folder, line, clock);
  t.ok(again.log.texts('warn').includes('the transaction index begins behind the blocks and is built anew'));
  const id = encodeWith(transaction, first, transactionId);
  const found = await eventually('found', () =>
    rpcCall<{ operations: unknown[] }>(again.node.endpoints.plain, 'get_transaction_rows', [id]).catch(() => undefined),
  );
  t.equal(found.operations.length, first.operations.length);
  await again.node.stop();
  t.match(readdirSync(transactions), [/^blocks-1-\d+\.ids$/, 'lock']);
});

t.test('the folder is free again when its last write has failed', async (t) => {
  const folder = t.testdir();
  const transactions = join(folder, 'transactions');
  const line = { 'query-txid-path': transactions };
  const { node, clock } = await twoLives(folder, 20, line);
  for (let block = 1; block <= 40; block++) mkdirSync(join(transactions, `blocks-1-${block}.ids.tmp`));
  t.equal(await node.stop(), false, 'the stop says that something is wrong');
  const again = await startDevNode(folder, line, clock);
  t.equal(await again.node.stop(), true);
});

t.test('a start that is killed while it removes an older index is followed by one that removes the rest', async (t) => {
  const folder = t.testdir();
  const older = join(folder, 'data', 'blockchain', 'transaction_index');
  mkdirSync(older, { recursive: true });
  for (const name of ['CURRENT', 'MANIFEST-000002', '000005.ldb']) writeFileSync(join(older, name), name);
  const { rmSync } = fs;
  const restore = replace(t, fs, 'rmSync', (path, options) => {
    if (String(path).endsWith('MANIFEST-000002')) throw new Error('killed');
    rmSync(path, options);
  });
  await t.rejects(startDevNode(folder), /killed/);
  restore();
  const { node } = await startDevNode(folder);
  await node.stop();
  t.notOk(readdirSync(older).some((name) => /CURRENT|MANIFEST|ldb/.test(name)));
});
