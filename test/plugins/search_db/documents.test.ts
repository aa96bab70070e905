import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { SearchDocument } from '../../../plugins/search_db/documents.js';
import type { JsonObject } from '../../../src/codec/json.js';
import type { StoredChain } from '../../../src/node/chain/stored-chain.js';
import { type TestElastic, testElastic } from '../../services/elasticsearch/for-tests.js';
import { hasNoElastic } from '../../services/elasticsearch/tools.js';
import { GOLDEN_LAST } from '../../support/golden.js';
import { projectPath } from '../../support/paths.js';
import { comparable, recordedDocuments, withoutAdded } from './support/recorded.js';
import { documentsIn, type Found, openGolden, pushTo, SearchWorld } from './support/search-world.js';

const QUERIES = projectPath('ops', 'search');

t.test('what a real server holds of the recorded chain', { skip: hasNoElastic }, async (t) => {
  const elastic = await testElastic();
  t.teardown(() => elastic.end());
  const stored = await openGolden();
  pushTo(stored, GOLDEN_LAST);
  for (const style of ['object', 'text'] as const) {
    const prefix = elastic.prefix();
    const w = new SearchWorld(stored, elastic.url, { prefix, hasObjects: style === 'object', writesHead: true });
    await w.follow();
    await t.test(`the documents, operations as ${style}`, async (t) => {
      await sameDocuments(t, await documentsIn(w.client, prefix), prefix, style);
      t.same(
        w.log.entries.filter(({ level }) => level !== 'info'),
        [],
        'nothing was refused',
      );
      const verified = await w.verify(GOLDEN_LAST);
      t.match(verified, { blocks: 792, documents: 3279, missing: 0, different: 0, surplus: 0, reduced: 0, lines: [] });
    });
    if (style === 'object') {
      await t.test('the queries of the page', (t) => theQueries(t, w, prefix));
      await t.test('faults are found and mended', (t) => faultsAreMended(t, w, prefix));
    }
    await w.close();
  }
  await t.test('an index that a reference node has filled', (t) => aForeignIndex(t, stored, elastic));
});

async function sameDocuments(
  t: Test,
  found: readonly Found[],
  prefix: string,
  style: 'object' | 'text',
): Promise<void> {
  const recorded = recordedDocuments(style);
  t.equal(recorded.length, 3279);
  t.equal(found.length, recorded.length, 'as many documents');
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
  t.equal(same, recorded.length, 'every one is equal, member for member');
  t.equal(amounts > 3000, style === 'object', 'assets keep their amount as well');
}

interface Answer {
  readonly total: number | undefined;
  readonly ids: readonly string[];
  readonly aggregations: Readonly<Record<string, { readonly buckets: readonly Bucket[] }>>;
}

interface Bucket {
  readonly key: number;
  readonly key_as_string?: string;
  readonly doc_count: number;
  readonly operations?: { readonly value: number };
}

/** As a person sends it, with curl. */
async function answerOf(w: SearchWorld, prefix: string, file: string): Promise<Answer> {
  const query = JSON.parse(readFileSync(join(QUERIES, file), 'utf8')) as object;
  const { hits, aggregations } = await w.client.search({ index: `${prefix}*`, ...query });
  const total = hits.total;
  return {
    total: typeof total === 'object' ? total.value : total,
    ids: hits.hits.map(({ _id }) => String(_id)),
    aggregations: (aggregations ?? {}) as unknown as Answer['aggregations'],
  };
}

/** Each question asked of the recorded documents in plain words. */
async function theQueries(t: Test, w: SearchWorld, prefix: string): Promise<void> {
  const all = recordedDocuments('object').map(({ doc }) => doc as unknown as SearchDocument);
  const body = (doc: SearchDocument): JsonObject => doc.operation_history.op_object as JsonObject;
  const money = (doc: SearchDocument): JsonObject => (body(doc).amount_ ?? {}) as JsonObject;
  const mine = all.filter(({ account_history: { account } }) => account === '1.2.41');
  const ids = (docs: readonly SearchDocument[]): string[] => docs.map(({ account_history: { id } }) => id);
  const newest = (docs: readonly SearchDocument[]): SearchDocument[] =>
    [...docs].sort((a, b) => b.operation_id_num - a.operation_id_num);
  const numbers = (docs: readonly SearchDocument[]): number[] => docs.map(({ operation_id_num: n }) => n);
  const once = (list: readonly number[]): number[] => [...new Set(list)];
  const byId = new Map(all.map((doc) => [doc.account_history.id, doc]));
  const numbersOf = ({ ids: found }: Answer): number[] => found.map((id) => byId.get(id)?.operation_id_num ?? -1);
  const transfers = all.filter(({ operation_type: type }) => type === 0);
  const found = new Map<string, Answer>();
  const files = readdirSync(QUERIES).sort();
  for (const file of files) found.set(file.slice(0, 2), await answerOf(w, prefix, file));
  const answer = (key: string): Answer => found.get(key) as Answer;
  t.equal(files.length, 12);

  const transaction = all.filter(({ block_data: { trx_id: id } }) => id === 'd77e2c86bb2e08c89ab15da7e122ac9b0519bf9a');
  t.equal(transaction.length, 10);
  t.same([...answer('01').ids].sort(), ids(transaction).sort());
  t.same(answer('02').ids, ids([...mine].reverse().slice(0, 20)));
  t.equal(answer('02').total, 249);
  t.same(
    answer('03').ids,
    ids(
      [...mine]
        .reverse()
        .filter((doc) => doc.account_history.sequence < 230)
        .slice(0, 20),
    ),
  );
  t.same(answer('04').ids, ids(newest(mine.filter(({ operation_type: type }) => type === 0)).slice(0, 50)));
  const deposits = mine.filter(
    (doc) => doc.operation_type === 0 && body(doc).to === '1.2.41' && doc.block_data.block_num > 500,
  );
  t.ok(deposits.length > 10);
  t.same(answer('05').ids, ids(deposits));
  const ofAsset = transfers.filter(
    (doc) => money(doc).asset_id === '1.3.0' && doc.block_data.block_time.startsWith('2020'),
  );
  t.ok(ofAsset.length > 50);
  t.same(numbersOf(answer('06')), once(numbers(newest(ofAsset))).slice(0, 25), 'each operation once');
  const large = transfers
    .filter((doc) => money(doc).asset_id === '1.3.1' && Number(money(doc).amount_str) >= 10_000_000_000)
    .sort(
      (a, b) => Number(money(b).amount_str) - Number(money(a).amount_str) || a.operation_id_num - b.operation_id_num,
    );
  t.ok(large.length > 2);
  t.same(numbersOf(answer('07')), once(numbers(large)).slice(0, 10));
  const calls = all.filter((doc) => body(doc).contract_id === '1.2.55' && body(doc).method_name === 'deposit');
  t.same(numbersOf(answer('08')), once(numbers(newest(calls.filter(({ operation_type: type }) => type === 75)))));
  t.same(numbersOf(answer('09')), once(numbers(all.filter(({ block_data: { block_num: n } }) => n === 742))));
  const days = new Map<string, Set<number>>();
  for (const doc of all) {
    const day = doc.block_data.block_time.slice(0, 'YYYY-MM-DD'.length);
    days.set(day, (days.get(day) ?? new Set()).add(doc.operation_id_num));
  }
  t.same(
    answer('10').aggregations.days?.buckets.map(({ key_as_string: key, operations }) => [
      key?.slice(0, 10),
      operations?.value,
    ]),
    [...days].map(([day, operations]) => [day, operations.size]),
  );
  const types = new Map<number, number>();
  for (const { operation_type: type } of mine) types.set(type, (types.get(type) ?? 0) + 1);
  const byType = (a: readonly number[], b: readonly number[]): number => (a[0] as number) - (b[0] as number);
  t.same(
    answer('11')
      .aggregations.types?.buckets.map(({ key, doc_count: count }) => [key, count])
      .sort(byType),
    [...types].sort(byType),
  );
  const memos = all.filter((doc) => /inline|user/.test(String(body(doc).memo_ ?? '')));
  t.same(answer('12').ids.length, memos.length);
  t.same([...answer('12').ids].sort(), ids(memos).sort());
  const guessed = await w.client.search({
    index: `${prefix}*`,
    query: { term: { 'account_history.account.keyword': '1.2.41' } },
    size: 0,
  });
  t.match(guessed.hits.total, { value: 249 }, 'as where types were guessed');
}

async function faultsAreMended(t: Test, w: SearchWorld, prefix: string): Promise<void> {
  const { client } = w;
  const index = `${prefix}2020-12`;
  const before = await documentsIn(client, prefix);
  const at = before.filter(({ _index }) => _index === index).slice(10, 20);
  const [gone, changed, moved, reduced] = at as [Found, Found, Found, Found];
  await client.delete({ index, id: gone._id });
  await client.index({ index, id: changed._id, document: { ...changed.doc, operation_type: 84 } });
  await client.index({ index: `${prefix}2020-11`, id: moved._id, document: moved.doc });
  await client.index({ index, id: '2.9.999999', document: moved.doc });
  const history = reduced.doc.operation_history as JsonObject;
  await client.index({
    index,
    id: reduced._id,
    document: { ...reduced.doc, operation_history: { ...history, op: '', op_object: null } },
  });
  const verified = await w.verify(GOLDEN_LAST);
  t.match(verified, { missing: 1, different: 1, surplus: 2, reduced: 1, repaired: 0 });
  t.same([...verified.lines].sort(), [
    `different ${index} ${changed._id}`,
    `missing ${index} ${gone._id}`,
    `surplus ${prefix}2020-11 ${moved._id}`,
    `surplus ${index} 2.9.999999`,
  ]);
  t.match(await w.verify(GOLDEN_LAST, true), { repaired: 4 });
  t.match(await w.verify(GOLDEN_LAST), { missing: 0, different: 0, surplus: 0 });
  await client.index({ index, id: reduced._id, document: reduced.doc });
  t.ok(JSON.stringify(await documentsIn(client, prefix)) === JSON.stringify(before), 'all is as it was');
}

async function aForeignIndex(t: Test, stored: StoredChain, elastic: TestElastic): Promise<void> {
  const LAST = 60;
  const prefix = elastic.prefix();
  const w = new SearchWorld(stored, elastic.url, { prefix });
  const recorded = recordedDocuments('object').filter(
    ({ doc }) => ((doc.block_data as JsonObject).block_num as number) <= LAST,
  );
  const kept = recorded.filter((_, at) => at % 10 !== 0);
  const operations = kept.flatMap(({ _index, _id, doc }) => [
    { index: { _index: _index.replace('gxchain', prefix), _id } },
    doc,
  ]);
  const { errors } = await w.client.bulk({ operations });
  t.equal(errors, false);
  const lost = recorded.length - kept.length;
  t.match(await w.verify(LAST, true), { missing: lost, different: 0, surplus: 0, repaired: lost });
  t.match(await w.verify(LAST), { missing: 0, different: 0, surplus: 0 });
  await w.close();
}
