import type { Client } from '@elastic/elasticsearch';
import t from 'tap';
import { stateIndexName } from '../../../plugins/search_db/names.js';
import { templateName } from '../../../plugins/search_db/template.js';
import { FaultyProxy } from '../../services/elasticsearch/faulty-proxy.js';
import { testElastic } from '../../services/elasticsearch/for-tests.js';
import { hasNoElastic } from '../../services/elasticsearch/tools.js';
import { eventually } from '../../support/eventually.js';
import { openGolden, pushTo, SearchWorld } from './support/search-world.js';
import { isWhole } from './support/whole.js';

/** What the plugin has noted down in the search database goes, or becomes that of an earlier time, under its hands. */

interface Copied {
  readonly _id: string;
  readonly _version: number;
  readonly _source: object;
}

async function copyOf(client: Client, index: string): Promise<readonly Copied[]> {
  await client.indices.refresh({ index });
  const { hits } = await client.search({ index, size: 1000, version: true });
  return hits.hits as unknown as readonly Copied[];
}

/** As a restored snapshot has it. */
async function putBack(client: Client, index: string, copy: readonly Copied[]): Promise<void> {
  await client.indices.delete({ index });
  const operations = copy.flatMap(({ _id, _version: version, _source }) => [
    { index: { _index: index, _id, version, version_type: 'external' } },
    _source,
  ]);
  const { errors } = await client.bulk({ operations });
  if (errors) throw new Error('it cannot be put back');
}

t.test('what the plugin has noted down is replaced', { skip: hasNoElastic }, async (t) => {
  const server = await testElastic();
  t.teardown(() => server.end());
  const replaced = /another node has written to the search database/;

  await t.test('it is gone while the node is at work', async (t) => {
    const stored = await openGolden();
    const prefix = server.prefix();
    const first = new SearchWorld(stored, server.url, { prefix });
    pushTo(stored, 60);
    await first.follow();
    await first.client.indices.delete({ index: stateIndexName(prefix) });
    pushTo(stored, 100);
    await t.rejects(first.follow(), replaced);
    t.notOk(await first.client.indices.exists({ index: stateIndexName(prefix) }), 'nothing was written any more');
    await first.close();
    const second = new SearchWorld(stored, server.url, { prefix, commitDocuments: 20 });
    await second.follow();
    await second.close();
    await isWhole(t, stored, server.url, prefix, stored.chain.queries.head.irreversible, 'all is there');
  });

  await t.test('it is an older copy', async (t) => {
    const stored = await openGolden();
    const prefix = server.prefix();
    const state = stateIndexName(prefix);
    const first = new SearchWorld(stored, server.url, { prefix });
    pushTo(stored, 60);
    await first.follow();
    const copy = await copyOf(first.client, state);
    pushTo(stored, 100);
    await first.follow();
    await putBack(first.client, state, copy);
    pushTo(stored, 140);
    await t.rejects(first.follow(), replaced);
    await first.close();
    const second = new SearchWorld(stored, server.url, { prefix, commitDocuments: 20 });
    await second.follow();
    await second.close();
    await isWhole(t, stored, server.url, prefix, stored.chain.queries.head.irreversible, 'all is there');
  });

  await t.test('it becomes an older copy while the server refuses what the node writes', async (t) => {
    const stored = await openGolden();
    const prefix = server.prefix();
    const state = stateIndexName(prefix);
    let isFull = false;
    const proxy = await FaultyProxy.start(server.url, {
      fault: ({ path, body }) => (isFull && path.startsWith('/_bulk') && body.includes('"before"') ? 503 : 'none'),
    });
    const first = new SearchWorld(stored, proxy.url, { prefix });
    pushTo(stored, 60);
    await first.follow();
    const second = new SearchWorld(stored, server.url, { prefix, commitDocuments: 20 });
    const copy = await copyOf(second.client, state);
    pushTo(stored, 100);
    await first.follow();
    isFull = true;
    pushTo(stored, 140);
    const ended = t.rejects(first.follow(), replaced);
    await eventually('it was noticed', () => first.database.retry.trouble);
    await putBack(second.client, state, copy);
    isFull = false;
    await ended;
    await first.close();
    await proxy.close();
    await second.follow();
    await second.close();
    await isWhole(t, stored, server.url, prefix, stored.chain.queries.head.irreversible, 'all is there');
  });

  await t.test('it is gone, and blocks that may be undone are written: what was there is written anew', async (t) => {
    const stored = await openGolden();
    const prefix = server.prefix();
    const settings = { prefix, writesHead: true };
    pushTo(stored, 60);
    const first = new SearchWorld(stored, server.url, settings);
    await first.follow();
    for (const back of [58, 57]) {
      stored.chain.blocks.popTo(back);
      await first.follow();
      pushTo(stored, 60);
      await first.follow();
    }
    await first.close();
    const wrong = { id: '2.9.3', index: `${prefix}2017-09` };
    const second = new SearchWorld(stored, server.url, settings);
    await second.client.index({ ...wrong, document: { block_data: { block_num: 1 } } });
    await second.client.indices.delete({ index: stateIndexName(prefix) });
    await second.follow();
    await second.close();
    await isWhole(t, stored, server.url, prefix, 60, 'all is there');
  });

  await t.test('the index template is gone when the next month begins', async (t) => {
    const stored = await openGolden();
    const prefix = server.prefix();
    const name = templateName(prefix);
    const w = new SearchWorld(stored, server.url, { prefix, writesHead: true });
    pushTo(stored, 60);
    await w.follow();
    const { index_templates: before } = await w.client.indices.getIndexTemplate({ name });
    await w.client.indices.deleteIndexTemplate({ name });
    pushTo(stored, 300);
    await w.follow();
    const after = await w.client.indices.getIndexTemplate({ name }, { ignore: [404] });
    t.same(after.index_templates, before, 'it is put again');
    const months = Object.values(await w.client.indices.getMapping({ index: `${prefix}*` }));
    const [first, ...later] = months.map(({ mappings }) => mappings.properties?.account_history);
    t.not(later.length, 0);
    for (const one of later) t.same(one, first, 'types of fields are not guessed');
    await w.close();
  });
});
