import t from 'tap';
import '../../src/operations/index.js';
import { AccountHistory, type HistoryOptions } from '../../plugins/account_history/history.js';
import { historySource } from '../../plugins/account_history/source.js';
import type { JsonObject } from '../../src/codec/json.js';
import type { SignedBlock } from '../../src/protocol/block.js';
import { accountHistoryRecord, operationHistoryRecord } from '../../src/protocol/objects/chain.js';
import { objectOf } from '../../src/protocol/objects/declare.js';
import { accountStatisticsObject } from '../../src/state/objects/account-statistics.js';
import { MemoryKv } from '../../src/storage/memory-kv.js';
import { FollowedChain } from '../support/followed-chain.js';
import { GOLDEN_HEIGHTS, goldenBlocks, goldenGenesis, goldenState } from '../support/golden.js';
import { NETWORK } from '../support/network.js';

const genesis = goldenGenesis();
const blocks: readonly SignedBlock[] = [...goldenBlocks()];

const ALL: HistoryOptions = { accounts: undefined, operationsMax: 1000, isPartial: true };

t.test('objects 1.11, 2.9 and the counts in 2.6 are the recorded ones at every dumped height', async (t) => {
  const chain = await FollowedChain.open(genesis);
  const kv = new MemoryKv();
  const history = new AccountHistory(kv, chain.stored.chain.chainId, ALL, undefined);
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
