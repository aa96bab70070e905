import { readFileSync } from 'node:fs';
import t from 'tap';
import { searchClient } from '../../../plugins/search_db/client.js';
import { searchOptions } from '../../../plugins/search_db/options.js';
import { resolveOptions } from '../../../src/config/load.js';
import { type Fault, FaultyProxy, type Seen } from '../../services/elasticsearch/faulty-proxy.js';
import { testElastic } from '../../services/elasticsearch/for-tests.js';
import { hasNoElastic } from '../../services/elasticsearch/tools.js';
import { eventually } from '../../support/eventually.js';
import { projectPath } from '../../support/paths.js';
import { recordedDocuments } from './support/recorded.js';
import { documentsIn, openGolden, pushTo, SearchWorld } from './support/search-world.js';
import { dice, isWhole } from './support/whole.js';

/** Whatever happens to either side or between them: afterwards every operation is there once. */

const LAST = 110;
/** A proxy that takes no longer bodies. */
const BYTES_MAX = 40_000;
const ROUNDS = Number(process.env.TRUSTNODE_SEARCH_ROUNDS ?? 1);
const SEED = Number(process.env.TRUSTNODE_SEARCH_SEED ?? 1);

t.test('faults', { skip: hasNoElastic }, async (t) => {
  const server = await testElastic();
  t.teardown(() => server.end());
  const stored = await openGolden();
  pushTo(stored, LAST);
  const { irreversible } = stored.chain.queries.head;
  for (let round = 0; round < ROUNDS; round++) {
    const roll = dice(SEED + round);
    const prefixes = new Map<string, string>();
    const prefix = (what: string): string => {
      const known = prefixes.get(what) ?? server.prefix();
      prefixes.set(what, known);
      return known;
    };

    await t.test('a network and a server that fail in every way', async (t) => {
      const kinds: readonly Fault[] = ['cut before', 'cut after', 'half', 'delay', 429, 500, 503];
      const used = new Set<Fault>();
      let isOver = false;
      let requests = 0;
      const fault = ({ path, body }: Seen): Fault => {
        if (path.startsWith('/_bulk') && body.length > BYTES_MAX) return 413;
        // There are more or fewer requests, as the machine is: two of three fail until every fault has come.
        const missing = kinds.filter((one) => !used.has(one));
        const isWell = missing.length > 0 ? requests++ % 3 === 2 : roll(2) === 0;
        const choice = missing.length > 0 ? missing : kinds;
        const kind = isOver || isWell ? 'none' : (choice[roll(choice.length)] as Fault);
        used.add(kind);
        return kind;
      };
      const proxy = await FaultyProxy.start(server.url, { fault });
      t.teardown(() => proxy.close());
      const w = new SearchWorld(stored, proxy.url, { prefix: prefix('net'), replayDocuments: 100 });
      await w.follow();
      await w.close();
      isOver = true;
      t.equal(used.size, kinds.length + 1, 'all of them came, and requests that are too large as well');
      t.ok(
        w.log.entries.some(({ level }) => level === 'warn'),
        'the operator is told',
      );
      await isWhole(t, stored, server.url, prefix('net'), irreversible, 'all is there');
    });

    await t.test('the node is killed before and after every request', async (t) => {
      let lives = 0;
      let position = 0;
      let idle = 0;
      while (position < irreversible) {
        // Lives get longer until something gets done: where a slow machine had the last one commit early, accounts are
        // looked up one by one.
        let left = 1 + roll(16 + 4 * idle);
        const isAfter = roll(2) === 0;
        let killed: Promise<void> | undefined;
        const proxy = await FaultyProxy.start(server.url, {
          fault: () => {
            if (--left > 0) return 'none';
            killed ??= w.kill();
            return isAfter ? 'cut after' : 'cut before';
          },
        });
        const w = new SearchWorld(stored, proxy.url, {
          prefix: prefix('kill'),
          replayDocuments: 40,
          commitDocuments: 60,
        });
        await w.follow().catch(() => undefined);
        await (killed ?? w.close());
        await proxy.close();
        const reached = w.database.cursor.place.number;
        idle = reached > position ? 0 : idle + 1;
        position = Math.max(position, reached);
        lives++;
      }
      t.ok(lives > 2, `${lives} lives`);
      await isWhole(t, stored, server.url, prefix('kill'), irreversible, 'all is there');
    });

    await t.test('a server that is too slow for large requests', async (t) => {
      let late = 0;
      const fault = ({ path, body }: Seen): Fault => {
        const isLate = path.startsWith('/_bulk') && body.length > BYTES_MAX;
        if (isLate) late++;
        return isLate ? 504 : 'none';
      };
      const proxy = await FaultyProxy.start(server.url, { fault });
      t.teardown(() => proxy.close());
      const w = new SearchWorld(stored, proxy.url, { prefix: prefix('slow') });
      await w.follow();
      t.equal(w.database.cursor.place.number, irreversible);
      t.ok(late > 0, `${late} took too long`);
      await w.close();
      await isWhole(t, stored, server.url, prefix('slow'), irreversible, 'all is there');
    });

    await t.test('an index that may not be written for a while', async (t) => {
      const w = new SearchWorld(stored, server.url, { prefix: prefix('locked') });
      const index = `${prefix('locked')}2017-09`;
      await w.database.begin();
      await w.client.indices.create({ index });
      await w.client.indices.putSettings({ index, settings: { 'index.blocks.read_only_allow_delete': true } });
      const done = w.follow();
      await eventually('it was noticed', () => w.database.retry.trouble);
      t.match(w.database.retry.trouble, 'cluster_block_exception');
      await w.client.indices.putSettings({ index, settings: { 'index.blocks.read_only_allow_delete': null } });
      await done;
      t.equal(w.database.cursor.place.number, irreversible);
      await w.close();
      await isWhole(t, stored, server.url, prefix('locked'), irreversible, 'all is there');
    });

    await t.test('undone blocks are taken back, in this life and in the next', async (t) => {
      const own = await openGolden();
      pushTo(own, 80);
      const settings = { prefix: prefix('head'), writesHead: true, replayDocuments: 40 };
      const first = new SearchWorld(own, server.url, settings);
      await first.follow();
      const recorded = recordedDocuments('object').map(
        ({ doc }) => (doc.block_data as { block_num: number }).block_num,
      );
      const lastUpTo = (to: number): number => Math.max(...recorded.filter((number) => number <= to));
      t.ok(lastUpTo(82) > 80 && lastUpTo(80) > lastUpTo(76), 'they did something');
      const numbers = async (): Promise<number[]> => {
        const found = await documentsIn(first.client, settings.prefix);
        return found.map(({ doc }) => (doc.block_data as { block_num: number }).block_num);
      };
      t.equal(Math.max(...(await numbers())), lastUpTo(80), 'as soon as a block is there');
      own.chain.blocks.popTo(74);
      await first.follow();
      t.equal(Math.max(...(await numbers())), lastUpTo(74), 'and no longer than it is');
      pushTo(own, 82);
      await first.follow();
      await first.database.retry.giveUp();
      own.chain.blocks.popTo(76);
      const second = new SearchWorld(own, server.url, settings);
      await second.follow();
      t.equal(Math.max(...(await numbers())), lastUpTo(76), 'also when it went while nobody was there');
      pushTo(own, 100);
      await second.follow();
      await first.close();
      await second.close();
      await isWhole(t, own, server.url, settings.prefix, 100, 'all is there');
    });
  }

  await t.test('a document that is refused for what is in it gets less in it, and nothing waits for it', async (t) => {
    const prefix = server.prefix();
    const w = new SearchWorld(stored, server.url, { prefix });
    await w.database.begin();
    const mappings = {
      properties: { operation_history: { properties: { op_object: { properties: { owner: { type: 'long' } } } } } },
    } as const;
    await w.client.indices.create({ index: `${prefix}2017-09`, mappings });
    await w.follow();
    t.equal(w.database.cursor.place.number, irreversible);
    const { missing, different, surplus, reduced } = await w.verify(irreversible);
    t.same({ missing, different, surplus }, { missing: 0, different: 0, surplus: 0 });
    t.ok(reduced > 0 && reduced === w.database.bulk.counts.reduced, `${reduced} have less in them`);
    t.ok(w.log.entries.some(({ text }) => text === 'reduced'));
    await w.close();
  });

  await t.test('a second node takes over, the first one stops; another chain is refused', async (t) => {
    const prefix = server.prefix();
    const own = await openGolden();
    pushTo(own, 40);
    const first = new SearchWorld(own, server.url, { prefix });
    await first.follow();
    const second = new SearchWorld(own, server.url, { prefix });
    await second.follow();
    pushTo(own, 60);
    await t.rejects(first.follow(), /another node has written to the search database/);
    await second.follow();
    await first.close();
    await second.close();
    await isWhole(t, own, server.url, prefix, own.chain.queries.head.irreversible, 'all is there');
    const foreign = new SearchWorld(own, server.url, { prefix, chain: '00'.repeat(32) });
    await t.rejects(foreign.follow(), /holds the histories of chain/);
    await foreign.close();
  });

  await t.test('TLS, a password and an API key', async (t) => {
    const file = (name: string): string => projectPath('test', 'vectors', 'plugins', 'search', 'tls', name);
    let authorization: string | undefined;
    const proxy = await FaultyProxy.start(server.url, {
      tls: { key: readFileSync(file('key.pem')), cert: readFileSync(file('certificate.pem')) },
      fault: ({ headers }) => {
        authorization = headers.authorization;
        return 'none';
      },
    });
    // Also where something fails before the end: the file would not come to its own.
    t.teardown(() => proxy.close());
    const ask = async (given: Record<string, string>): Promise<string | undefined> => {
      const all = { 'searchdb-node-url': proxy.url, 'searchdb-tls-ca': file('certificate.pem'), ...given };
      const line = new Map(Object.entries(all).map(([name, value]) => [name, [value]] as const));
      const client = await searchClient(resolveOptions(searchOptions, line, new Map()));
      try {
        await client.cluster.health();
      } finally {
        await client.close();
      }
      return authorization;
    };
    const base64 = (text: string): string => Buffer.from(text).toString('base64');
    t.equal(await ask({ 'searchdb-basic-auth': 'alice:se:cret ü' }), `Basic ${base64('alice:se:cret ü')}`);
    t.equal(await ask({ 'searchdb-basic-auth': 'alice' }), `Basic ${base64('alice:')}`);
    t.equal(await ask({ 'searchdb-api-key': 'a2V5' }), 'ApiKey a2V5');
    await t.rejects(ask({ 'searchdb-tls-ca': '' }), /certificate/, 'nobody else is believed');
    await t.rejects(ask({ 'searchdb-basic-auth': 'a:b', 'searchdb-api-key': 'c' }), /cannot be used together/);
  });
});
