import t from 'tap';
import type { JsonObject } from '../../../src/codec/json.js';
import { testElastic } from '../../services/elasticsearch/for-tests.js';
import { hasNoElastic } from '../../services/elasticsearch/tools.js';
import { GOLDEN_LAST } from '../../support/golden.js';
import { comparable, recordedDocuments, withoutAdded } from './support/recorded.js';
import { documentsIn, openGolden, pushTo, SearchWorld } from './support/search-world.js';

/** A real server holds of the recorded chain what the reference node has written. */

t.test('the documents of the recorded chain', { skip: hasNoElastic }, async (t) => {
  const elastic = await testElastic();
  t.teardown(() => elastic.end());
  const stored = await openGolden();
  pushTo(stored, GOLDEN_LAST);
  for (const style of ['object', 'text'] as const) {
    const prefix = elastic.prefix();
    const w = new SearchWorld(stored, elastic.url, { prefix, hasObjects: style === 'object', writesHead: true });
    await w.follow();
    await w.close();
    const { client } = new SearchWorld(stored, elastic.url, { prefix });
    const found = await documentsIn(client, prefix);
    const recorded = recordedDocuments(style);
    t.equal(recorded.length, 3279);
    t.equal(found.length, recorded.length, `${style}: as many documents`);
    let same = 0;
    let amounts = 0;
    for (const [at, { _index, _id, doc }] of recorded.entries()) {
      const ours = found[at];
      if (ours === undefined) break;
      const history = ours.doc.operation_history as JsonObject;
      const body = history.op_object as JsonObject | null;
      const shown = { ...ours.doc, operation_history: { ...history, op_object: body && withoutAdded(body) } };
      const isPlaced = ours._id === _id && ours._index === _index.replace('gxchain', prefix);
      if (JSON.stringify(body) !== JSON.stringify(shown.operation_history.op_object)) amounts++;
      if (isPlaced && comparable(shown) === comparable(doc)) same++;
      else if (same === at) t.same(comparable(shown), comparable(doc), `${ours._index} ${_id}`);
    }
    t.equal(same, recorded.length, `${style}: every one is equal, member for member`);
    t.equal(amounts > 3000, style === 'object', 'assets keep their amount as well');
    t.same(
      w.log.entries.filter(({ level }) => level !== 'info'),
      [],
      'nothing was refused',
    );
    await client.close();
  }
});
