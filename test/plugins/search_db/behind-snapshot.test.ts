import t from 'tap';
import { AccountHistory } from '../../../plugins/account_history/history.js';
import { testElastic } from '../../services/elasticsearch/for-tests.js';
import { hasNoElastic } from '../../services/elasticsearch/tools.js';
import { FollowedChain } from '../../support/followed-chain.js';
import { goldenBlocks, goldenGenesis } from '../../support/golden.js';
import { MemoryDisk } from '../../support/memory-disk.js';
import { emptyStore } from '../../support/plugin-store.js';
import { restoredDisk } from '../../support/restored-disk.js';
import { recordedDocuments } from './support/recorded.js';
import { documentsIn, type Found, openGolden, pushTo, SearchWorld } from './support/search-world.js';

/** A search database that is filled by a node that began with a snapshot has the recorded documents from there on. */

const TAKEN_AT = 60;
const LAST = 120;

t.test('documents behind a snapshot are numbered as recorded', { skip: hasNoElastic }, async (t) => {
  const server = await testElastic();
  t.teardown(() => server.end());
  const first = await FollowedChain.open(goldenGenesis(), new MemoryDisk(goldenGenesis()));
  const options = { accounts: undefined, operationsMax: 5, isPartial: true };
  const added = first.host.add(new AccountHistory(emptyStore(), options));
  first.push([...goldenBlocks()], TAKEN_AT);
  await added.caughtUp();
  const disk = await restoredDisk(first, t.testdir());
  await first.close();

  const stored = await openGolden(disk);
  const from = stored.chain.queries.head.number + 1;
  pushTo(stored, LAST);
  const prefix = server.prefix();
  const w = new SearchWorld(stored, server.url, { prefix });
  await w.follow();
  const { irreversible } = stored.chain.queries.head;
  t.equal(w.database.cursor.place.number, irreversible);
  const blockOf = (doc: Record<string, unknown>): number => (doc.block_data as { block_num: number }).block_num;
  const wanted = recordedDocuments('object').filter(({ doc }) => blockOf(doc) >= from && blockOf(doc) <= irreversible);
  const found = await documentsIn(w.client, prefix);
  t.ok(found.length > 50, `${found.length} documents`);
  const named = ({ _index, _id, doc }: Found): unknown => [_index.slice(-'2017-09'.length), _id, doc.account_history];
  t.same(found.map(named), wanted.map(named));
  const verified = await w.verify(irreversible);
  t.match(verified, { missing: 0, different: 0, surplus: 0, documents: found.length });
  const [hole] = found;
  await w.client.delete({ index: String(hole?._index), id: String(hole?._id), refresh: true });
  t.match((await w.verify(irreversible)).lines, [`missing ${hole?._index} ${hole?._id}`]);
  t.match(await w.verify(irreversible, true), { missing: 1, repaired: 1 });
  t.same((await documentsIn(w.client, prefix)).map(named), wanted.map(named), 'mended with the recorded numbers');
  await w.close();

  // The next life goes on from there.
  pushTo(stored, LAST + 40);
  const again = new SearchWorld(stored, server.url, { prefix });
  await again.follow();
  t.ok(again.database.cursor.place.number > irreversible);
  await again.close();

  const earlier = await openGolden();
  pushTo(earlier, 20);
  const gap = server.prefix();
  const other = new SearchWorld(earlier, server.url, { prefix: gap });
  await other.follow();
  await other.close();
  const behind = new SearchWorld(stored, server.url, { prefix: gap });
  await t.rejects(behind.follow(), /has the blocks up to \d+, and this node begins behind a snapshot with block/);
  await behind.close();
});
