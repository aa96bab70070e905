import t from 'tap';
import { VESTING_WITHDRAW_ERRORS } from '../../../src/operations/vesting/vesting-balance-withdraw.js';
import { ASSET_FLAG, makeAsset } from '../../../src/protocol/asset.js';
import { MAINNET_FORKS } from '../../../src/protocol/forks.js';
import { accountObject } from '../../../src/state/objects/account.js';
import { accountStatisticsObject } from '../../../src/state/objects/account-statistics.js';
import { assetDynamicDataObject } from '../../../src/state/objects/asset-dynamic-data.js';
import { vestingBalanceObject } from '../../../src/state/objects/vesting-balance.js';
import {
  burnCore,
  depositContractCashback,
  depositFeeCashback,
  depositStakingCashback,
} from '../../../src/state/rules/cashback.js';
import { coreValueOfFee, FEE_ERRORS } from '../../../src/state/rules/fee-checks.js';
import { payOutFees } from '../../../src/state/rules/fees.js';
import { createCoinDayBalance, depositLazily, VESTING_ERRORS, withdrawable } from '../../../src/state/rules/vesting.js';
import { TABLE_ERRORS } from '../../../src/state/table.js';
import { accountText, amountJson, FreeWorld } from '../../support/free-world.js';
import { refused } from '../../support/refused.js';

/** Rules that no chain of today comes to: basic accounts that refer others, forks of the past. */

t.test('before fork 1008 fees are worth 1.3.0', async (t) => {
  const world = new FreeWorld(MAINNET_FORKS.HF_1008);
  const payer = world.state.get(accountObject, world.account('payer'));
  const asset = world.asset('THING', payer.id, {
    core_exchange_rate: { base: makeAsset(1n, 1), quote: makeAsset(1n, 3) },
  });
  refused(t, FEE_ERRORS.fee_not_in_original_core, () => coreValueOfFee(world.state, payer, makeAsset(1n, asset)));
  t.equal(coreValueOfFee(world.state, payer, makeAsset(7n, 0)), 7n);
});

t.test('a negative fee is named before a payer who is not there', async (t) => {
  const world = new FreeWorld();
  const upload = (fee: number) =>
    world.run(59, { request_id: 'r', requester: accountText(9_999), fee: amountJson(fee, 1) });
  refused(t, FEE_ERRORS.fee_payment_negative, () => upload(-1));
  refused(t, TABLE_ERRORS.object_missing, () => upload(0));
});

t.test('since fork 419 a fee is paid in an asset that its payer may have', async (t) => {
  const time = MAINNET_FORKS.HF_419;
  for (const [headTime, isAsked] of [
    [time, false],
    [time + 1, true],
  ] as const) {
    const world = new FreeWorld(headTime, { ...MAINNET_FORKS, HF_413: time - 1, HF_415: time - 1 });
    const payer = world.state.get(accountObject, world.account('payer'));
    // A list with somebody on it: an empty one has a fork of its own.
    world.changeAsset(0, { flags: ASSET_FLAG.white_list, whitelist_authorities: [0] });
    const pay = () => coreValueOfFee(world.state, payer, makeAsset(7n, 0));
    if (isAsked) refused(t, FEE_ERRORS.fee_asset_unauthorized, pay);
    else t.equal(pay(), 7n);
  }
});

t.test('a referrer who is a basic account gives way to the lifetime referrer', async (t) => {
  const world = new FreeWorld();
  const { state } = world;
  const [above, registrar, basic] = [
    world.lifetimeMember('above'),
    world.lifetimeMember('registrar'),
    world.account('basic'),
  ];
  const id = world.account('payer', {
    registrar,
    referrer: basic,
    lifetime_referrer: above,
    network_fee_percentage: 2000,
    lifetime_referrer_fee_percentage: 3000,
    referrer_rewards_percentage: 5000,
  });
  const payer = state.get(accountObject, id);
  const statistics = state.get(accountStatisticsObject, payer.statistics);
  state.modify(accountStatisticsObject, statistics, (o) => {
    o.pending_fees = 1000n;
    o.pending_vested_fees = 101n;
    o.lifetime_fees_paid = 5n;
  });
  payOutFees(state, payer);
  t.equal(payer.referrer, above);
  t.match(statistics, { pending_fees: 0n, pending_vested_fees: 0n, lifetime_fees_paid: 1106n });
  const cashback = (account: number): bigint | undefined => {
    const { cashback_vb } = state.get(accountObject, account);
    return cashback_vb === undefined ? undefined : state.get(vestingBalanceObject, cashback_vb).balance.amount;
  };
  // 1000: 200 network, 300 lifetime, 250 referrer, 250 registrar. 101: 20, 30, 25, and the rest of 26.
  t.equal(state.get(assetDynamicDataObject, 1).accumulated_fees, 220n);
  t.equal(cashback(above), 300n + 250n + 30n + 25n);
  t.equal(cashback(registrar), 250n + 26n);
  t.equal(cashback(basic), undefined);
  payOutFees(state, payer);
  t.equal(statistics.lifetime_fees_paid, 1106n, 'nothing is pending any more');
});

t.test('a single unit of either kind is paid out; where nothing is pending nobody loses its place', async (t) => {
  for (const [pending_fees, pending_vested_fees] of [
    [1n, 0n],
    [0n, 1n],
    [0n, 0n],
  ] as const) {
    const world = new FreeWorld();
    const { state } = world;
    const [basic, above] = [world.account('basic'), world.lifetimeMember('above')];
    const id = world.account('payer', { registrar: above, referrer: basic, lifetime_referrer: above });
    const payer = state.get(accountObject, id);
    const statistics = state.get(accountStatisticsObject, payer.statistics);
    state.modify(accountStatisticsObject, statistics, (o) => {
      Object.assign(o, { pending_fees, pending_vested_fees });
    });
    payOutFees(state, payer);
    const sum = pending_fees + pending_vested_fees;
    t.match(statistics, { pending_fees: 0n, pending_vested_fees: 0n, lifetime_fees_paid: sum });
    t.equal(payer.referrer, sum === 0n ? basic : above);
  }
});

t.test('the order of shares numbers the balances that they make, and what has to vest comes first', async (t) => {
  const world = new FreeWorld();
  const { state } = world;
  world.setParameters({ cashback_vesting_period_seconds: 0 });
  const [registrar, referrer, above] = ['registrar', 'referrer', 'above'].map((name) => world.lifetimeMember(name));
  const shares = { lifetime_referrer_fee_percentage: 2000, referrer_rewards_percentage: 5000 };
  const lines = { registrar: registrar as number, referrer: referrer as number, lifetime_referrer: above as number };
  const payer = state.get(accountObject, world.account('payer', { ...lines, network_fee_percentage: 0, ...shares }));
  state.modify(accountStatisticsObject, state.get(accountStatisticsObject, payer.statistics), (o) => {
    o.pending_fees = 1000n;
    o.pending_vested_fees = 100n;
  });
  payOutFees(state, payer);
  const made = [...state.all(vestingBalanceObject)];
  t.same(
    made.map(({ owner, balance }) => [owner, balance.amount]),
    [
      [above, 220n],
      [referrer, 440n],
      [registrar, 440n],
    ],
  );
  // A time of 0 tells: coins that need not vest have earned a second in a balance that is there, none in a new one.
  t.same(
    made.map(({ policy }) => (policy[0] === 1 ? policy[1].coin_seconds_earned : -1n)),
    [20n, 40n, 40n],
  );
});

t.test('the network has its share in the core asset of the time', async (t) => {
  for (const [headTime, core] of [
    [MAINNET_FORKS.HF_1008, 0],
    [MAINNET_FORKS.HF_1008 + 1, 1],
  ] as const) {
    const world = new FreeWorld(headTime);
    const { state } = world;
    const payer = state.get(accountObject, world.account('payer', { network_fee_percentage: 2000 }));
    state.modify(accountStatisticsObject, state.get(accountStatisticsObject, payer.statistics), (o) => {
      o.pending_vested_fees = 1000n;
    });
    payOutFees(state, payer);
    const shares = [0, 1].map((asset) => state.get(assetDynamicDataObject, asset).accumulated_fees);
    t.same(shares, core === 0 ? [200n, 0n] : [0n, 200n]);
  }
});

t.test('deposits go to the balance that fits, or to a new one', async (t) => {
  const world = new FreeWorld();
  const { state } = world;
  const [owner, other] = [world.account('owner'), world.account('other')];
  const deposit = { amount: 100n, seconds: 50, owner, mustVest: true };
  const first = createCoinDayBalance(state, deposit);
  t.equal(depositLazily(state, { ...deposit, existing: first, amount: 0n }), undefined);
  t.equal(depositLazily(state, { ...deposit, existing: first }), undefined, 'the same again');
  t.equal(state.get(vestingBalanceObject, first).balance.amount, 200n);
  t.equal(state.count(vestingBalanceObject), 1);
  const foreign = createCoinDayBalance(state, deposit);
  state.modify(vestingBalanceObject, state.get(vestingBalanceObject, foreign), (o) => {
    o.balance = makeAsset(o.balance.amount, 0);
  });
  const linear = world.create(vestingBalanceObject, { owner, balance: makeAsset(1n, 1) });
  t.equal(linear.policy[0], 0);
  let count = state.count(vestingBalanceObject);
  for (const [what, one] of [
    ['none yet', { existing: undefined }],
    ['of another owner', { existing: first, owner: other }],
    ['of another time', { existing: first, seconds: 51 }],
    ['of another asset', { existing: foreign }],
    ['of another policy', { existing: linear.id }],
  ] as const) {
    const created = depositLazily(state, { ...deposit, ...one });
    t.equal(state.count(vestingBalanceObject), ++count, what);
    t.match(state.get(vestingBalanceObject, created as number), { balance: makeAsset(100n, 1) }, what);
  }
  t.equal(state.get(vestingBalanceObject, first).balance.amount, 200n);
});

t.test('until fork 1008 a balance fits whatever its asset is', async (t) => {
  for (const [headTime, count] of [
    [MAINNET_FORKS.HF_1008, 1],
    [MAINNET_FORKS.HF_1008 + 1, 2],
  ] as const) {
    const world = new FreeWorld(headTime);
    const { state } = world;
    const deposit = { amount: 100n, seconds: 50, owner: world.account('owner'), mustVest: true };
    const existing = createCoinDayBalance(state, deposit);
    state.modify(vestingBalanceObject, state.get(vestingBalanceObject, existing), (o) => {
      o.balance = makeAsset(o.balance.amount, 0);
    });
    depositLazily(state, { ...deposit, existing });
    t.equal(state.count(vestingBalanceObject), count);
  }
});

t.test('coins that need not vest have earned their time at once', async (t) => {
  const world = new FreeWorld();
  const { state } = world;
  const owner = world.account('owner');
  const id = createCoinDayBalance(state, { amount: 100n, seconds: 50, owner, mustVest: true });
  const vb = state.get(vestingBalanceObject, id);
  const free = (): bigint => withdrawable(vb.policy, vb.balance.amount, state.headTime);
  t.equal(free(), 0n);
  world.pass(10);
  t.equal(free(), 20n);
  depositLazily(state, { existing: id, amount: 30n, seconds: 50, owner, mustVest: false });
  t.equal(free(), 50n);
  depositLazily(state, { existing: id, amount: 70n, seconds: 50, owner, mustVest: true });
  t.equal(free(), 50n);
  world.pass(10);
  t.equal(free(), 90n, 'of 200 coins a fifth more');
  world.pass(1000);
  t.equal(free(), 200n, 'not more than there is');
  const atOnce = state.get(
    vestingBalanceObject,
    createCoinDayBalance(state, { amount: 7n, seconds: 0, owner, mustVest: true }),
  );
  t.equal(withdrawable(atOnce.policy, 7n, state.headTime), 0n);
  t.equal(withdrawable(atOnce.policy, 7n, state.headTime + 1), 7n, 'no time counts as a second');
  const earnedNothing = { amount: 7n, seconds: 0, owner, mustVest: false };
  const fresh = state.get(vestingBalanceObject, createCoinDayBalance(state, earnedNothing));
  t.equal(withdrawable(fresh.policy, 7n, state.headTime), 0n, 'quirk: but not where the balance is new');
});

t.test('coins that may not be claimed yet are earned all the same', async (t) => {
  const world = new FreeWorld();
  const { state } = world;
  const { headTime } = state;
  const policy = { vesting_seconds: 50, start_claim: headTime + 10, coin_seconds_earned: 0n };
  const vb = world.create(vestingBalanceObject, {
    owner: world.account('owner'),
    balance: makeAsset(100n, 1),
    policy: [1, { ...policy, coin_seconds_earned_last_update: headTime }],
  });
  const free = (): bigint => withdrawable(vb.policy, vb.balance.amount, state.headTime);
  world.pass(10);
  t.equal(free(), 0n, 'not in the second itself');
  world.pass(1);
  t.equal(free(), 22n, 'then for all of the time');
});

t.test('quirk: the coin-seconds of coins that need not vest are a product of 64 bits', async (t) => {
  const world = new FreeWorld();
  const { state } = world;
  const owner = world.account('owner');
  const earned = (id: number): bigint => {
    const { policy } = state.get(vestingBalanceObject, id);
    return policy[0] === 1 ? policy[1].coin_seconds_earned : -1n;
  };
  const whole = { amount: 1n << 32n, seconds: 0xffffffff, owner, mustVest: false };
  const id = createCoinDayBalance(state, whole);
  t.equal(earned(id), (1n << 128n) - (1n << 32n));
  const empty = createCoinDayBalance(state, { ...whole, amount: 0n });
  depositLazily(state, { ...whole, existing: empty });
  t.equal(earned(empty), (1n << 128n) - (1n << 32n), 'added to nothing it is the same');
  depositLazily(state, { ...whole, amount: 1n, existing: empty });
  t.equal(earned(empty), (1n << 64n) - 1n, 'cut off at what 2^32 coins can earn, then one more');

  const share = 600_000_000_000n;
  const { id: year } = state.get(
    vestingBalanceObject,
    createCoinDayBalance(state, { amount: share, seconds: 31_536_000, owner, mustVest: false }),
  );
  world.pass(5);
  const { policy, balance } = state.get(vestingBalanceObject, year);
  t.equal(withdrawable(policy, balance.amount, state.headTime), 15_057_677_774n);
});

t.test('quirk: a negative balance earns coin-seconds of 128 bits without a sign', async (t) => {
  const world = new FreeWorld();
  const { state } = world;
  const owner = world.account('owner');
  const DAY = 86_400;
  const { id } = world.create(vestingBalanceObject, {
    owner,
    balance: makeAsset(-444_475_095_726_952n, 1),
    policy: [
      1,
      {
        vesting_seconds: DAY,
        start_claim: 0,
        coin_seconds_earned: 0n,
        coin_seconds_earned_last_update: state.headTime,
      },
    ],
  });
  world.pass(9 * DAY);
  const vb = state.get(vestingBalanceObject, id);
  const free = () => withdrawable(vb.policy, vb.balance.amount, state.headTime);
  refused(t, VESTING_ERRORS.vesting_coin_seconds_too_large, free);
  const withdraw = (amount: bigint) =>
    world.run(33, { vesting_balance: `1.13.${id}`, owner: accountText(owner), amount: amountJson(amount, 1) });
  refused(t, VESTING_ERRORS.vesting_coin_seconds_too_large, () => withdraw(1n));
  depositLazily(state, { existing: id, amount: 10n, seconds: DAY, owner, mustVest: true });
  const lost = 444_475_095_726_952n * 9n * 86_400n;
  t.match(vb.policy, [1, { coin_seconds_earned: (1n << 128n) - lost }]);
});

t.test('quirk: what can be withdrawn is a number of 64 bits with a sign', async (t) => {
  const world = new FreeWorld();
  const { state } = world;
  const owner = world.account('owner');
  // Only a negative balance may have earned so much: whatever it earns, its cap is near 2^128.
  const earned = (coin_seconds_earned: bigint): number =>
    world.create(vestingBalanceObject, {
      owner,
      balance: makeAsset(-1n, 1),
      policy: [
        1,
        { vesting_seconds: 1, start_claim: 0, coin_seconds_earned, coin_seconds_earned_last_update: state.headTime },
      ],
    }).id;
  const ids = [2n ** 63n, 2n ** 63n + 1n, 2n ** 64n].map(earned);
  world.pass(1);
  const free = ids.map((id) => {
    const { policy, balance } = state.get(vestingBalanceObject, id);
    return withdrawable(policy, balance.amount, state.headTime);
  });
  t.same(free, [2n ** 63n - 1n, -(2n ** 63n), -1n], 'the second took one of each');
  const withdraw = (id: number | undefined) =>
    world.run(33, { vesting_balance: `1.13.${id}`, owner: accountText(owner), amount: amountJson(1, 1) });
  refused(t, VESTING_WITHDRAW_ERRORS.vesting_withdraw_above_balance, () => withdraw(ids[0]), 'earned, but not there');
  refused(t, VESTING_WITHDRAW_ERRORS.vesting_withdraw_not_allowed, () => withdraw(ids[1]));
  refused(t, VESTING_WITHDRAW_ERRORS.vesting_withdraw_not_allowed, () => withdraw(ids[2]));
});

t.test('cashbacks have their own balances since fork 1027', async (t) => {
  const headTime = MAINNET_FORKS.HF_1027;
  // Others of that day change nothing of it.
  const others = { HF_1022: headTime + 9, HF_1025: headTime + 9, HF_1026: headTime + 9, HF_1028: headTime + 9 };
  for (const [passed, isSeparate] of [
    [0, false],
    [1, true],
  ] as const) {
    const world = new FreeWorld(headTime + passed, { ...MAINNET_FORKS, ...others });
    const { state } = world;
    const account = state.get(accountObject, world.account('owner'));
    depositFeeCashback(state, account, 5n, true);
    depositContractCashback(state, account, 6n);
    depositStakingCashback(state, account, 7n);
    const { cashback_vb, contract_call_cashback_vb, staking_cashback_vb } = account;
    const amounts = [cashback_vb, contract_call_cashback_vb, staking_cashback_vb].map((id) =>
      id === undefined ? undefined : state.get(vestingBalanceObject, id).balance.amount,
    );
    // Before it each of them took the place of the one before, whose time was another one.
    t.same(amounts, isSeparate ? [5n, 6n, 7n] : [7n, undefined, undefined]);
  }
});

t.test('special accounts destroy their cashback, one of them keeps it', async (t) => {
  const world = new FreeWorld();
  const { state } = world;
  state.modify(assetDynamicDataObject, state.get(assetDynamicDataObject, 1), (o) => {
    o.current_supply = 1000n;
  });
  const supply = (): bigint => state.get(assetDynamicDataObject, 1).current_supply;
  for (let id = 0; id <= 5; id++) depositFeeCashback(state, state.get(accountObject, id), 10n, true);
  t.equal(supply(), 950n);
  t.ok(state.get(accountObject, 5).cashback_vb !== undefined);
  t.equal(state.count(vestingBalanceObject), 1);
  burnCore(state, 50n);
  t.equal(supply(), 900n);
  // Only of fees: whoever calls a contract has its base fee back, and whoever stakes its reward.
  depositContractCashback(state, state.get(accountObject, 4), 10n);
  depositStakingCashback(state, state.get(accountObject, 4), 10n);
  t.same([supply(), state.count(vestingBalanceObject)], [900n, 3]);
});
