import fc from 'fast-check';
import t from 'tap';
import { compareText } from '../../../src/base/bytes.js';
import type { MaintenanceRun } from '../../../src/chain/maintenance/run.js';
import { prepareTally, tallyVotesAndPayOutFees } from '../../../src/chain/maintenance/tally.js';
import { makeAsset } from '../../../src/protocol/asset.js';
import { MAINNET_FORKS } from '../../../src/protocol/forks.js';
import { CORE_ASSET, ORIGINAL_CORE_ASSET, PROXY_TO_SELF_ACCOUNT } from '../../../src/protocol/ids.js';
import { makeVoteId, voteInstance, voteType } from '../../../src/protocol/vote.js';
import { type AccountObject, accountObject } from '../../../src/state/objects/account.js';
import { accountStatisticsObject } from '../../../src/state/objects/account-statistics.js';
import { assetObject } from '../../../src/state/objects/asset.js';
import { committeeMemberObject } from '../../../src/state/objects/committee-member.js';
import { globalPropertyObject } from '../../../src/state/objects/global-property.js';
import { lockBalanceObject } from '../../../src/state/objects/lock-balance.js';
import { trustNodePledgeObject } from '../../../src/state/objects/trust-node-pledge.js';
import { vestingBalanceObject } from '../../../src/state/objects/vesting-balance.js';
import { witnessObject } from '../../../src/state/objects/witness.js';
import { FOREVER, isMember } from '../../../src/state/rules/accounts.js';
import { adjustBalance, balanceOf } from '../../../src/state/rules/balances.js';
import { payOutFees } from '../../../src/state/rules/fees.js';
import { stateHash } from '../../../src/state/state-hash.js';
import type { WriteState } from '../../../src/state/views.js';
import { BareWorld } from '../../support/bare-world.js';

/** The rule as it is written down: one walk over all accounts in name order, tally and payout in turns. */
function literally(m: MaintenanceRun): void {
  const s = m.state;
  const { parameters } = s.single(globalPropertyObject);
  const after1008 = s.active('HF_1008');
  const valid = new Map<number, boolean>();
  for (const o of s.all(witnessObject)) valid.set(voteInstance(o.vote_id), o.is_valid);
  for (const o of s.all(committeeMemberObject)) valid.set(voteInstance(o.vote_id), o.is_valid);
  const accounts = [...s.all(accountObject)].sort((a, b) => compareText(a.name, b.name));
  for (const account of accounts) {
    if (parameters.count_non_member_votes || isMember(account, s.headTime)) tallyOne(m, account, valid, after1008);
    payOutFees(s, account);
  }
}

function tallyOne(
  m: MaintenanceRun,
  account: Readonly<AccountObject>,
  valid: Map<number, boolean>,
  after1008: boolean,
) {
  const s = m.state;
  const { parameters } = s.single(globalPropertyObject);
  let stake = account.cashback_vb === undefined ? 0n : s.get(vestingBalanceObject, account.cashback_vb).balance.amount;
  stake += balanceOf(s, account.id, after1008 ? CORE_ASSET : ORIGINAL_CORE_ASSET);
  if (after1008) {
    for (const lock of s.all(lockBalanceObject)) {
      if (lock.owner === account.id && lock.amount.asset_id === CORE_ASSET) stake += lock.amount.amount;
    }
  }
  if (s.active('HF_1129')) {
    for (const pledge of s.all(trustNodePledgeObject)) {
      if (pledge.owner_account === account.id && pledge.amount.asset_id === CORE_ASSET) stake += pledge.amount.amount;
    }
  }
  // Between the forks 1002 and 1008, once there is such an asset: in doubles, for those who have none of it as well.
  const legacy = s.findBy(assetObject.by.symbol, 'GXS');
  const { base, quote } = legacy?.options.core_exchange_rate ?? {};
  if (s.active('HF_1002') && !after1008 && legacy !== undefined && quote !== undefined && quote.amount > 0n) {
    const votes = Number(balanceOf(s, account.id, legacy.id)) * (Number(base?.amount) / Number(quote.amount));
    stake = BigInt(Math.trunc(Number(stake) + votes));
  }
  const { voting_account } = account.options;
  const { options } = voting_account === PROXY_TO_SELF_ACCOUNT ? account : s.get(accountObject, voting_account);
  for (const vote of options.votes) {
    const at = voteInstance(vote);
    if (at >= m.tally.length) continue;
    if (voteType(vote) <= 1 && valid.get(at) !== true) continue;
    m.tally[at] = (m.tally[at] as bigint) + stake;
  }
  const add = (histogram: bigint[], wanted: number, max: number): void => {
    if (wanted > max) return;
    const at = Math.min(Math.floor(wanted / 2), histogram.length - 1);
    histogram[at] = (histogram[at] as bigint) + stake;
  };
  add(m.witnessHistogram, options.num_witness, parameters.maximum_witness_count);
  add(m.committeeHistogram, options.num_committee, parameters.maximum_committee_count);
  m.total += stake;
}

const accountPlan = fc.record({
  name: fc.constantFrom(...'abcdefghijklmnop'),
  core: fc.bigInt({ min: 0n, max: 10n ** 9n }),
  original: fc.oneof(fc.bigInt({ min: 0n, max: 10n ** 9n }), fc.bigInt({ min: 2n ** 53n, max: 2n ** 55n })),
  lock: fc.bigInt({ min: 0n, max: 10n ** 6n }),
  pledge: fc.boolean(),
  pending: fc.constantFrom(0n, 0n, 1n, 12_345n, 20_000_000n),
  vested: fc.constantFrom(0n, 0n, 7n, 99_999n),
  isMember: fc.boolean(),
  referrers: fc.tuple(fc.nat(30), fc.nat(30), fc.nat(30)),
  proxy: fc.option(fc.nat(30), { nil: undefined }),
  votes: fc.array(fc.tuple(fc.nat(3), fc.nat(12)), { maxLength: 5 }),
  counts: fc.tuple(fc.nat(40), fc.nat(40)),
  hasCashback: fc.boolean(),
});
type Plan = typeof accountPlan extends fc.Arbitrary<infer P> ? P : never;

function build(plans: readonly Plan[], headTime: number, countsAll: boolean, legacyRate = 0n): BareWorld {
  const w = new BareWorld(headTime);
  const s: WriteState = w.state;
  s.modify(globalPropertyObject, s.single(globalPropertyObject), (o) => {
    o.next_available_vote_id = 10;
    o.parameters = { ...o.parameters, maximum_witness_count: 30, maximum_committee_count: 20 };
    o.parameters.count_non_member_votes = countsAll;
  });
  s.modify(assetObject, s.get(assetObject, CORE_ASSET), (o) => {
    const core_exchange_rate = { base: makeAsset(3n, CORE_ASSET), quote: makeAsset(legacyRate, ORIGINAL_CORE_ASSET) };
    o.options = { ...o.options, core_exchange_rate };
  });
  for (let i = 0; i < 5; i++) {
    w.create(witnessObject, { witness_account: i, vote_id: makeVoteId(1, i), is_valid: i !== 2 });
    w.create(committeeMemberObject, { committee_member_account: i, vote_id: makeVoteId(0, 5 + i), is_valid: i !== 3 });
  }
  // Ids and names in different orders: the last account may have the first name.
  const ids = plans.map((plan, i) => w.account(`${plan.name}${i}`, {}));
  const pick = (n: number): number => ids[n % ids.length] as number;
  plans.forEach((plan, i) => {
    const id = ids[i] as number;
    adjustBalance(s, id, CORE_ASSET, plan.core);
    adjustBalance(s, id, ORIGINAL_CORE_ASSET, plan.original);
    // Of another asset it counts nothing.
    const asset_id = i % 3 === 2 ? ORIGINAL_CORE_ASSET : CORE_ASSET;
    if (plan.lock > 0n) w.create(lockBalanceObject, { owner: id, amount: { amount: plan.lock, asset_id } });
    if (plan.pledge) w.create(trustNodePledgeObject, { owner_account: id, amount: { amount: 77n, asset_id } });
    const account = s.get(accountObject, id);
    s.modify(accountStatisticsObject, s.get(accountStatisticsObject, account.statistics), (o) => {
      o.pending_fees = plan.pending;
      o.pending_vested_fees = plan.vested;
    });
    // An orphaned kind of balance as well: the first payout replaces it by a new one.
    const vb = plan.hasCashback
      ? w.create(vestingBalanceObject, {
          owner: id,
          balance: { amount: 500n, asset_id: CORE_ASSET },
          policy: [
            1,
            { vesting_seconds: 1, start_claim: 0, coin_seconds_earned: 0n, coin_seconds_earned_last_update: 0 },
          ],
        }).id
      : undefined;
    s.modify(accountObject, account, (o) => {
      o.membership_expiration_date = plan.isMember ? FOREVER : 0;
      [o.registrar, o.referrer, o.lifetime_referrer] = plan.referrers.map(pick) as [number, number, number];
      o.network_fee_percentage = 2000;
      o.lifetime_referrer_fee_percentage = 3000;
      o.referrer_rewards_percentage = 4000;
      o.cashback_vb = vb;
      o.options = {
        ...o.options,
        voting_account: plan.proxy === undefined ? PROXY_TO_SELF_ACCOUNT : pick(plan.proxy),
        votes: [...new Map(plan.votes.map(([type, at]) => [at, makeVoteId(type, at)])).values()],
        num_witness: plan.counts[0],
        num_committee: plan.counts[1],
      };
    });
  });
  return w;
}

function run(w: BareWorld, tally: (m: MaintenanceRun) => void): unknown {
  const m: MaintenanceRun = {
    state: w.state,
    context: w.context,
    votes: w.votes,
    tally: [],
    witnessHistogram: [],
    committeeHistogram: [],
    total: 0n,
  };
  prepareTally.run(m);
  tally(m);
  const { tally: votes, witnessHistogram, committeeHistogram, total } = m;
  const numbers = [votes, witnessHistogram, committeeHistogram, [total]].map((list) => list.map(String));
  return { numbers, hash: stateHash(w.state) };
}

t.test('the tally by sums equals the walk in name order with payouts in between', async (t) => {
  const times = fc.constantFrom(1_530_000_000, 1_542_000_000, 1_545_900_000, 1_700_000_000);
  let runs = 0;
  fc.assert(
    fc.property(
      fc.array(accountPlan, { minLength: 1, maxLength: 25 }),
      times,
      fc.boolean(),
      fc.constantFrom(0n, 2n, 7n),
      (plans, time, countsAll, rate) => {
        runs++;
        const fast = run(build(plans, time, countsAll, rate), (m) => tallyVotesAndPayOutFees.run(m));
        const slow = run(build(plans, time, countsAll, rate), literally);
        return JSON.stringify(fast) === JSON.stringify(slow);
      },
    ),
    { numRuns: 150, endOnFailure: true },
  );
  t.ok(runs >= 150);
});

t.test('a histogram has a place for every second number, from none to the largest', async (t) => {
  const w = new BareWorld();
  w.setParameters({ maximum_witness_count: 7, maximum_committee_count: 4 });
  const { numbers } = run(w, () => undefined) as { numbers: string[][] };
  t.same([numbers[1]?.length, numbers[2]?.length], [4, 3]);
});

t.test('where members alone count, one whose time is over in this second is a member yet', async (t) => {
  const now = 1_700_000_000;
  const w = new BareWorld(now);
  w.setParameters({ count_non_member_votes: false });
  for (const [i, membership_expiration_date] of [now - 1, now].entries()) {
    adjustBalance(w.state, w.account(`member-${i}`, { membership_expiration_date }), CORE_ASSET, 10n ** BigInt(i));
  }
  const { numbers } = run(w, (m) => tallyVotesAndPayOutFees.run(m)) as { numbers: string[][] };
  t.same(numbers[3], ['10']);
});

t.test('once there is an asset GXS, every stake passes through a double', async (t) => {
  const weightOf = (time: number, rate: bigint): bigint => {
    const w = new BareWorld(time);
    w.state.modify(assetObject, w.state.get(assetObject, CORE_ASSET), (o) => {
      const core_exchange_rate = { base: makeAsset(1n, CORE_ASSET), quote: makeAsset(rate, ORIGINAL_CORE_ASSET) };
      o.options = { ...o.options, core_exchange_rate };
    });
    const alice = w.account('alice');
    adjustBalance(w.state, alice, ORIGINAL_CORE_ASSET, 2n ** 53n + 1n);
    const { numbers } = run(w, (m) => tallyVotesAndPayOutFees.run(m)) as { numbers: string[][] };
    return BigInt(numbers[3]?.[0] as string);
  };
  t.equal(weightOf(1_530_000_000, 1n), 2n ** 53n, 'without a row of that asset');
  t.equal(weightOf(MAINNET_FORKS.HF_1002, 1n), 2n ** 53n + 1n, 'not before fork 1002');
  t.equal(weightOf(MAINNET_FORKS.HF_1002 + 1, 1n), 2n ** 53n);
  t.equal(weightOf(MAINNET_FORKS.HF_1008, 1n), 2n ** 53n, 'up to the second of fork 1008');
  t.equal(weightOf(MAINNET_FORKS.HF_1008 + 1, 1n), 0n, 'from where on another asset counts');
});

t.test(
  'between forks 1002 and 1008 a balance of GXS counts by its rate, and the sum is cut, not the parts',
  async (t) => {
    const weightOf = (time: number, original: bigint, legacy: bigint, base: bigint, quote: bigint): bigint => {
      const w = new BareWorld(time);
      w.state.modify(assetObject, w.state.get(assetObject, CORE_ASSET), (o) => {
        // Which side is which asset does not matter.
        const core_exchange_rate = { base: makeAsset(base, ORIGINAL_CORE_ASSET), quote: makeAsset(quote, CORE_ASSET) };
        o.options = { ...o.options, core_exchange_rate };
      });
      const alice = w.account('alice');
      adjustBalance(w.state, alice, ORIGINAL_CORE_ASSET, original);
      adjustBalance(w.state, alice, CORE_ASSET, legacy);
      const { numbers } = run(w, (m) => tallyVotesAndPayOutFees.run(m)) as { numbers: string[][] };
      return BigInt(numbers[3]?.[0] as string);
    };
    const within = MAINNET_FORKS.HF_1008;
    t.equal(weightOf(within, 10n, 1n, 3n, 2n), 11n, '10 + 1.5');
    t.equal(weightOf(within, 0n, 3n, 1n, 2n), 1n);
    t.equal(weightOf(within, 7n, 10n ** 17n, 1n, 10n ** 17n), 8n, 'a rate far below one');
    // 1/10 is a little more than a tenth in binary; thirty of it are a little more than three.
    t.equal(weightOf(within, 0n, 30n, 1n, 10n), 3n);
    // The rate is divided out first: 49 * (1/49) is less than one, though 49 / 49 is not.
    t.equal(weightOf(within, 0n, 49n, 1n, 49n), 0n, 'the quotient is rounded before it is multiplied');
    t.equal(weightOf(MAINNET_FORKS.HF_1002, 10n, 1n, 3n, 2n), 10n);
    t.equal(weightOf(within + 1, 10n, 1n, 3n, 2n), 1n);
  },
);
