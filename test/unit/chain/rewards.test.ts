import t from 'tap';
import { INT_ERRORS } from '../../../src/base/int.js';
import { distributeFbaFees } from '../../../src/chain/maintenance/fba.js';
import type { MaintenanceRun } from '../../../src/chain/maintenance/run.js';
import { tallyStakings } from '../../../src/chain/maintenance/staking.js';
import { paySigningWitness } from '../../../src/chain/witness-pay.js';
import { voteExtension } from '../../../src/protocol/extensions.js';
import { MAINNET_FORKS } from '../../../src/protocol/forks.js';
import { makeVoteId } from '../../../src/protocol/vote.js';
import { type AccountObject, accountObject } from '../../../src/state/objects/account.js';
import { type AssetObject, assetObject } from '../../../src/state/objects/asset.js';
import { assetDynamicDataObject } from '../../../src/state/objects/asset-dynamic-data.js';
import { dynamicGlobalPropertyObject } from '../../../src/state/objects/dynamic-global-property.js';
import { fbaAccumulatorObject } from '../../../src/state/objects/fba-accumulator.js';
import { stakingObject } from '../../../src/state/objects/staking.js';
import { vestingBalanceObject } from '../../../src/state/objects/vesting-balance.js';
import { type WitnessObject, witnessObject } from '../../../src/state/objects/witness.js';
import { BareWorld } from '../../support/bare-world.js';
import { refused } from '../../support/refused.js';

const NOW = 1_700_000_000;
/** Between forks 1028 and 1029. */
const BEFORE_1029 = 1_600_000_000;
const DAY = 86_400;

function runOf(w: BareWorld): MaintenanceRun {
  return {
    state: w.state,
    context: w.context,
    votes: w.votes,
    tally: [0n, 0n, 0n, 0n],
    witnessHistogram: [0n],
    committeeHistogram: [0n],
    total: 0n,
  };
}

function node(w: BareWorld, i: number, given: Partial<WitnessObject>) {
  return w.create(witnessObject, {
    witness_account: w.account(`node-${i}`),
    vote_id: makeVoteId(1, i),
    ...given,
  });
}

function setPool(w: BareWorld, amount: bigint): void {
  w.state.modify(dynamicGlobalPropertyObject, w.state.single(dynamicGlobalPropertyObject), (o) => {
    o.current_staking_reward_pool = amount;
  });
}

const pool = (w: BareWorld): bigint => w.state.single(dynamicGlobalPropertyObject).current_staking_reward_pool;
const vesting = (w: BareWorld, id: number | undefined): bigint =>
  id === undefined ? 0n : w.state.get(vestingBalanceObject, id).balance.amount;

/** Whose days are over. */
const LONG_STAKED = {
  owner: 0,
  amount: { amount: 100n, asset_id: 1 },
  weight: 1,
  staking_days: 1,
  create_date_time: NOW - 10 * DAY,
  is_valid: true,
} as const;

t.test('the pool goes to nodes by weight, and a part of it to their stakers', async (t) => {
  const w = new BareWorld(NOW);
  setPool(w, 1000n);
  const rich = node(w, 0, { total_vote_weights: 300n, commission_rate: 500 });
  const poor = node(w, 1, { total_vote_weights: 100n });
  const banned = node(w, 2, { total_vote_weights: 999n, is_banned: true });
  const owner = w.account('staker');
  const stake = (weight: number, node: number, create_date_time = NOW) =>
    w.create(stakingObject, {
      owner,
      amount: { amount: 100n, asset_id: 1 },
      weight,
      trust_node: node,
      staking_days: 10,
      create_date_time,
      is_valid: true,
    });
  const fresh = stake(2, rich.id);
  const old = stake(1, rich.id, NOW - 10 * DAY - 1);
  const onBanned = stake(1, banned.id, NOW - 10 * DAY - 1);
  // A program may give no weight, and nothing is divided by it.
  const weightless = stake(0, node(w, 3, {}).id, NOW - 10 * DAY - 1);
  const heavy = stake(2, poor.id, NOW - 10 * DAY - 1);
  const m = runOf(w);
  let paidOut = false;
  tallyStakings(m, () => {
    paidOut = true;
  });
  t.equal(paidOut, true);
  t.same(m.tally, [300n, 100n, 0n, 0n]);
  t.equal(m.total, 400n);
  t.same(m.witnessHistogram, [400n], 'the wish for a number of witnesses does not count');
  t.same(m.committeeHistogram, [400n], 'nor that for a number of committee members');
  t.equal(pool(w), 0n);
  t.equal(vesting(w, rich.pay_vb), 375n, 'half of 750');
  t.equal(vesting(w, poor.pay_vb), 250n, 'all of it without commission');
  t.equal(banned.pay_vb, undefined);
  // 375 for stakers: 2/3 and 1/3 of it by weight 200 and 100 of 300.
  t.equal(vesting(w, w.state.get(accountObject, owner).staking_cashback_vb), 375n);
  t.equal(rich.vote_reward_pool, 0n);
  t.equal(fresh.is_valid, true);
  t.equal(old.is_valid, false, 'its time is over');
  t.equal(rich.total_vote_weights, 200n);
  t.equal(onBanned.is_valid, false, 'whatever its node does');
  t.equal(weightless.is_valid, false, 'whatever it weighs');
  t.equal(heavy.is_valid, false);
  t.equal(poor.total_vote_weights, 0n, 'no more is taken off a node than it has');
});

t.test(
  'nodes come in the order of their votes, equal ones by vote id, and that numbers their new balances',
  async (t) => {
    const w = new BareWorld(NOW);
    setPool(w, 700n);
    const nodes = [100n, 300n, 300n].map((total_vote_weights, i) => node(w, i, { total_vote_weights }));
    tallyStakings(runOf(w), () => undefined);
    t.same(
      [...w.state.all(vestingBalanceObject)].map(({ owner, balance }) => [owner, balance.amount]),
      [
        [nodes[1]?.witness_account, 300n],
        [nodes[2]?.witness_account, 300n],
        [nodes[0]?.witness_account, 100n],
      ],
    );
  },
);

t.test('the signer of a block has its part of the pay, and never more than the pay', async (t) => {
  const most = 10n ** 13n;
  for (const [witness_reward_proportion, whole, own] of [
    [333, 10n, 3n],
    [1000, 10n, 10n],
    [1500, 10n, 10n],
    // Their product has more than 63 bits, and no block ends by it.
    [2 ** 32 - 1, most, most],
  ] as const) {
    const w = new BareWorld(NOW);
    w.setParameters({ witness_pay_per_block: whole });
    w.setParameterExtension([12, { ...voteExtension.default(), staking_mode_on: true, witness_reward_proportion }]);
    const head = w.state.single(dynamicGlobalPropertyObject);
    w.state.modify(dynamicGlobalPropertyObject, head, (o) => {
      o.witness_budget = 2n * whole + 5n;
    });
    const signer = node(w, 0, {});
    paySigningWitness(w.state, signer.id);
    t.same([vesting(w, signer.pay_vb), pool(w), head.witness_budget], [own, whole - own, whole + 5n]);
  }
});

t.test('until fork 1025 the signer of a block has all of the pay, whatever the mode', async (t) => {
  const others = { HF_1026: NOW, HF_1027: NOW, HF_1028: NOW };
  for (const [HF_1025, own] of [
    [NOW, 10n],
    [NOW - 1, 5n],
  ] as const) {
    const w = new BareWorld(NOW, { ...MAINNET_FORKS, ...others, HF_1025 });
    w.setParameters({ witness_pay_per_block: 10n });
    w.setParameterExtension([12, { ...voteExtension.default(), staking_mode_on: true }]);
    w.state.modify(dynamicGlobalPropertyObject, w.state.single(dynamicGlobalPropertyObject), (o) => {
      o.witness_budget = 10n;
    });
    const signer = node(w, 0, {});
    paySigningWitness(w.state, signer.id);
    t.same([vesting(w, signer.pay_vb), pool(w)], [own, 10n - own]);
  }
});

t.test('who misses too much is banned, and without any entitled node nothing expires', async (t) => {
  const w = new BareWorld(NOW);
  setPool(w, 1000n);
  const lazy = node(w, 0, { total_vote_weights: 300n, total_missed: 200_000n, previous_missed: 1n });
  const fresh = node(w, 1, { total_vote_weights: 0n, total_missed: 200_000n, previous_missed: 0n });
  const staking = w.create(stakingObject, { ...LONG_STAKED, trust_node: lazy.id });
  const m = runOf(w);
  tallyStakings(m, () => undefined);
  t.equal(lazy.is_banned, true);
  t.equal(lazy.previous_missed, 200_000n, 'it is counted anew from here on, banned or not');
  t.equal(fresh.is_banned, false, 'the first interval does not count');
  t.equal(fresh.previous_missed, 200_000n);
  t.equal(m.total, 0n);
  t.equal(pool(w), 1000n);
  t.equal(staking.is_valid, true);
});

t.test('a node without its pledge keeps votes and place, and has no part of the pool', async (t) => {
  const w = new BareWorld(NOW);
  w.setParameterExtension([12, { ...voteExtension.default(), valid_nodes_number: 2 }]);
  setPool(w, 1000n);
  const invalid = node(w, 0, { total_vote_weights: 300n, is_valid: false, vote_reward_pool: 50n });
  const second = node(w, 1, { total_vote_weights: 200n });
  const third = node(w, 2, { total_vote_weights: 100n, vote_reward_pool: 60n });
  const [unpaid, paid] = [w.account('unpaid'), w.account('paid')];
  const stake = (owner: number, trust_node: number) =>
    w.create(stakingObject, {
      owner,
      amount: { amount: 100n, asset_id: 1 },
      weight: 1,
      trust_node,
      staking_days: 1,
      create_date_time: NOW - 2 * DAY,
      is_valid: true,
    });
  const stakings = [stake(unpaid, invalid.id), stake(paid, third.id)];
  const m = runOf(w);
  tallyStakings(m, () => undefined);
  t.same([m.tally, m.total], [[300n, 200n, 100n, 0n], 600n]);
  t.same([vesting(w, invalid.pay_vb), vesting(w, second.pay_vb), vesting(w, third.pay_vb)], [0n, 1000n, 0n]);
  const rewards = [unpaid, paid].map((id) => vesting(w, w.state.get(accountObject, id).staking_cashback_vb));
  t.same(rewards, [0n, 60n], 'what is left of earlier rewards is paid on any other node');
  t.equal(invalid.vote_reward_pool, 50n);
  t.same(
    stakings.map(({ is_valid }) => is_valid),
    [false, false],
  );
  t.same([invalid.total_vote_weights, third.total_vote_weights], [200n, 0n]);
});

t.test('only valid ones among the first nodes have a reward, by their weights alone', async (t) => {
  const w = new BareWorld(NOW);
  w.setParameterExtension([12, { ...voteExtension.default(), valid_nodes_number: 3 }]);
  setPool(w, 1000n);
  const first = node(w, 0, { total_vote_weights: 300n });
  const withdrawn = node(w, 1, { total_vote_weights: 200n, is_valid: false });
  const third = node(w, 2, { total_vote_weights: 100n });
  const behind = node(w, 3, { total_vote_weights: 100n });
  tallyStakings(runOf(w), () => undefined);
  t.same(
    [first, withdrawn, third, behind].map(({ pay_vb }) => vesting(w, pay_vb)),
    [750n, 0n, 250n, 0n],
    'who is not valid takes a place all the same, and of equal ones the lower vote id is the first',
  );
  t.equal(pool(w), 0n);
});

t.test('the limit of missed blocks is still allowed, and a staking ends behind its last second', async (t) => {
  const w = new BareWorld(NOW);
  setPool(w, 1000n);
  const limit = 100_000n;
  const good = node(w, 0, { total_vote_weights: 300n, total_missed: limit + 7n, previous_missed: 7n });
  const bad = node(w, 1, { total_vote_weights: 300n, total_missed: limit + 8n, previous_missed: 7n });
  const stake = (staking_days: number, age: number) =>
    w.create(stakingObject, {
      owner: 0,
      amount: { amount: 1n, asset_id: 1 },
      weight: 1,
      trust_node: good.id,
      staking_days,
      create_date_time: NOW - age,
      is_valid: true,
    });
  const [last, over] = [stake(1, DAY), stake(1, DAY + 1)];
  // Quirk: 49,711 days are 63,104 seconds in 32 bits.
  const [long, longOver] = [stake(49_711, 63_104), stake(49_711, 63_105)];
  tallyStakings(runOf(w), () => undefined);
  t.same([good.is_banned, bad.is_banned], [false, true]);
  t.same(
    [last, over, long, longOver].map(({ is_valid }) => is_valid),
    [true, false, true, false],
  );
});

t.test('until fork 1029 a large product made the block invalid', async (t) => {
  const large = 10n ** 11n;
  const run = (now: number) => {
    const w = new BareWorld(now);
    setPool(w, large);
    node(w, 0, { total_vote_weights: large });
    tallyStakings(runOf(w), () => undefined);
    return pool(w);
  };
  refused(t, INT_ERRORS.integer_overflow, () => run(BEFORE_1029));
  t.equal(run(NOW), 0n);
});

t.test('stakers have no more than the node has for them, the first ones come first', async (t) => {
  const w = new BareWorld(NOW);
  const sold = node(w, 0, { total_vote_weights: 100n, vote_reward_pool: 90n });
  const stakers = ['first', 'second'].map((name) => {
    const owner = w.account(name);
    const amount = { amount: 80n, asset_id: 1 };
    const times = { staking_days: 10, create_date_time: NOW };
    w.create(stakingObject, { owner, amount, weight: 1, trust_node: sold.id, is_valid: true, ...times });
    return owner;
  });
  tallyStakings(runOf(w), () => undefined);
  const paid = stakers.map((owner) => vesting(w, w.state.get(accountObject, owner).staking_cashback_vb));
  t.same(paid, [72n, 18n], 'eighty of a hundred each, though there are more of them');
  t.equal(sold.vote_reward_pool, 0n);
});

t.test('the smallest share of a staker is paid, and a node gives stakers no more than it gets', async (t) => {
  const w = new BareWorld(NOW);
  setPool(w, 1000n);
  const generous = node(w, 0, { total_vote_weights: 100n, vote_reward_pool: 100n, commission_rate: 1500 });
  const owner = w.account('staker');
  w.create(stakingObject, { ...LONG_STAKED, owner, amount: { amount: 1n, asset_id: 1 }, trust_node: generous.id });
  tallyStakings(runOf(w), () => undefined);
  const { staking_cashback_vb } = w.state.get(accountObject, owner);
  t.equal(vesting(w, staking_cashback_vb), 11n, 'a hundredth of the thousand, and of what was there');
  t.equal(generous.pay_vb, undefined);
  const again = new BareWorld(NOW);
  const trusted = node(again, 0, { total_vote_weights: 100n, vote_reward_pool: 1n });
  const staker = again.account('staker');
  again.create(stakingObject, { ...LONG_STAKED, owner: staker, trust_node: trusted.id });
  tallyStakings(runOf(again), () => undefined);
  t.equal(vesting(again, again.state.get(accountObject, staker).staking_cashback_vb), 1n);
  t.equal(trusted.vote_reward_pool, 0n);
});

t.test('staker payouts stay in 64 bits for ever', async (t) => {
  const w = new BareWorld(NOW);
  const rich = node(w, 0, { total_vote_weights: 1n, vote_reward_pool: 10n ** 12n });
  w.create(stakingObject, {
    owner: 0,
    amount: { amount: 10n ** 12n, asset_id: 1 },
    weight: 1,
    trust_node: rich.id,
    staking_days: 10,
    create_date_time: NOW,
    is_valid: true,
  });
  refused(t, INT_ERRORS.integer_overflow, () => tallyStakings(runOf(w), () => undefined));
});

t.test('until fork 1026 a staking on a banned node did not expire', async (t) => {
  const w = new BareWorld(NOW, { ...MAINNET_FORKS, HF_1026: NOW });
  const good = node(w, 0, { total_vote_weights: 101n });
  const banned = node(w, 1, { is_banned: true, total_vote_weights: 100n });
  const [onBanned, onGood] = [banned, good].map(({ id }) =>
    w.create(stakingObject, { ...LONG_STAKED, trust_node: id }),
  );
  tallyStakings(runOf(w), () => undefined);
  t.same([onBanned?.is_valid, banned.total_vote_weights], [true, 100n]);
  t.same([onGood?.is_valid, good.total_vote_weights], [false, 1n], 'on any other one it did');
});

t.test('fees of confidential operations are destroyed, or shared when everything is set up', async (t) => {
  const w = new BareWorld(NOW);
  const supply = () =>
    w.state.get(assetDynamicDataObject, w.state.get(assetObject, 1).dynamic_asset_data_id).current_supply;
  w.state.modify(assetDynamicDataObject, w.state.get(assetDynamicDataObject, 1), (o) => {
    o.current_supply = 10_000n;
  });
  const accumulator = w.create(fbaAccumulatorObject, { accumulated_fba_fees: 1000n, designated_asset: 743 });
  distributeFbaFees.run(runOf(w));
  t.equal(supply(), 9_000n);
  t.equal(accumulator.accumulated_fba_fees, 0n);

  const buyback = w.account('buyback');
  const special = [1, { asset: 2, num_top_holders: 3 }] as [1, { asset: number; num_top_holders: number }];
  const issuer = w.account('issuer', {
    owner_special_authority: special,
    active_special_authority: special,
    top_n_control_flags: 3,
  });
  w.state.modify(assetObject, w.state.get(assetObject, 2), (o) => {
    o.issuer = issuer;
    o.buyback_account = buyback;
    o.options = { ...o.options, issuer_permissions: 1, flags: 0 };
  });
  w.state.modify(fbaAccumulatorObject, accumulator, (o) => {
    o.accumulated_fba_fees = 10_003n;
    o.designated_asset = 2;
  });
  distributeFbaFees.run(runOf(w));
  t.equal(w.balance(buyback, 0), 6001n, 'in 1.3.0 whatever the core asset is');
  t.equal(w.balance(issuer, 0), 2000n);
  t.equal(supply(), 9_000n - 2002n);
  t.same(
    w.context.journal.operations.map(({ operation: [tag], isVirtual }) => [tag, isVirtual]),
    [
      [44, true],
      [44, true],
    ],
    'histories show both payments',
  );
});

t.test('fees of confidential operations are shared only when all of it is set up', async (t) => {
  type Holders = AccountObject['owner_special_authority'];
  const holders = (asset: number): Holders => [1, { asset, num_top_holders: 3 }];
  const nobody: Holders = [0, {}];
  interface Change {
    readonly options?: Partial<AssetObject['options']>;
    readonly asset?: Partial<AssetObject>;
    readonly issuer?: Partial<AccountObject>;
  }
  const isShared = ({ options, asset, issuer }: Change): boolean => {
    const w = new BareWorld(NOW);
    w.state.modify(assetDynamicDataObject, w.state.get(assetDynamicDataObject, 1), (o) => {
      o.current_supply = 10_000n;
    });
    const buyback = w.account('buyback');
    const by = w.account('issuer', {
      owner_special_authority: holders(2),
      active_special_authority: holders(2),
      top_n_control_flags: 3,
      ...issuer,
    });
    w.state.modify(assetObject, w.state.get(assetObject, 2), (o) => {
      Object.assign(o, { issuer: by, buyback_account: buyback, ...asset });
      o.options = { ...o.options, issuer_permissions: 0, flags: 0, ...options };
    });
    w.create(fbaAccumulatorObject, { accumulated_fba_fees: 1000n, designated_asset: 2 });
    distributeFbaFees.run(runOf(w));
    const burned = 10_000n - w.state.get(assetDynamicDataObject, 1).current_supply;
    const shared = w.balance(buyback, 0) + w.balance(by, 0);
    t.equal(burned + shared, 1000n);
    return shared > 0n;
  };
  t.ok(isShared({}));
  t.ok(isShared({ options: { issuer_permissions: 1, flags: 1 } }), 'market fees may be charged');
  const wrong: readonly (readonly [string, Change])[] = [
    ['another permission', { options: { issuer_permissions: 2 } }],
    ['another flag', { options: { flags: 2 } }],
    ['no buyback account', { asset: { buyback_account: undefined } }],
    ['issued by the market', { asset: { bitasset_data_id: 0 } }],
    ['an owner without holders', { issuer: { owner_special_authority: nobody } }],
    ['an active authority without holders', { issuer: { active_special_authority: nobody } }],
    ['holders of another asset are owner', { issuer: { owner_special_authority: holders(1) } }],
    ['holders of another asset are active', { issuer: { active_special_authority: holders(1) } }],
    ['holders have not been made owner yet', { issuer: { top_n_control_flags: 2 } }],
    ['holders have not been made active yet', { issuer: { top_n_control_flags: 1 } }],
  ];
  for (const [what, change] of wrong) t.notOk(isShared(change), what);
});

interface FbaShare {
  readonly fee: { readonly amount: bigint; readonly asset_id: number };
  readonly account_id: number;
  readonly fba_id: number;
  readonly amount: bigint;
}

t.test('shares of confidential fees are cut, and the rest is destroyed of the core asset of the time', async (t) => {
  const shares = (time: number, fees: bigint) => {
    const w = new BareWorld(time);
    for (const id of [0, 1]) {
      w.state.modify(assetDynamicDataObject, w.state.get(assetDynamicDataObject, id), (o) => {
        o.current_supply = 10_000n;
      });
    }
    const holders: [1, { asset: number; num_top_holders: number }] = [1, { asset: 2, num_top_holders: 3 }];
    const special = { owner_special_authority: holders, active_special_authority: holders, top_n_control_flags: 3 };
    const [buyback, issuer] = [w.account('buyback'), w.account('issuer', special)];
    w.state.modify(assetObject, w.state.get(assetObject, 2), (o) => {
      Object.assign(o, { issuer, buyback_account: buyback });
      o.options = { ...o.options, issuer_permissions: 0, flags: 0 };
    });
    // The second one has nothing, the third has nobody.
    const given = [
      { accumulated_fba_fees: fees, designated_asset: 2 },
      { accumulated_fba_fees: 0n, designated_asset: 2 },
      { accumulated_fba_fees: 100n, designated_asset: undefined },
    ];
    const accumulators = given.map((one) => w.create(fbaAccumulatorObject, one));
    distributeFbaFees.run(runOf(w));
    t.same(
      accumulators.map(({ accumulated_fba_fees }) => accumulated_fba_fees),
      [0n, 0n, 0n],
    );
    const destroyed = [0, 1].map((id) => 10_000n - w.state.get(assetDynamicDataObject, id).current_supply);
    const told = w.context.journal.operations.map(({ operation: [, body] }) => {
      const { account_id, fba_id, amount, fee } = body as unknown as FbaShare;
      t.same(fee, { amount: 0n, asset_id: 0 }, 'nobody pays for it');
      return [account_id === buyback ? 'buyback' : 'issuer', fba_id, amount];
    });
    const got = [buyback, issuer].map((id) => [w.balance(id, 0), w.balance(id, 1)]);
    return { destroyed, told, got };
  };
  const none = {
    told: [],
    got: [
      [0n, 0n],
      [0n, 0n],
    ],
  };
  t.same(shares(NOW, 1n), { ...none, destroyed: [0n, 101n] }, 'of one nobody gets a share');
  t.same(shares(NOW, 4n), {
    destroyed: [0n, 102n],
    told: [['buyback', 0, 2n]],
    got: [
      [2n, 0n],
      [0n, 0n],
    ],
  });
  const five = {
    told: [
      ['buyback', 0, 3n],
      ['issuer', 0, 1n],
    ],
    got: [
      [3n, 0n],
      [1n, 0n],
    ],
  };
  t.same(shares(NOW, 5n), { ...five, destroyed: [0n, 101n] });
  t.same(shares(MAINNET_FORKS.HF_1008, 5n), { ...five, destroyed: [101n, 0n] });
  t.same(shares(MAINNET_FORKS.HF_1008 + 1, 5n), { ...five, destroyed: [0n, 101n] });
});

t.test(
  'a staking that has ended, or has no weight, earns nothing, and takes no weight from its node again',
  async (t) => {
    const w = new BareWorld(NOW);
    setPool(w, 1000n);
    const trusted = node(w, 0, { total_vote_weights: 300n, vote_reward_pool: 60n });
    const like = { ...LONG_STAKED, owner: w.account('staker'), trust_node: trusted.id };
    const ended = w.create(stakingObject, { ...like, is_valid: false });
    w.create(stakingObject, { ...like, weight: 0 });
    const before = w.state.count(vestingBalanceObject);
    tallyStakings(runOf(w), () => undefined);
    t.equal(ended.is_valid, false);
    t.equal(trusted.total_vote_weights, 300n);
    const paid = [...w.state.all(vestingBalanceObject)].slice(before).filter(({ owner }) => owner === ended.owner);
    t.same(paid, []);
  },
);
