import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import t from 'tap';
import '../../src/operations/index.js';
import { AccountHistory, type HistoryOptions } from '../../plugins/account_history/history.js';
import { historyApi } from '../../plugins/account_history/methods.js';
import { historySource } from '../../plugins/account_history/source.js';
import type { JsonObject } from '../../src/codec/json.js';
import type { SignedBlock } from '../../src/protocol/block.js';
import { accountHistoryRecord, operationHistoryRecord } from '../../src/protocol/objects/chain.js';
import { objectOf } from '../../src/protocol/objects/declare.js';
import type { Reply } from '../../src/rpc/dispatcher.js';
import type { Pieces } from '../../src/rpc/pieces/pieces.js';
import { accountStatisticsObject } from '../../src/state/objects/account-statistics.js';
import { askable, goldenPorts } from '../rpc/support/golden-rpc.js';
import { forkBlocks } from '../rpc/support/recorded-notices.js';
import { allPieces } from '../support/all-pieces.js';
import { FollowedChain } from '../support/followed-chain.js';
import { GOLDEN_HEIGHTS, goldenBlocks, goldenGenesis, goldenState } from '../support/golden.js';
import { NETWORK } from '../support/network.js';
import { projectPath } from '../support/paths.js';
import { emptyStore } from '../support/plugin-store.js';

const genesis = goldenGenesis();
const blocks: readonly SignedBlock[] = [...goldenBlocks()];

const ALL: HistoryOptions = { accounts: undefined, operationsMax: 1000, isPartial: true };

t.test('objects 1.11, 2.9 and the counts in 2.6 are the recorded ones at every dumped height', async (t) => {
  const chain = await FollowedChain.open(genesis);
  const history = new AccountHistory(emptyStore(), ALL);
  const added = chain.host.add(history);
  const source = historySource(() => (added.hurry() ? history : undefined));
  await added.caughtUp();
  for (const height of GOLDEN_HEIGHTS) {
    chain.push(blocks, height);
    await added.caughtUp();
    const expected = goldenState(height);
    const counts = { '1.11': 0, '2.9': 0, '2.6': 0 };
    for (const [id, wanted] of expected) {
      const [space, type, number] = id.split('.') as [string, string, string];
      const instance = Number(number);
      const kind = `${space}.${type}` as keyof typeof counts;
      let found: unknown;
      if (kind === '1.11') {
        const operation = source.operation(instance);
        found = operation && {
          ...(objectOf(operationHistoryRecord).toJson(operation, NETWORK) as JsonObject),
          virtual_op: wanted.virtual_op,
        };
      } else if (kind === '2.9') {
        const entry = source.entry(instance);
        found = entry && objectOf(accountHistoryRecord).toJson(entry, NETWORK);
      } else if (kind === '2.6') {
        const object = chain.stored.chain.queries.state.get(accountStatisticsObject, instance);
        found = objectOf(accountStatisticsObject).toJson({ ...object, ...source.counts(object.owner) }, NETWORK);
      } else continue;
      counts[kind]++;
      if (JSON.stringify(found) !== JSON.stringify(wanted)) t.same(found, wanted, `${id} at ${height}`);
    }
    t.ok(counts['1.11'] > 100 && counts['2.9'] > 100 && counts['2.6'] > 10, JSON.stringify({ height, ...counts }));
    t.equal(source.operation(counts['1.11']), undefined);
    t.equal(source.entry(counts['2.9']), undefined);
    await chain.save();
  }
  await chain.close();
});

t.test('with 5 operations per account the objects that are left are the recorded ones', async (t) => {
  const chain = await FollowedChain.open(genesis);
  const history = new AccountHistory(emptyStore(), { ...ALL, operationsMax: 5 });
  const added = chain.host.add(history);
  chain.push(blocks);
  await added.caughtUp();
  const source = historySource(() => history);
  const bytes = readFileSync(projectPath('test/vectors/plugins/state-max-ops-5.jsonl.gz'));
  const recorded = gunzipSync(bytes)
    .toString('utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as JsonObject);
  t.equal(recorded.length, 778);
  const left = { '1.11': new Set<number>(), '2.9': new Set<number>() };
  for (const wanted of recorded) {
    const [space, type, number] = String(wanted.id).split('.') as [string, string, string];
    const instance = Number(number);
    if (`${space}.${type}` === '2.6') {
      const counts = source.counts(instance) ?? { most_recent_op: 0, total_ops: 0, removed_ops: 0 };
      const found = { ...counts, most_recent_op: `2.9.${counts.most_recent_op}` };
      const { most_recent_op, total_ops, removed_ops } = wanted;
      t.same(found, { most_recent_op, total_ops, removed_ops }, String(wanted.id));
    } else if (`${space}.${type}` === '2.9') {
      left['2.9'].add(instance);
      const entry = source.entry(instance);
      t.same(entry && objectOf(accountHistoryRecord).toJson(entry, NETWORK), wanted);
    } else {
      left['1.11'].add(instance);
      t.ok(source.operation(instance), String(wanted.id));
    }
  }
  for (let i = 0; i < 3279; i++) if (!left['2.9'].has(i)) t.equal(source.entry(i), undefined);
  for (let i = 0; i < 1837; i++) if (!left['1.11'].has(i)) t.equal(source.operation(i), undefined);
  await chain.close();
});

t.test('a fork switch while operations of a type are read changes nothing about the answer', async (t) => {
  const chain = await FollowedChain.open(genesis);
  const history = new AccountHistory(emptyStore(), ALL);
  const added = chain.host.add(history);
  chain.push(blocks);
  await added.caughtUp();
  const { ask } = askable(goldenPorts(chain.stored.chain), {}, [historyApi(() => history)]);
  const kinds = new Set<string>();
  for (let i = 0; i < history.numbers.entries; i++) {
    const entry = history.entry(i);
    if (entry !== undefined) kinds.add(JSON.stringify([`1.2.${entry.account}`, entry.type]));
  }
  const requests = [...kinds].map((kind) => {
    const params = ['history', 'get_account_history_operations', [...JSON.parse(kind), '1.11.0', '1.11.0', 100]];
    return JSON.stringify({ id: 1, method: 'call', params });
  });
  const askAll = () => Promise.all(requests.map((request) => ask('ws', request)));
  const before = await askAll();
  const asked = askAll();
  for (const block of forkBlocks().values()) chain.stored.chain.blocks.push({ block });
  t.ok(added.hurry());
  const isOther = (answers: readonly Reply[]) => requests.filter((_, i) => answers[i] !== before[i]);
  t.same(isOther(await asked), []);
  t.not(isOther(await askAll()).length, 0, 'the other branch has other operations');
  await chain.close();
});

t.test(
  'others have their turn between operations, and a fork switch meanwhile changes nothing about the answer',
  async (t) => {
    const chain = await FollowedChain.open(genesis);
    const history = new AccountHistory(emptyStore(), ALL);
    const added = chain.host.add(history);
    chain.push(blocks);
    await added.caughtUp();
    const { methods } = historyApi(() => history);
    const context = { node: goldenPorts(chain.stored.chain) } as never;
    const page = { stop: 0, limit: 100, start: 0 };
    for (const [method, more] of [
      ['get_account_history', page],
      ['get_relative_account_history', page],
      ['get_account_history_by_operations', { operation_types: [], start: 1, limit: 100 }],
    ] as const) {
      const kept = [...Array(64).keys()].filter((account) => history.countsOf(account).recent !== 0);
      const begun = () => kept.map((account) => methods[method]?.run(context, { account, ...more }) as Pieces<unknown>);
      const before = begun().map((work) => allPieces(work));
      const works = begun();
      const first = works.map((work) => work.next().done);
      t.ok(first.filter((isDone) => !isDone).length > 10, `${method} comes in pieces`);
      const head = chain.head;
      chain.stored.chain.blocks.popTo(head - 3);
      t.ok(added.hurry());
      t.same(
        works.map((work) => allPieces(work)),
        before,
        method,
      );
      if (more === page)
        t.notSame(
          begun().map((work) => allPieces(work)),
          before,
          'some were taken back',
        );
      chain.push(blocks);
      t.ok(added.hurry());
    }
    await chain.close();
  },
);
