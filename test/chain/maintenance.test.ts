import t from 'tap';
import { MAINTENANCE } from '../../src/chain/maintenance/index.js';
import { COMMITTEE_ACCOUNT, RELAXED_COMMITTEE_ACCOUNT, WITNESS_ACCOUNT } from '../../src/protocol/ids.js';
import { makeVoteId, voteInstance } from '../../src/protocol/vote.js';
import { accountObject } from '../../src/state/objects/account.js';
import { accountStatisticsObject } from '../../src/state/objects/account-statistics.js';
import { budgetRecordObject } from '../../src/state/objects/budget-record.js';
import { dynamicGlobalPropertyObject, MAINTENANCE_FLAG } from '../../src/state/objects/dynamic-global-property.js';
import { globalPropertyObject } from '../../src/state/objects/global-property.js';
import { vestingBalanceObject } from '../../src/state/objects/vesting-balance.js';
import { witnessObject } from '../../src/state/objects/witness.js';
import { core, type TestWorld, worldTest } from '../support/world.js';

t.test('the order of the steps is consensus', async (t) => {
  t.same(
    MAINTENANCE.map(({ name }) => name),
    [
      'distribute_fba_fees',
      'prepare_tally',
      'tally_votes_and_pay_out_fees',
      'refresh_top_holder_authorities',
      'choose_active_sets',
      'apply_pending_parameters',
      'set_next_maintenance_time',
      'reset_force_settled_volumes',
      'grant_witness_budget',
    ],
  );
});

const head = (w: TestWorld) => w.state.single(dynamicGlobalPropertyObject);

worldTest('the first block ends an interval, then one block every interval does', {}, (t, w) => {
  const first = head(w);
  t.equal(first.dynamic_flags & MAINTENANCE_FLAG, MAINTENANCE_FLAG);
  t.equal(first.next_maintenance_time, (Math.floor(w.now / 60) + 1) * 60);
  w.block();
  t.equal(head(w).dynamic_flags & MAINTENANCE_FLAG, 0);
  const due = head(w).next_maintenance_time;
  w.maintenance();
  t.ok(w.now >= due);
  t.equal(head(w).next_maintenance_time, due + 60);
  w.advance(1000);
  t.equal(head(w).dynamic_flags & MAINTENANCE_FLAG, MAINTENANCE_FLAG, 'however late it comes');
  t.ok(head(w).next_maintenance_time > w.now && head(w).next_maintenance_time <= w.now + 60);
});

worldTest('witnesses are paid out of a budget, from the second interval on', {}, (t, w) => {
  t.equal(head(w).witness_budget, 0n);
  w.block();
  t.equal(
    [...w.state.all(witnessObject)].every(({ pay_vb }) => pay_vb === undefined),
    true,
  );
  w.maintenance();
  const record = [...w.state.all(budgetRecordObject)].at(-1)?.record;
  const blocks = BigInt(Math.ceil((head(w).next_maintenance_time - w.now) / 3));
  t.equal(record?.requested_witness_budget, blocks * 1_000_000n);
  t.equal(head(w).witness_budget, blocks * 1_000_000n);
  const { block } = w.block();
  const witness = w.state.get(witnessObject, block.witness);
  const pay = w.state.get(vestingBalanceObject, witness.pay_vb as number);
  t.equal(pay.balance.amount, 1_000_000n);
  t.equal(pay.owner, witness.witness_account);
  t.equal(head(w).witness_budget, (blocks - 1n) * 1_000_000n);
  t.equal(witness.last_confirmed_block_num, w.chain.blocks.head.number);
  w.maintenance();
  t.ok(
    ([...w.state.all(budgetRecordObject)].at(-1)?.record.from_unused_witness_budget ?? 0n) > 0n,
    'the rest goes back',
  );
});

worldTest('a pay that no committee means', { accounts: { alice: 1_000_000n } }, (t, w) => {
  w.changeParameters({ witness_pay_per_block: 2n ** 61n + 1n });
  w.maintenance();
  w.maintenance();
  const record = [...w.state.all(budgetRecordObject)].at(-1)?.record;
  t.equal(record?.requested_witness_budget, 2n ** 63n - 1n, 'the largest number that can be stored');
  t.equal(record?.witness_budget, record?.total_budget);
});

const voting = { accounts: { alice: 1_000_000n, bob: 3_000_000n }, witnesses: 5 };

function vote(w: TestWorld, voter: string, names: readonly string[], more: Record<string, unknown> = {}): void {
  const votes = names.map((name) => w.witness(name).vote_id);
  w.push('account_update', {
    account: voter,
    new_options: { ...w.account(voter).options, votes, num_witness: names.length, ...more },
  });
}

worldTest('votes decide the weights of witnesses and committee', voting, (t, w) => {
  vote(w, 'alice', ['init4', 'init1']);
  vote(w, 'bob', ['init1']);
  w.block();
  w.maintenance();
  t.equal(w.witness('init1').total_votes, 4_000_000n);
  t.equal(w.witness('init4').total_votes, 1_000_000n);
  t.equal(w.witness('init0').total_votes, 0n);
  const { active } = w.state.get(accountObject, WITNESS_ACCOUNT);
  t.same(
    active.account_auths.map(([id]) => id),
    [w.id('init1'), w.id('init4')],
    'those without votes have no weight',
  );
  const global = w.state.single(globalPropertyObject);
  t.equal(global.active_witnesses.length, 5, 'but they stay active');
  t.equal(global.active_committee_members.length, 5);
  const committee = w.state.get(accountObject, COMMITTEE_ACCOUNT).active;
  t.same(committee, active, 'the committee follows from the witnesses');
  t.same(w.state.get(accountObject, RELAXED_COMMITTEE_ACCOUNT).active, committee);
});

worldTest('stake goes by proxy, votes for what does not exist are refused or skipped', voting, (t, w) => {
  vote(w, 'alice', ['init2']);
  w.push('account_update', {
    account: 'bob',
    new_options: { ...w.account('bob').options, voting_account: w.id('alice') },
  });
  w.block();
  w.maintenance();
  t.equal(w.witness('init2').total_votes, 4_000_000n);
  t.equal(voteInstance(w.witness('init2').vote_id), 2);
  t.equal(makeVoteId(1, 2), w.witness('init2').vote_id);
});

worldTest(
  'fees are shared out at maintenance',
  {
    accounts: { alice: 10n ** 10n, bob: 10n ** 10n },
    fees: true,
  },
  (t, w) => {
    w.push('transfer', { from: 'alice', to: 'bob', amount: core(5) });
    w.block();
    const statistics = () => w.state.get(accountStatisticsObject, w.account('alice').statistics);
    const pending = statistics().pending_vested_fees;
    t.equal(pending, 100_000n);
    w.maintenance();
    t.equal(statistics().pending_vested_fees, 0n);
    t.equal(statistics().lifetime_fees_paid, pending);
    const cashback = w.state.get(vestingBalanceObject, w.account('alice').cashback_vb as number);
    t.equal(cashback.balance.amount, 80_000n, 'a lifetime member gets all but the network share back');
  },
);

worldTest('parameters change at a maintenance and hold from then on', voting, (t, w) => {
  w.changeParameters({ maintenance_interval: 90 });
  t.equal(head(w).next_maintenance_time % 30, 0);
  t.ok(head(w).next_maintenance_time - w.now <= 90);
  t.equal(w.state.single(globalPropertyObject).pending_parameters, undefined);
});

worldTest(
  'a chain crosses all forks in its sleep',
  {
    accounts: { alice: 10n ** 9n, bob: 0n },
    forks: 'mainnet',
    time: 1_500_000_000,
    fees: true,
    genesis: { initial_balances: [] },
  },
  (t, w) => {
    t.equal(w.state.coreAsset, 0);
    const years = 20 * 365 * 86_400;
    w.advance(years);
    t.equal(w.state.coreAsset, 1);
    t.equal(w.chain.queries.participation(), 0, 'as if nobody had taken part');
    w.blocks(130);
    t.equal(w.chain.queries.participation(), 10_000);
  },
);
