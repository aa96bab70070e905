import '../../src/operations/index.js';
import { AccountHistory } from '../../plugins/account_history/history.js';
import { historySource } from '../../plugins/account_history/source.js';
import { RelativeHistory } from '../../plugins/account_history_kv/relative-history.js';
import type { SignedBlock } from '../../src/protocol/block.js';
import { FollowedChain } from '../support/followed-chain.js';
import { emptyStore } from '../support/plugin-store.js';
import { core, type TestWorld, worldTest } from '../support/world.js';

const ALL = { accounts: undefined, operationsMax: 1000, isPartial: true };

function blocksOf({ chain }: TestWorld): SignedBlock[] {
  const { number: length } = chain.blocks.head;
  return Array.from({ length }, (_, i) => chain.queries.blockByNumber(i + 1) as SignedBlock);
}

worldTest(
  'whoever proposes something in the name of accounts that cannot be stops no history, and changes none',
  { accounts: { alice: 1000n, bob: 1000n } },
  async (t, w) => {
    const alice = w.id('alice');
    w.push('transfer', { from: 'alice', to: 'bob', amount: core(1) });
    w.block();
    const chain = await FollowedChain.open(w.genesis);
    const history = new AccountHistory(emptyStore(), ALL);
    const relative = new RelativeHistory(emptyStore(), 500);
    const followers = [chain.host.add(history), chain.host.add(relative)];
    const counted = () => [historySource(() => history).counts(alice), relative.total(alice)];
    chain.push(blocksOf(w));
    for (const one of followers) await one.caughtUp();
    await chain.save();
    const before = counted();
    // The first has alice's number in its lower 48 bits, the others are no numbers of the engine.
    for (const from of [2 ** 48 + alice, 2n ** 63n, 2n ** 64n - 1n]) {
      const proposed = [{ op: w.operation('transfer', { from, to: 'bob', amount: core(1) }) }];
      w.push('proposal_create', { fee_paying_account: 'bob', expiration_time: w.now + 600, proposed_ops: proposed });
      w.block();
    }
    chain.push(blocksOf(w));
    for (const one of followers) t.ok(one.hurry(), 'it follows on');
    await chain.save();
    t.same(counted(), before, 'what others propose is nothing that alice has done');
    t.same(
      chain.log.entries.filter(({ level }) => level !== 'info'),
      [],
    );
    w.push('transfer', { from: 'alice', to: 'bob', amount: core(1) });
    w.block();
    chain.push(blocksOf(w));
    for (const one of followers) await one.caughtUp();
    t.equal(relative.total(alice), (before[1] as number) + 1);
    t.equal(historySource(() => history).counts(alice)?.total_ops, (before[1] as number) + 1);
    await chain.close();
  },
);
