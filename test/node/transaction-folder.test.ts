import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { STORAGE_ERRORS } from '../../src/storage/errors.js';
import { startDevNode } from '../support/dev-node.js';
import { refusedLater } from '../support/refused.js';

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
