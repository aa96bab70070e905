import t from 'tap';
import { InvariantError } from '../../../src/base/errors.js';
import type { JsonObject } from '../../../src/codec/json.js';
import { blind } from '../../../src/crypto/blind.js';
import { BLIND_TRANSFER_ERRORS } from '../../../src/operations/confidential/blind-transfer.js';
import { CONFIDENTIAL_ERRORS } from '../../../src/operations/confidential/blinded.js';
import { TRANSFER_FROM_BLIND_ERRORS } from '../../../src/operations/confidential/transfer-from-blind.js';
import { TRANSFER_TO_BLIND_ERRORS } from '../../../src/operations/confidential/transfer-to-blind.js';
import { OPERATIONS } from '../../../src/operations/index.js';
import { PIPELINE_ERRORS } from '../../../src/operations/pipeline.js';
import { ASSET_PUBLISH_FEED_ERRORS } from '../../../src/operations/retired/asset-publish-feed.js';
import { RETIRED_ERRORS } from '../../../src/operations/retired/retire.js';
import { WORKER_ERRORS } from '../../../src/operations/retired/worker-create.js';
import { ASSET_FLAG, makeAsset } from '../../../src/protocol/asset.js';
import { MAINNET_FORKS } from '../../../src/protocol/forks.js';
import { TEMP_ACCOUNT } from '../../../src/protocol/ids.js';
import { makeVoteId, VOTE_TYPE } from '../../../src/protocol/vote.js';
import { accountObject } from '../../../src/state/objects/account.js';
import { accountStatisticsObject } from '../../../src/state/objects/account-statistics.js';
import { assetObject } from '../../../src/state/objects/asset.js';
import { assetDynamicDataObject } from '../../../src/state/objects/asset-dynamic-data.js';
import { blindedBalanceObject } from '../../../src/state/objects/blinded-balance.js';
import { fbaAccumulatorObject } from '../../../src/state/objects/fba-accumulator.js';
import { vestingBalanceObject } from '../../../src/state/objects/vesting-balance.js';
import { workerObject } from '../../../src/state/objects/worker.js';
import { FOREVER } from '../../../src/state/rules/accounts.js';
import { TABLE_ERRORS } from '../../../src/state/table.js';
import { accountText, amountJson, createdInstance, FreeWorld } from '../../support/free-world.js';
import { refused } from '../../support/refused.js';

const KEY = 'GXC6MRyAjQq8ud7hVNYcfnVPJqcVpscN5So8BhtHuGYqET5GDW5CV';
const OWNER = { weight_threshold: 1, account_auths: [], key_auths: [[KEY, 1]], address_auths: [] };
const FACTOR = new Uint8Array(32).fill(7);
const hidden = (amount: bigint, owner: JsonObject = OWNER): JsonObject => ({
  commitment: blind(FACTOR, amount),
  owner,
  range_proof: '',
});

function confidential(headTime?: number, forks = MAINNET_FORKS) {
  const world = new FreeWorld(headTime, forks);
  const { coreAsset } = world.state;
  const alice = world.account('alice', {}, 1000n);
  for (let i = 0; i < 3; i++) world.create(fbaAccumulatorObject, { designated_asset: undefined });
  const supply = () =>
    world.state.get(assetDynamicDataObject, world.state.get(assetObject, 1).dynamic_asset_data_id).confidential_supply;
  const hide = (more: JsonObject = {}) =>
    world.run(39, {
      fee: amountJson(10, coreAsset),
      amount: amountJson(500, coreAsset),
      from: accountText(alice),
      blinding_factor: Buffer.from(FACTOR).toString('hex'),
      outputs: [hidden(500n)],
      ...more,
    });
  const move = (inputs: JsonObject[], outputs: JsonObject[], fee: number) =>
    world.run(40, { fee: amountJson(fee, 1), inputs, outputs });
  const show = (inputs: JsonObject[], amount: number, fee: number) =>
    world.run(41, {
      fee: amountJson(fee, 1),
      amount: amountJson(amount, 1),
      to: accountText(alice),
      blinding_factor: Buffer.from(FACTOR).toString('hex'),
      inputs,
    });
  const exists = (amount: bigint) =>
    world.state.findBy(blindedBalanceObject.by.commitment, blind(FACTOR, amount)) !== undefined;
  return { world, alice, supply, hide, move, show, exists };
}

t.test('amounts go into hiding, move there, and come back', async (t) => {
  const { world, alice, supply, hide, move, show, exists } = confidential();
  hide();
  t.same([world.balance(alice), supply(), exists(500n)], [490n, 500n, true]);
  move([hidden(500n)], [hidden(470n)], 30);
  t.same([supply(), exists(500n), exists(470n)], [470n, false, true]);
  t.equal(world.balance(TEMP_ACCOUNT), 0n, 'the fee only passes through');
  show([hidden(470n)], 450, 20);
  t.same([world.balance(alice), supply(), exists(470n)], [940n, 0n, false]);
  hide({ fee: amountJson(0, 1), amount: amountJson(1, 1), outputs: [hidden(1n)] });
  show([hidden(1n)], 1, 0);
  t.same([world.balance(alice), supply(), exists(1n)], [940n, 0n, false], 'a single unit');
  const statistics = (id: number) =>
    world.state.get(accountStatisticsObject, world.state.get(accountObject, id).statistics).pending_vested_fees;
  t.same([statistics(alice), statistics(TEMP_ACCOUNT)], [10n, 50n], 'fees are booked as usual');
});

t.test('what cannot be hidden or shown', async (t) => {
  const { world, alice, hide, move, show } = confidential();
  for (const [flags, row] of [
    [ASSET_FLAG.disable_confidential, TRANSFER_TO_BLIND_ERRORS.blind_disabled],
    [ASSET_FLAG.transfer_restricted, TRANSFER_TO_BLIND_ERRORS.blind_restricted],
  ] as const) {
    world.changeAsset(1, { flags });
    refused(t, row, () => hide());
  }
  world.changeAsset(1, { flags: 0 });
  world.changeAsset(2, { flags: ASSET_FLAG.white_list });
  refused(t, TRANSFER_TO_BLIND_ERRORS.blind_white_listed, () => hide({ amount: amountJson(500, 2) }));
  const unknownOwner = { ...OWNER, key_auths: [], account_auths: [['1.2.99', 1]] };
  refused(t, TABLE_ERRORS.object_missing, () => hide({ outputs: [hidden(500n, unknownOwner)] }));

  hide();
  world.give(alice, 1, 1000n);
  refused(t, TABLE_ERRORS.object_not_unique, () => hide(), 'the same commitment twice');
  const C = CONFIDENTIAL_ERRORS;
  refused(t, BLIND_TRANSFER_ERRORS.blind_unknown_commitment, () => move([hidden(400n)], [hidden(390n)], 10));
  refused(t, TRANSFER_FROM_BLIND_ERRORS.blind_commitment_missing, () => show([hidden(400n)], 390, 10));
  const otherOwner = { ...OWNER, weight_threshold: 0 };
  refused(t, C.blind_other_owner, () => move([hidden(500n, otherOwner)], [hidden(490n)], 10));
  refused(t, TABLE_ERRORS.object_missing, () => move([hidden(500n)], [hidden(490n, unknownOwner)], 10));
  world.state.modify(assetDynamicDataObject, world.state.get(assetDynamicDataObject, 1), (o) => {
    o.confidential_supply = 499n;
  });
  refused(t, C.blind_supply, () => show([hidden(500n)], 490, 10), 'more than was ever hidden');
  const inOther = { fee: amountJson(0, 2), inputs: [hidden(500n)], outputs: [hidden(500n)] };
  world.changeAsset(2, {
    flags: 0,
    core_exchange_rate: { base: { amount: 1n, asset_id: 1 }, quote: { amount: 1n, asset_id: 2 } },
  });
  refused(t, C.blind_other_asset, () => world.run(40, inOther));
});

t.test('what moves in hiding stays of its asset', async (t) => {
  const { world, alice, supply, hide } = confidential();
  world.changeAsset(2, {
    core_exchange_rate: { base: { amount: 1n, asset_id: 1 }, quote: { amount: 1n, asset_id: 2 } },
  });
  const data = world.state.get(assetDynamicDataObject, world.state.get(assetObject, 2).dynamic_asset_data_id);
  world.state.modify(assetDynamicDataObject, data, (o) => {
    o.fee_pool = 100n;
  });
  world.give(alice, 2, 500n);
  hide({ amount: amountJson(500, 2) });
  world.run(40, { fee: amountJson(30, 2), inputs: [hidden(500n)], outputs: [hidden(470n)] });
  t.equal(world.state.findBy(blindedBalanceObject.by.commitment, blind(FACTOR, 470n))?.asset_id, 2);
  t.same([data.confidential_supply, supply()], [470n, 0n]);
});

t.test('since fork 563 fees feed an accumulator that somebody has set up', async (t) => {
  const time = MAINNET_FORKS.HF_563;
  for (const [headTime, booked] of [
    [undefined, [10n, 0n]],
    [time, [10n, 0n]],
    [time - 1, [0n, 10n]],
  ] as const) {
    const { world, alice, hide } = confidential(headTime, { ...MAINNET_FORKS, HF_538: time - 1, HF_572: time - 1 });
    const holders = (asset: number) =>
      [1, { asset, num_top_holders: 1 }] as [1, { asset: number; num_top_holders: number }];
    const issuer = world.account('issuer', { top_n_control_flags: 3 });
    const asset = world.asset('SHARED', issuer, { issuer_permissions: 0, flags: 0 });
    world.changeAsset(asset, {}, { buyback_account: alice });
    world.changeAccount(issuer, { owner_special_authority: holders(asset), active_special_authority: holders(asset) });
    const accumulator = world.state.get(fbaAccumulatorObject, 0);
    world.state.modify(fbaAccumulatorObject, accumulator, (o) => {
      o.designated_asset = asset;
    });
    hide();
    const statistics = world.state.get(accountStatisticsObject, world.state.get(accountObject, alice).statistics);
    t.same([accumulator.accumulated_fba_fees, statistics.pending_vested_fees], booked);
  }
});

t.test(
  'each confidential operation feeds its own accumulator, with what its fee is worth in the core asset',
  async (t) => {
    const { world, alice, hide, move, show } = confidential();
    const issuer = world.account('issuer', { top_n_control_flags: 3 });
    const asset = world.asset('SHARED', issuer, { issuer_permissions: 0, flags: 0 });
    world.changeAsset(asset, {}, { buyback_account: alice });
    const special: [1, { asset: number; num_top_holders: number }] = [1, { asset, num_top_holders: 1 }];
    world.changeAccount(issuer, { owner_special_authority: special, active_special_authority: special });
    const accumulators = [...world.state.all(fbaAccumulatorObject)];
    const designate = (...which: boolean[]) => {
      for (const [i, accumulator] of accumulators.entries()) {
        world.state.modify(fbaAccumulatorObject, accumulator, (o) => {
          o.designated_asset = which[i] === true ? asset : undefined;
        });
      }
    };
    const booked = () => accumulators.map(({ accumulated_fba_fees }) => accumulated_fba_fees);
    const pending = (id: number) =>
      world.state.get(accountStatisticsObject, world.state.get(accountObject, id).statistics).pending_vested_fees;
    designate(true, true, true);
    hide();
    t.same(booked(), [10n, 0n, 0n]);
    move([hidden(500n)], [hidden(470n)], 30);
    t.same(booked(), [10n, 30n, 0n]);
    show([hidden(470n)], 450, 20);
    t.same(booked(), [10n, 30n, 20n]);
    t.same([pending(alice), pending(TEMP_ACCOUNT)], [0n, 0n], 'and nobody has paid a fee');
    // One of them stands for nobody else.
    designate(false, true, false);
    hide();
    move([hidden(500n)], [hidden(495n)], 5);
    show([hidden(495n)], 488, 7);
    t.same(booked(), [10n, 35n, 20n]);
    t.same([pending(alice), pending(TEMP_ACCOUNT)], [10n, 7n]);
    // Twenty of another asset are worth ten.
    designate(true, true, true);
    const core_exchange_rate = { base: { amount: 1n, asset_id: 1 }, quote: { amount: 2n, asset_id: 2 } };
    world.changeAsset(2, { core_exchange_rate });
    world.give(alice, 2, 20n);
    const data = world.state.get(assetDynamicDataObject, world.state.get(assetObject, 2).dynamic_asset_data_id);
    world.state.modify(assetDynamicDataObject, data, (o) => {
      o.fee_pool = 15n;
    });
    hide({ fee: amountJson(20, 2) });
    t.same(booked(), [20n, 35n, 20n]);
    t.same([data.fee_pool, data.accumulated_fees, world.balance(alice, 2)], [5n, 20n, 0n]);
  },
);

const at = (headTime: number) => {
  const world = new FreeWorld(headTime);
  return { world, account: accountText(world.account('somebody', {}, 100n)) };
};

t.test('limit orders', async (t) => {
  const before = at(MAINNET_FORKS.HF_1004 - 1);
  const order = { seller: before.account, fee: amountJson(5, 0) };
  t.same(before.world.run(1, order), [1, 0n]);
  t.equal(before.world.balance(6), 100n, 'quirk: not even the fee is taken');
  const after = at(MAINNET_FORKS.HF_1004);
  refused(t, RETIRED_ERRORS.limit_orders_ended, () => after.world.run(1, { seller: after.account }));
  t.same(after.world.run(2, { fee_paying_account: after.account, fee: amountJson(5, 0) }), [
    2,
    { amount: 0n, asset_id: 0 },
  ]);
  t.same(after.world.run(3, { funding_account: after.account, fee: amountJson(5, 0) }), [0, {}]);
  t.equal(after.world.balance(6), 90n);
});

t.test('quirk: the pool pays for a limit order all the same', async (t) => {
  for (const [fee, pool, accumulated] of [
    [10, 995n, 10n],
    [100, 950n, 100n],
  ] as const) {
    const { world, account } = at(1_500_000_000);
    const id = world.asset('PAYING', 6, { core_exchange_rate: { base: makeAsset(1n, 0), quote: makeAsset(2n, 3) } });
    t.equal(id, 3);
    const data = world.state.get(assetDynamicDataObject, world.state.get(assetObject, id).dynamic_asset_data_id);
    world.state.modify(assetDynamicDataObject, data, (o) => {
      o.fee_pool = 1000n;
    });
    world.give(6, id, 500n);
    world.run(1, { seller: account, fee: amountJson(fee, id) });
    t.match(data, { fee_pool: pool, accumulated_fees: accumulated });
    t.equal(world.balance(6, id), 500n, 'nothing is taken from the payer');
    t.same(
      world.state.get(accountStatisticsObject, world.state.get(accountObject, 6).statistics).pending_vested_fees,
      0n,
    );
  }
});

t.test('operations on market-issued assets', async (t) => {
  const bodies = (account: string): readonly (readonly [number, JsonObject])[] => [
    [12, { issuer: account, new_options: { minimum_feeds: 1 } }],
    [13, { issuer: account }],
    [17, { account }],
    [18, { issuer: account }],
    [
      19,
      {
        publisher: account,
        asset_id: '1.3.2',
        feed: {
          settlement_price: { base: amountJson(1, 2), quote: amountJson(1, 0) },
          core_exchange_rate: { base: amountJson(1, 2), quote: amountJson(1, 0) },
          maintenance_collateral_ratio: 1750,
          maximum_short_squeeze_ratio: 1500,
        },
      },
    ],
  ];
  const before = at(MAINNET_FORKS.HF_1008);
  for (const [tag, body] of bodies(before.account)) {
    t.same(before.world.run(tag, { ...body, fee: amountJson(1, 0) }), [0, {}], `${tag} pays its fee`);
  }
  t.equal(before.world.balance(6), 95n);
  const after = at(MAINNET_FORKS.HF_1008 + 1);
  for (const [tag, body] of bodies(after.account)) {
    refused(t, RETIRED_ERRORS.bitassets_ended, () => after.world.run(tag, body), `${tag}`);
  }
});

t.test('the bounds of a feed, and the first of two faults', async (t) => {
  const before = at(MAINNET_FORKS.HF_1008);
  const price = (base: number, quote: number): JsonObject => ({
    base: amountJson(1, base),
    quote: amountJson(1, quote),
  });
  const feed = (squeeze: number, kept: number, prices: JsonObject = {}, asset_id = '1.3.0') =>
    before.world.run(19, {
      publisher: before.account,
      asset_id,
      feed: {
        settlement_price: price(0, 2),
        core_exchange_rate: price(0, 2),
        maintenance_collateral_ratio: kept,
        maximum_short_squeeze_ratio: squeeze,
        ...prices,
      },
    });
  t.same(feed(1001, 32_000), [0, {}]);
  t.same(feed(32_000, 1001), [0, {}]);
  const F = ASSET_PUBLISH_FEED_ERRORS;
  const unset = price(0, 0);
  refused(t, F.feed_price_of_one_asset, () => feed(1000, 1000, { settlement_price: unset }));
  refused(t, F.feed_squeeze_too_low, () => feed(1000, 1000));
  refused(t, F.feed_squeeze_too_high, () => feed(32_001, 1000));
  refused(t, F.feed_collateral_too_low, () => feed(1001, 1000, { core_exchange_rate: unset }));
  refused(t, F.feed_price_of_one_asset, () => feed(1001, 1001, { core_exchange_rate: unset }, '1.3.2'));
  refused(t, F.feed_of_two_assets, () => feed(1001, 1001, { core_exchange_rate: price(1, 2) }, '1.3.2'));
});

t.test('workers', async (t) => {
  const before = at(MAINNET_FORKS.HF_1008);
  const { world } = before;
  const work_begin_date = world.at(0);
  const create = (initializer: JsonObject[string], more: JsonObject = {}) =>
    world.run(34, { owner: before.account, work_begin_date, daily_pay: 5, name: 'w', initializer, ...more });
  refused(t, WORKER_ERRORS.worker_not_lifetime, () => create([0, {}], { work_begin_date: world.at(-1) }));
  world.changeAccount(6, { membership_expiration_date: FOREVER });
  refused(t, WORKER_ERRORS.worker_begin_passed, () => create([0, {}], { work_begin_date: world.at(-1) }));
  const paid = before.world.state.get(workerObject, createdInstance(create([1, { pay_vesting_period_days: 2 }])));
  t.same(paid, {
    id: paid.id,
    worker_account: 6,
    work_begin_date: world.state.headTime,
    work_end_date: 0,
    daily_pay: 5n,
    worker: [1, { balance: 0 }],
    vote_for: makeVoteId(VOTE_TYPE.worker, 0),
    vote_against: makeVoteId(VOTE_TYPE.worker, 1),
    total_votes_for: 0n,
    total_votes_against: 0n,
    name: 'w',
    url: '',
  });
  t.match(before.world.state.get(vestingBalanceObject, 0), {
    owner: 6,
    balance: { amount: 0n, asset_id: 0 },
    policy: [1, { vesting_seconds: 172_800, coin_seconds_earned: 0n }],
  });
  const others = [create([0, {}]), create([2, {}])].map((result) => createdInstance(result));
  t.same(
    others.map((id) => before.world.state.get(workerObject, id).worker),
    [
      [0, { total_burned: 0n }],
      [2, { total_burned: 0n }],
    ],
  );
  const long = world.state.get(workerObject, createdInstance(create([1, { pay_vesting_period_days: 60_000 }])));
  const [, { balance }] = long.worker as [1, { balance: number }];
  const { policy } = world.state.get(vestingBalanceObject, balance);
  t.match(policy, [1, { vesting_seconds: 889_032_704 }], 'quirk: seconds have 32 bits');
  const after = at(MAINNET_FORKS.HF_1008 + 1);
  refused(t, RETIRED_ERRORS.workers_ended, () => after.world.run(34, { owner: after.account }));
});

t.test('operations without a rule', async (t) => {
  const { world, account } = at(MAINNET_FORKS.HF_1029 + 1);
  refused(t, PIPELINE_ERRORS.operation_without_evaluator, () => world.run(9, { account_id: account }));
  const settlement = { account, amount: amountJson(1, 1) };
  refused(t, PIPELINE_ERRORS.operation_without_evaluator, () => world.run(42, settlement));
  for (const tag of [4, 9, 42, 44]) {
    const definition = OPERATIONS[tag];
    t.equal(definition?.noEvaluator, true, `${tag}`);
    const op = definition?.schema.default();
    t.throws(() => definition?.evaluate(world.state, op, world.context), InvariantError);
  }
});
