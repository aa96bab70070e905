import t, { type Test } from 'tap';
import { ElasticServer } from '../../services/elasticsearch/elastic.js';
import { cannotStartElastic } from '../../services/elasticsearch/tools.js';
import { eventually } from '../../support/eventually.js';
import { openGolden, pushTo, SearchWorld } from './support/search-world.js';
import { isWhole } from './support/whole.js';

/**
 * Refusals that are no fault of the documents: nothing is taken from them, they wait. On a server of its own, which refuses others
 * too for a while.
 */

const LAST = 60;
let prefixes = 0;

t.test('documents that are refused for their index', { skip: cannotStartElastic }, async (t) => {
  const server = await ElasticServer.start();
  t.teardown(() => server.remove());
  const stored = await openGolden();
  pushTo(stored, LAST);
  const { irreversible } = stored.chain.queries.head;

  const open = async (): Promise<{ w: SearchWorld; prefix: string; month: string }> => {
    const prefix = `p${prefixes++}-`;
    const w = new SearchWorld(stored, server.url, { prefix });
    await w.database.begin();
    return { w, prefix, month: `${prefix}2017-09` };
  };

  const isWholeOnceMended = async (
    t: Test,
    { w, prefix }: { w: SearchWorld; prefix: string },
    { reason, mend }: { reason: string; mend(): Promise<unknown> },
  ): Promise<void> => {
    const done = w.follow();
    await eventually('it was tried more than once', () => w.database.retry.count > 1);
    t.match(w.database.retry.trouble, reason);
    await mend();
    await done;
    t.equal(w.database.cursor.place.number, irreversible);
    t.equal(w.database.bulk.counts.reduced, 0, 'nothing was taken from any of them');
    t.notOk(w.log.entries.some(({ text }) => text === 'reduced'));
    await w.close();
    await isWhole(t, stored, server.url, prefix, irreversible, 'all is there');
  };

  await t.test('the index of the month is closed for a while', async (t) => {
    const { w, prefix, month: index } = await open();
    await w.client.indices.create({ index });
    await w.client.indices.close({ index });
    await isWholeOnceMended(
      t,
      { w, prefix },
      {
        reason: 'index_closed_exception',
        mend: () => w.client.indices.open({ index }),
      },
    );
  });

  await t.test('its name leads to two indexes, none of which takes writes', async (t) => {
    const { w, prefix, month } = await open();
    const indexes = [`${prefix}a`, `${prefix}b`];
    for (const index of indexes) await w.client.indices.create({ index, aliases: { [month]: {} } });
    await isWholeOnceMended(
      t,
      { w, prefix },
      {
        reason: 'illegal_argument_exception',
        mend: () => w.client.indices.delete({ index: indexes }),
      },
    );
  });

  await t.test('the server has as many shards as it may have', async (t) => {
    const { w, prefix } = await open();
    const limit = (most: number | null) =>
      w.client.cluster.putSettings({ persistent: { 'cluster.max_shards_per_node': most } });
    const { active_primary_shards: shards } = await w.client.cluster.health();
    await limit(shards);
    await isWholeOnceMended(t, { w, prefix }, { reason: 'validation_exception', mend: () => limit(null) });
  });
});
