import t from 'tap';
import { searchClient } from '../../../plugins/search_db/client.js';
import { searchOptions } from '../../../plugins/search_db/options.js';
import { resolveOptions } from '../../../src/config/load.js';
import { FaultyProxy } from '../../services/elasticsearch/faulty-proxy.js';

t.test('a redirect, which nobody follows, is a failure that says what it is', async (t) => {
  const proxy = await FaultyProxy.start('http://127.0.0.1:1/', { fault: () => 302 });
  const line = new Map([['searchdb-node-url', [proxy.url]]]);
  const client = await searchClient(resolveOptions(searchOptions, line, new Map()));
  const redirected = /answers with status 302 and leads to nowhere/;
  await t.rejects(client.indices.putIndexTemplate({ name: 'a', index_patterns: ['a*'] }), redirected);
  await t.rejects(client.indices.exists({ index: 'a' }), redirected);
  await t.rejects(client.get({ index: 'a', id: 'cursor' }, { ignore: [404] }), redirected);
  await t.rejects(client.bulk({ operations: ['{}', '{}'] }), redirected);
  await client.close();
  await proxy.close();
});
