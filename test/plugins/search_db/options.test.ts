import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import searchDb from '../../../plugins/search_db/index.js';
import { stateIndexName } from '../../../plugins/search_db/names.js';
import { DEV_ACCOUNTS } from '../../../src/node/dev/dev-network.js';
import { nodeParts } from '../../../src/node/parts/list.js';
import { signedTransaction } from '../../../src/protocol/transaction.js';
import { FaultyProxy } from '../../services/elasticsearch/faulty-proxy.js';
import { testElastic } from '../../services/elasticsearch/for-tests.js';
import { hasNoElastic } from '../../services/elasticsearch/tools.js';
import { type Line, startDevNode } from '../../support/dev-node.js';
import { eventually } from '../../support/eventually.js';
import { FakeClock } from '../../support/fake-clock.js';
import { NETWORK } from '../../support/network.js';
import { rpcCall, signedBy } from '../../support/rpc-call.js';

/** Options of search_db as an operator gives them, for a chain that is there already. */

/** In one block, besides those that the network begins with: each is in two histories. */
const TRANSFERS = 5;
const WEEK_MS = 7 * 86_400_000;
const PARTS = nodeParts([searchDb]);

interface Document {
  readonly operation_history: { readonly op: string; readonly op_object: { readonly from: string } | null };
}

/** A chain of a development node with some transfers, whose blocks begin at this time. Nobody has its histories yet. */
async function chainFrom(folder: string, startMs: number): Promise<FakeClock> {
  const { node, clock } = await startDevNode(folder, { plugins: 'witness' }, new FakeClock(startMs), PARTS);
  clock.advance(30_000);
  const { plain } = node.endpoints;
  const accounts = await rpcCall<{ id: string }[]>(plain, 'lookup_account_names', [['alice', 'bob']]);
  const [from, to] = accounts.map(({ id }) => id);
  for (let amount = 1; amount <= TRANSFERS; amount++) {
    const transfer = { from, to, amount: { amount, asset_id: '1.3.1' }, extensions: [] };
    const signed = await signedBy(plain, DEV_ACCOUNTS[0]?.key, [[0, transfer]]);
    const body = signedTransaction.toJson(signed, NETWORK);
    await rpcCall(plain, 'call', [2, 'broadcast_transaction', [body]]);
  }
  clock.advance(120_000);
  await node.stop();
  return clock;
}

t.test('options of search_db', { skip: hasNoElastic }, async (t) => {
  const elastic = await testElastic();
  t.teardown(() => elastic.end());

  /** What is in the database after a node with these options, and the most documents of one request. */
  const found = async (t: Test, folder: string, clock: FakeClock, more: Line = {}) => {
    const prefix = elastic.prefix();
    let most = 0;
    const proxy = await FaultyProxy.start(elastic.url, {
      fault: ({ path, body }) => {
        if (path.includes('_bulk')) most = Math.max(most, body.toString().split('"_id":"2.9.').length - 1);
        return 'none';
      },
    });
    t.teardown(() => proxy.close());
    const given = { 'searchdb-node-url': proxy.url, 'searchdb-index-prefix': prefix, 'searchdb-replicas': '0' };
    const { node } = await startDevNode(folder, { plugins: 'witness search_db', ...given, ...more }, clock, PARTS);
    const ask = async <T>(path: string): Promise<T> => (await (await fetch(`${elastic.url}${path}`)).json()) as T;
    const { last_irreversible_block_num: last } = await rpcCall<{ last_irreversible_block_num: number }>(
      node.endpoints.plain,
      'get_dynamic_global_properties',
      [],
    );
    await eventually('all blocks that stay are there', async () => {
      const path = `${stateIndexName(prefix)}/_doc/cursor`;
      const { _source: cursor } = await ask<{ _source?: { place: { number: number } } }>(path);
      return cursor?.place.number === last;
    });
    await node.stop();
    await fetch(`${elastic.url}${prefix}*/_refresh`, { method: 'POST' });
    const { hits } = await ask<{ hits: { hits: { _source: Document }[] } }>(
      `${prefix}*/_search?size=1000&q=operation_type:0`,
    );
    const settings = await ask<Record<string, { settings: { index: { number_of_shards: string } } }>>(
      `${prefix}*/_settings`,
    );
    const shards = Object.values(settings).map((one) => Number(one.settings.index.number_of_shards));
    return { most, shards: shards[0], transfers: hits.hits.map(({ _source }) => _source.operation_history) };
  };

  await t.test('how many lines a request has, with blocks of long ago and with new ones', async (t) => {
    const old = t.testdir();
    const lines = { 'searchdb-bulk-replay': '4', 'searchdb-bulk-sync': '6' };
    const replayed = await found(t, old, await chainFrom(old, Date.now() - WEEK_MS), lines);
    t.equal(replayed.most, 2, 'documents of two lines each');
    t.ok(replayed.transfers.length >= 2 * TRANSFERS);
    const recent = join(old, 'recent');
    const synced = await found(t, recent, await chainFrom(recent, Date.now()), lines);
    t.equal(synced.most, 3);
    t.equal(synced.transfers.length, replayed.transfers.length);
  });

  await t.test('what operations look like, shards, and a limit that is none', async (t) => {
    const folder = t.testdir();
    const clock = await chainFrom(folder, Date.now() - WEEK_MS);
    const usual = await found(t, folder, clock);
    t.equal(usual.shards, 1);
    t.ok(usual.most > 3, 'more than one block in a request');
    t.ok(usual.transfers.length >= 2 * TRANSFERS);
    t.match(usual.transfers[0], { op: '', op_object: { from: /^1\.2\.\d+$/ } });

    const config = join(folder, 'data', 'config.ini');
    appendFileSync(config, '\nelasticsearch-operation-object = false\nsearchdb-shards = 2\n');
    const written = await found(t, folder, clock, { 'searchdb-max-ops-per-account': '1' });
    t.equal(written.shards, 2, 'from config.ini');
    t.equal(written.transfers.length, usual.transfers.length, 'accounts keep more than one');
    t.match(written.transfers[0], { op: /^\[0,\{"fee":/, op_object: undefined });

    const both = await found(t, folder, clock, { 'searchdb-operation-object': 'true', 'searchdb-shards': '3' });
    t.equal(both.shards, 3, 'the command line goes first');
    t.match(both.transfers[0], { op: '', op_object: { from: /^1\.2\.\d+$/ } });
  });
});
