import t from 'tap';
import { PrivateKey } from '../../src/crypto/private-key.js';
import { devAccountEntries } from '../../src/node/dev/dev-network.js';
import { loadSettings } from '../../src/node/load-settings.js';
import { NODE_PARTS } from '../../src/node/parts/list.js';
import { lineOf, startDevNode } from '../support/dev-node.js';
import { rpcCall } from '../support/rpc-call.js';

/** As many funded accounts as one likes. */

t.test('more accounts, with what each is to have, and keys that everybody knows', async (t) => {
  const folder = t.testdir();
  const chain = await startDevNode(folder, { 'dev-accounts': '25', 'dev-balance': '1234' });
  const entries = devAccountEntries(chain.node.chain.queries.state);
  t.equal(entries.length, 28, 'told of at the start, before the first block');
  t.equal(entries[27]?.name, 'dev-25');
  t.equal(entries[27]?.wif, PrivateKey.fromSeed('trustnode dev dev-25').toWif());
  await chain.node.dev?.mine(5, 0);
  t.same(devAccountEntries(chain.node.chain.queries.state), entries, 'they are what they were said to be');
  const found = await rpcCall<{ amount: string | number }[]>(chain.node.endpoints.plain, 'get_named_account_balances', [
    'dev-25',
    ['1.3.1'],
  ]);
  t.equal(String(found[0]?.amount), '123400000');
  t.same(
    chain.log.texts('warn').filter((text) => text.includes('not as it is expected')),
    [],
  );
  await chain.node.stop();
  const again = await startDevNode(folder, {}, chain.clock);
  t.teardown(() => again.node.stop());
  t.same(devAccountEntries(again.node.chain.queries.state), entries);
});

t.test('dev-accounts is for development chains alone', (t) => {
  const given = lineOf({ 'data-dir': t.testdir(), 'dev-accounts': '2' });
  t.throws(() => loadSettings(given, NODE_PARTS), { message: /dev-accounts/ });
  t.end();
});
