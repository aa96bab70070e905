import t from 'tap';
import { forkBlocks } from '../../rpc/support/recorded-notices.js';
import { testElastic } from '../../services/elasticsearch/for-tests.js';
import { hasNoElastic } from '../../services/elasticsearch/tools.js';
import { GOLDEN_LAST } from '../../support/golden.js';
import { documentsIn, openGolden, pushTo, SearchWorld } from './support/search-world.js';

/** A switch to a branch with other operations: what was written of the lost one is taken back or replaced. */

const BEFORE = 5;

t.test('documents of a lost branch give way to those of the other one', { skip: hasNoElastic }, async (t) => {
  const server = await testElastic();
  t.teardown(() => server.end());
  const branch = [...forkBlocks().values()];
  const common = Math.min(...forkBlocks().keys()) - 1;
  const own = await openGolden();
  pushTo(own, GOLDEN_LAST);
  const lost = own.chain.queries.head.id;
  const prefix = server.prefix();
  const w = new SearchWorld(own, server.url, { prefix, writesHead: true, startAfterBlock: common - BEFORE });
  await w.follow();
  const texts = async (): Promise<Map<string, string>> =>
    new Map((await documentsIn(w.client, prefix)).map(({ _id, doc }) => [_id, JSON.stringify(doc)]));
  const before = await texts();
  for (const block of branch) own.chain.blocks.push({ block });
  const { head } = own.chain.queries;
  t.not(own.chain.queries.blockIdOf(GOLDEN_LAST), lost, 'it is another branch');
  await w.follow();
  const after = await texts();
  const changed = [...before].filter(([id, text]) => after.has(id) && after.get(id) !== text);
  t.ok(changed.length > 0, `${changed.length} of ${before.size} documents say something else now`);
  const { missing, different, surplus, lines } = await w.verify(head.number);
  t.same({ missing, different, surplus, lines }, { missing: 0, different: 0, surplus: 0, lines: [] });
  await w.close();
});

t.test('catching up fast, blocks that stay are left behind all the same', { skip: hasNoElastic }, async (t) => {
  const server = await testElastic();
  t.teardown(() => server.end());
  const own = await openGolden();
  pushTo(own, GOLDEN_LAST);
  await own.storage.flush();
  const prefix = server.prefix();
  const places = new Set<number>();
  const w = new SearchWorld(own, server.url, {
    prefix,
    writesHead: true,
    commitDocuments: 100,
    // However much is done, no time passes.
    monotonicMs: () => 0,
    lastNumber: () => {
      places.add(w.database.cursor.place.number);
      return own.chain.queries.head.number;
    },
  });
  await w.follow();
  t.ok(places.size > 3, `the cursor was at ${[...places].join()} on the way`);
  await w.close();
});
