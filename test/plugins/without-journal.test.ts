import { join } from 'node:path';
import t from 'tap';
import accountHistory from '../../plugins/account_history/index.js';
import searchDb from '../../plugins/search_db/index.js';
import { SocketConnection } from '../../src/client/connection.js';
import type { Json } from '../../src/codec/json.js';
import { nodeParts } from '../../src/node/parts/list.js';
import { FOLLOWER_ERRORS } from '../../src/plugin/errors.js';
import { startDevNode } from '../support/dev-node.js';
import { eventually } from '../support/eventually.js';
import { rpcCall } from '../support/rpc-call.js';

/** `operation-journal = false`: what stands in blocks alone works, what needs the journal is refused by name. */

const parts = nodeParts([accountHistory]);

t.test('transactions are found and subscribers are told from blocks alone', async (t) => {
  const dev = await startDevNode(t.testdir(), { 'operation-journal': 'false' }, undefined, parts);
  t.teardown(() => dev.node.stop());
  const { plain } = dev.node.endpoints;
  const socket = await SocketConnection.open(`ws://${plain}/`, {});
  const [blocks, objects]: [Json[], Json[]] = [[], []];
  const onBlock = Number(socket.subscribe((id) => blocks.push(id)));
  const onObject = Number(socket.subscribe((changed) => objects.push(changed)));
  await socket.request('set_block_applied_callback', [onBlock]);
  await socket.request('set_subscribe_callback', [onObject, true]);
  await socket.request('get_objects', [['2.1.0']]);
  dev.clock.advance(60_000);
  const { head } = dev.node.chain.queries;
  await eventually('every block is told', () => blocks.includes(head.id));
  await eventually('objects are told', () => JSON.stringify(objects).includes('"2.1.0"'));
  let found = 0;
  for (let number = 1; number <= head.irreversible; number++) {
    const block = await rpcCall<{ transaction_ids: string[]; transactions: object[] }>(plain, 'get_block', [number]);
    for (const [i, txid] of block.transaction_ids.entries()) {
      t.same(await rpcCall(plain, 'get_transaction_rows', [txid]), block.transactions[i]);
      found++;
    }
  }
  t.ok(found > 0, `${found} transactions`);
  socket.close();
});

t.test('a plugin for histories is refused together with it', async (t) => {
  const line = { 'operation-journal': 'false', plugins: 'witness account_history', 'max-ops-per-account': '10' };
  const folder = join(t.testdir(), 'refused');
  const found = await startDevNode(folder, line, undefined, parts).then(
    () => 'not refused',
    (error: unknown) => error,
  );
  t.match(found, { row: FOLLOWER_ERRORS.follower_needs_journal, data: { name: 'account_history' } });
  // Its database need not be there for that.
  const search = await startDevNode(
    join(t.testdir(), 'search'),
    { 'operation-journal': 'false', plugins: 'witness search_db' },
    undefined,
    nodeParts([searchDb]),
  ).then(
    () => 'not refused',
    (error: unknown) => error,
  );
  t.match(search, { row: FOLLOWER_ERRORS.follower_needs_journal, data: { name: 'search_db' } });
});
