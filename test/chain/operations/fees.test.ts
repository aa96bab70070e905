import type { Test } from 'tap';
import { addressOfKey, addressToText } from '../../../src/crypto/address.js';
import { PIPELINE_ERRORS } from '../../../src/operations/pipeline.js';
import { ASSET_FLAG, makeAsset } from '../../../src/protocol/asset.js';
import { keyAuthority } from '../../../src/protocol/authority.js';
import { accountStatisticsObject } from '../../../src/state/objects/account-statistics.js';
import { assetObject } from '../../../src/state/objects/asset.js';
import { assetDynamicDataObject } from '../../../src/state/objects/asset-dynamic-data.js';
import { globalPropertyObject } from '../../../src/state/objects/global-property.js';
import { vestingBalanceObject } from '../../../src/state/objects/vesting-balance.js';
import { BALANCE_ERRORS } from '../../../src/state/rules/balances.js';
import { FEE_ERRORS } from '../../../src/state/rules/fee-checks.js';
import { TABLE_ERRORS } from '../../../src/state/table.js';
import { assetOptions } from '../../support/asset-options.js';
import { holds } from '../../support/holds.js';
import { NETWORK } from '../../support/network.js';
import { refused } from '../../support/refused.js';
import { core, type TestWorld, worldTest } from '../../support/world.js';
import { accountKey, WORLD_TIME } from '../../support/world-genesis.js';

/** The way of every fee: checks, conversion, booking, deduction, payout. */

const FUNDS = 10n ** 13n;
const WORLD = { accounts: { alice: FUNDS, bob: 0n, basic: FUNDS }, basic: ['basic'], fees: true };
const TRANSFER_FEE = 100_000n;

const give = (more: object = {}) => ({ from: 'alice', to: 'bob', amount: core(1), ...more });
const dataOf = (w: TestWorld, asset: number) =>
  w.state.get(assetDynamicDataObject, w.state.get(assetObject, asset).dynamic_asset_data_id);
const statisticsOf = (w: TestWorld, name: string) => w.state.get(accountStatisticsObject, w.account(name).statistics);
const pendingOf = (w: TestWorld, name: string): bigint[] => {
  const { pending_fees, pending_vested_fees, lifetime_fees_paid } = statisticsOf(w, name);
  return [pending_fees, pending_vested_fees, lifetime_fees_paid];
};
const cashbackOf = (w: TestWorld, name: string) => {
  const { cashback_vb } = w.account(name);
  return cashback_vb === undefined ? undefined : w.state.get(vestingBalanceObject, cashback_vb);
};
const cut = (amount: bigint, percent: bigint): bigint => (amount * percent) / 10_000n;

worldTest('a fee in the core asset', WORLD, (t, w) => {
  w.refuse(t, PIPELINE_ERRORS.fee_insufficient, 'transfer', give({ fee: core(TRANSFER_FEE - 1n) }));
  // Operations that look at nothing themselves come to the common check.
  const upload = { request_id: 'r', requester: 'alice', datasource: 'bob', fee: core(-1) };
  w.refuse(t, FEE_ERRORS.fee_payment_negative, 'data_transaction_datasource_upload', upload);
  w.refuse(t, TABLE_ERRORS.object_missing, 'transfer', give({ fee: makeAsset(1n, 99) }));
  const nobody = w.operation('transfer', give({ from: 9_999 }));
  refused(t, TABLE_ERRORS.object_missing, () => w.pushAll([nobody], ['alice']), 'an unknown payer');

  const { parameters } = w.state.single(globalPropertyObject);
  const threshold = parameters.cashback_vesting_threshold;
  const before = pendingOf(w, 'alice') as [bigint, bigint, bigint];
  w.push('transfer', give({ fee: core(threshold) }));
  t.same(pendingOf(w, 'alice'), [before[0], before[1] + threshold, before[2]], 'up to the threshold it need not vest');
  w.push('transfer', give({ fee: core(threshold + 1n) }));
  t.same(pendingOf(w, 'alice'), [before[0] + threshold + 1n, before[1] + threshold, before[2]], 'above it, it must');
  w.block();
});

worldTest('what an operation brings in can pay for it, what it takes away cannot', WORLD, (t, w) => {
  w.push('transfer', give({ amount: core(10) }));
  const vesting = { creator: 'alice', owner: 'bob', amount: core(3_000_000) };
  const vesting_balance = w.create('vesting_balance_create', { ...vesting, policy: [1, { vesting_seconds: 0 }] });
  w.block();
  w.block();
  // bob owns ten, the fee is two millions; he has it once the withdrawal has come in.
  w.push('vesting_balance_withdraw', { vesting_balance, owner: 'bob', amount: core(2_500_000) });
  w.block();
  t.equal(w.balance('bob'), 500_010n);
  w.refuse(
    t,
    BALANCE_ERRORS.balance_insufficient,
    'transfer',
    give({ from: 'bob', to: 'alice', amount: core(500_010n - TRANSFER_FEE + 1n) }),
  );
  w.push('transfer', give({ from: 'bob', to: 'alice', amount: core(500_010n - TRANSFER_FEE) }));
  w.block();
  t.equal(w.balance('bob'), 0n);
});

worldTest('a fee in another asset comes out of its pool', WORLD, (t, w) => {
  const common_options = assetOptions({ core_exchange_rate: { base: core(3), quote: makeAsset(2n, 2) } });
  const asset = w.create('asset_create', { issuer: 'alice', symbol: 'LONGSYMBOL', common_options });
  const start = dataOf(w, asset).fee_pool;
  const amount = 10n ** 8n;
  w.push('asset_issue', { issuer: 'alice', asset_to_issue: makeAsset(amount, asset), issue_to_account: 'bob' });
  w.push('transfer', give({ amount: core(2) }));
  w.block();
  const fromBob = (fee: bigint) => give({ from: 'bob', to: 'alice', fee: makeAsset(fee, asset) });
  // Three core units are two of the asset.
  w.refuse(t, PIPELINE_ERRORS.fee_insufficient, 'transfer', fromBob(66_666n));
  w.push('transfer', fromBob(66_667n));
  w.block();
  t.equal(w.balance('bob', asset), amount - 66_667n);
  holds(t, dataOf(w, asset), { fee_pool: start - 100_000n, accumulated_fees: 66_667n, current_supply: amount });
  t.same(pendingOf(w, 'bob'), [0n, 100_000n, 0n], 'floor(66667 * 3 / 2)');
  t.equal(w.balance('bob'), 1n, 'core units pay nothing');

  w.refuse(t, FEE_ERRORS.fee_pool_empty, 'transfer', fromBob(start));
  const core_exchange_rate = { base: core(3), quote: makeAsset(2n, asset) };
  const flags = ASSET_FLAG.white_list;
  const new_options = assetOptions({ core_exchange_rate, flags, whitelist_authorities: [w.id('alice')] });
  w.push('asset_update', { issuer: 'alice', asset_to_update: asset, new_options });
  w.refuse(t, FEE_ERRORS.fee_asset_unauthorized, 'transfer', fromBob(66_667n));
  w.block();
});

/** Registered by alice, referred by bob, with so much money. */
function register(w: TestWorld, name: string, amount: bigint): void {
  const authority = keyAuthority(w.addKey(accountKey(name)).publicKey);
  const options = w.account('bob').options;
  const given = { registrar: 'alice', referrer: 'bob', referrer_percent: 2500, name, options };
  w.push('account_create', { ...given, owner: authority, active: authority });
  w.push('transfer', give({ to: name, amount: core(amount) }));
}

/** Coins in an account's cashback that came without and with having to vest. */
function hasCashback(t: Test, w: TestWorld, name: string, [vesting, vested]: [bigint, bigint]): void {
  const { cashback_vesting_period_seconds: seconds } = w.state.single(globalPropertyObject).parameters;
  holds(t, cashbackOf(w, name), {
    owner: w.id(name),
    balance: core(vesting + vested),
    policy: [
      1,
      {
        vesting_seconds: seconds,
        start_claim: 0,
        coin_seconds_earned: vested * BigInt(seconds),
        coin_seconds_earned_last_update: w.now - 3,
      },
    ],
  });
}

worldTest('an upgrade pays out at once: network, lifetime referrer, referrer, registrar', WORLD, (t, w) => {
  register(w, 'newcomer-1', FUNDS / 2n);
  w.block();
  w.maintenance();
  const paidBefore = cashbackOf(w, 'alice')?.balance.amount ?? 0n;
  t.ok(paidBefore > 0n, 'alice gets what she herself has paid, less the share of the network');
  t.equal(cashbackOf(w, 'bob'), undefined);
  w.push('transfer', give({ from: 'newcomer-1', to: 'bob' }));
  w.block();
  const upgrade = w.operation('account_upgrade', {
    account_to_upgrade: 'newcomer-1',
    upgrade_to_lifetime_member: true,
  });
  const fee = upgrade[1].fee.amount;
  t.ok(fee > w.state.single(globalPropertyObject).parameters.cashback_vesting_threshold);
  const accumulated = dataOf(w, 1).accumulated_fees;
  w.pushAll([upgrade]);
  w.block();
  // Both sums are split for themselves; each part is rounded down, and the rest is the registrar's.
  const share = (total: bigint) => {
    const [network, lifetime] = [cut(total, 2000n), cut(total, 3000n)];
    const referrer = cut(total - network - lifetime, 2500n);
    return { network, bob: lifetime + referrer, alice: total - network - lifetime - referrer };
  };
  const [vesting, vested] = [share(fee), share(TRANSFER_FEE)];
  t.equal(dataOf(w, 1).accumulated_fees, accumulated + vesting.network + vested.network);
  hasCashback(t, w, 'bob', [vesting.bob, vested.bob]);
  t.equal(cashbackOf(w, 'alice')?.balance.amount, paidBefore + vesting.alice + vested.alice);
  t.same(pendingOf(w, 'newcomer-1'), [0n, 0n, fee + TRANSFER_FEE]);
  t.equal(cashbackOf(w, 'newcomer-1'), undefined, 'who upgrades gets nothing back of what the upgrade costs');
  // From now on there is nobody else to share with.
  w.push('transfer', give({ from: 'newcomer-1', to: 'bob' }));
  w.block();
  w.maintenance();
  t.equal(cashbackOf(w, 'newcomer-1')?.balance.amount, TRANSFER_FEE - cut(TRANSFER_FEE, 2000n));
  t.equal(cashbackOf(w, 'bob')?.balance.amount, vesting.bob + vested.bob);
});

worldTest('shares of special accounts are destroyed', WORLD, (t, w) => {
  // Accounts of the genesis were referred by the committee.
  w.push('transfer', give({ from: 'basic' }));
  w.block();
  const { current_supply, accumulated_fees } = dataOf(w, 1);
  w.push('account_upgrade_merchant', {
    account_to_upgrade: 'basic',
    auth_referrer: 'alice',
    upgrade_to_merchant_member: true,
  });
  w.block();
  t.equal(dataOf(w, 1).accumulated_fees, accumulated_fees + cut(TRANSFER_FEE, 2000n));
  t.equal(dataOf(w, 1).current_supply, current_supply - (TRANSFER_FEE - cut(TRANSFER_FEE, 2000n)));
  t.same(pendingOf(w, 'basic'), [0n, 0n, TRANSFER_FEE]);
});

const FORK_TIME = WORLD_TIME + 600;
const [ALICE, ISSUER] = ['alice', 'issuer'].map((name) =>
  addressToText(addressOfKey(accountKey(name).publicKey), NETWORK.keyPrefix),
);

worldTest(
  'fees around fork 1008, which makes 1.3.1 the core asset',
  {
    accounts: { alice: 0n, issuer: 0n },
    forks: { HF_1008: FORK_TIME },
    genesis: {
      initial_balances: [ALICE, ISSUER].flatMap((owner) => [
        { owner: owner as string, asset_symbol: 'GXC', amount: 1_000_000 },
        { owner: owner as string, asset_symbol: 'CORE', amount: 1_000_000 },
      ]),
    },
    // What the pools hold was paid in before, and is spent as the new core asset.
    keepsSupply: false,
  },
  (t, w) => {
    t.equal(w.state.coreAsset, 0);
    const original = (amount: number) => makeAsset(BigInt(amount), 0);
    const common_options = assetOptions({ core_exchange_rate: { base: original(1), quote: makeAsset(1n, 1) } });
    const asset = w.create('asset_create', { issuer: 'issuer', symbol: 'THING', common_options });
    w.push('asset_issue', { issuer: 'issuer', asset_to_issue: makeAsset(50n, asset), issue_to_account: 'alice' });
    w.push('asset_fund_fee_pool', { from_account: 'issuer', asset_id: asset, amount: 100n });
    w.block();
    t.equal(w.balance('issuer', 0), 999_900n);
    const pay = (fee: unknown) => ({ from: 'alice', to: 'issuer', amount: original(1), fee });
    w.push('transfer', pay(makeAsset(5n, asset)));
    w.block();
    holds(t, dataOf(w, asset), { fee_pool: 95n, accumulated_fees: 5n });

    w.advance(FORK_TIME - w.now + 3);
    w.block();
    t.equal(w.state.coreAsset, 1);
    w.refuse(t, FEE_ERRORS.fee_not_in_core, 'transfer', pay(makeAsset(5n, asset)));
    const supply = dataOf(w, 0).current_supply;
    const core_exchange_rate = { base: core(1), quote: makeAsset(1n, asset) };
    const new_options = assetOptions({ core_exchange_rate });
    w.push('asset_update', { issuer: 'issuer', asset_to_update: asset, new_options });
    w.block();
    t.equal(dataOf(w, asset).fee_pool, 0n, 'the pool of a foreign rate is emptied');
    t.equal(dataOf(w, 0).current_supply, supply, 'and no supply tells of it');
    w.refuse(t, FEE_ERRORS.fee_pool_empty, 'transfer', pay(makeAsset(5n, asset)));
    w.push('asset_fund_fee_pool', { from_account: 'issuer', asset_id: asset, amount: 100n });
    w.push('transfer', pay(makeAsset(5n, asset)));
    w.block();
    t.same([dataOf(w, asset).fee_pool, w.balance('issuer', 1)], [95n, 999_900n]);
    w.push('asset_update', { issuer: 'issuer', asset_to_update: asset, new_options });
    w.block();
    t.equal(dataOf(w, asset).fee_pool, 95n, 'a pool of the core asset stays');
  },
);
