import t from 'tap';
import { stateIndexName } from '../../../plugins/search_db/names.js';
import { testElastic } from '../../services/elasticsearch/for-tests.js';
import { hasNoElastic } from '../../services/elasticsearch/tools.js';
import { eventually } from '../../support/eventually.js';
import { NodeProcess } from '../../support/node-process.js';
import { runTrustnode } from '../../support/run-trustnode.js';

/** The program itself, as an operator runs it, killed in between. */

const KILLS = 2;

t.test('a node with a search database is killed, and goes on', { skip: hasNoElastic }, async (t) => {
  const elastic = await testElastic();
  t.teardown(() => elastic.end());
  const dataDir = t.testdir();
  const prefix = elastic.prefix();
  const given = ['--data-dir', dataDir, '--searchdb-node-url', elastic.url, '--searchdb-index-prefix', prefix];
  const line = ['start', '--dev', ...given, '--rpc-endpoint', '127.0.0.1:0', '--plugins', 'witness search_db'];
  const block = async (): Promise<number> => {
    const answer = await fetch(`${elastic.url}${stateIndexName(prefix)}/_doc/cursor`);
    const { _source: cursor } = (await answer.json()) as { _source?: { place: { number: number } } };
    return cursor?.place.number ?? 0;
  };
  let before = 0;
  for (let life = 0; life <= KILLS; life++) {
    const node = new NodeProcess(line);
    await node.until(/the search database is there/);
    const least = before;
    before = await eventually(
      'more blocks are there',
      async () => {
        const now = await block();
        return now > least ? now : undefined;
      },
      200,
    );
    node.kill(life < KILLS ? 'SIGKILL' : 'SIGINT');
    const { code } = await node.finished;
    if (life === KILLS) t.equal(code, 0);
  }
  const verified = await runTrustnode(['search', 'verify', ...given]);
  t.equal(verified.code, 0, verified.stderr);
  t.match(JSON.parse(verified.stdout), { missing: 0, different: 0, surplus: 0, repaired: 0 });
  const ids = (await (await fetch(`${elastic.url}${prefix}*/_search?size=1`)).json()) as {
    hits: { hits: { _index: string; _id: string }[] };
  };
  const [one] = ids.hits.hits;
  await fetch(`${elastic.url}${one?._index}/_doc/${one?._id}`, { method: 'DELETE' });
  const holed = await runTrustnode(['search', 'verify', ...given]);
  t.equal(holed.code, 1);
  t.match(holed.stdout, `missing ${one?._index} ${one?._id}\n`);
  const mended = await runTrustnode(['search', 'verify', '--repair', '--quiet', ...given]);
  t.equal(mended.code, 0, mended.stderr);
  t.match(JSON.parse(mended.stdout), { missing: 1, repaired: 1 });
  const outside = await runTrustnode(['search', 'verify', '--to', '1000000', ...given]);
  t.equal(outside.code, 1);
  t.match(outside.stderr, 'blocks 1 to 1000000: this folder and the search database have the blocks 1 to');
});
