import t from 'tap';
import type { ErrorRow } from '../../../src/base/errors.js';
import type { Json, JsonObject } from '../../../src/codec/json.js';
import { addressesOfKey } from '../../../src/crypto/old-addresses.js';
import { PrivateKey } from '../../../src/crypto/private-key.js';
import { BALANCE_CLAIM_ERRORS } from '../../../src/operations/balance/balance-claim.js';
import { ASSERT_ERRORS } from '../../../src/operations/custom/assert.js';
import { SKIP } from '../../../src/operations/define.js';
import { VESTING_CREATE_ERRORS } from '../../../src/operations/vesting/vesting-balance-create.js';
import { VESTING_WITHDRAW_ERRORS } from '../../../src/operations/vesting/vesting-balance-withdraw.js';
import { ASSET_FLAG } from '../../../src/protocol/asset.js';
import { publicKey } from '../../../src/protocol/keys.js';
import { balanceObject } from '../../../src/state/objects/balance.js';
import { blockSummaryObject } from '../../../src/state/objects/block-summary.js';
import { vestingBalanceObject } from '../../../src/state/objects/vesting-balance.js';
import { TABLE_ERRORS } from '../../../src/state/table.js';
import { accountText, amountJson, createdInstance, FreeWorld } from '../../support/free-world.js';
import { NETWORK } from '../../support/network.js';
import { refused } from '../../support/refused.js';

t.test('vesting balances', async (t) => {
  const world = new FreeWorld();
  const creator = world.account('creator', {}, 1000n);
  const owner = world.account('owner');
  const create = (policy: Json, amount = 100, more: JsonObject = {}) =>
    world.run(32, {
      creator: accountText(creator),
      owner: accountText(owner),
      amount: amountJson(amount, 1),
      policy,
      ...more,
    });
  const withdraw = (id: number, amount: number, more: JsonObject = {}) =>
    world.run(33, {
      vesting_balance: `1.13.${id}`,
      owner: accountText(owner),
      amount: amountJson(amount, 1),
      ...more,
    });
  const linear = (begin: number): Json => [
    0,
    { begin_timestamp: world.at(begin), vesting_cliff_seconds: 10, vesting_duration_seconds: 100 },
  ];
  const coinDays: Json = [1, { start_claim: world.at(20), vesting_seconds: 50 }];

  refused(t, VESTING_CREATE_ERRORS.vesting_create_balance, () => create(linear(0), 1001));
  refused(t, TABLE_ERRORS.object_missing, () => create(linear(0), 1, { owner: '1.2.99' }));
  world.changeAsset(2, { flags: ASSET_FLAG.transfer_restricted });
  world.give(creator, 2, 10n);
  const restricted = { amount: amountJson(1, 2) };
  refused(t, VESTING_CREATE_ERRORS.vesting_create_restricted, () => create(linear(0), 1, restricted));

  const first = createdInstance(create(linear(0)));
  const second = createdInstance(create(coinDays));
  t.equal(world.balance(creator), 800n);
  t.match(world.state.get(vestingBalanceObject, first).policy, [0, { begin_balance: 100n }]);
  t.match(world.state.get(vestingBalanceObject, second).policy, [1, { coin_seconds_earned: 0n, vesting_seconds: 50 }]);

  const E = VESTING_WITHDRAW_ERRORS;
  refused(t, E.vesting_withdraw_not_owner, () => withdraw(first, 1, { owner: accountText(creator) }));
  world.pass(9);
  refused(t, E.vesting_withdraw_not_allowed, () => withdraw(first, 1), 'before the cliff');
  world.pass(1);
  refused(t, E.vesting_withdraw_not_allowed, () => withdraw(first, 11));
  refused(t, E.vesting_withdraw_not_allowed, () => withdraw(first, 1, { amount: amountJson(1, 2) }), 'another asset');
  refused(t, E.vesting_withdraw_other_asset, () => withdraw(second, 1, { amount: amountJson(1, 2) }));
  withdraw(first, 10);
  t.equal(world.balance(owner), 10n);
  world.pass(10);
  refused(t, E.vesting_withdraw_not_allowed, () => withdraw(second, 1), 'not later than the start');
  world.pass(5);
  refused(t, E.vesting_withdraw_not_allowed, () => withdraw(second, 51));
  withdraw(second, 50);
  t.match(world.state.get(vestingBalanceObject, second).policy, [1, { coin_seconds_earned: 0n }]);
  world.pass(1000);
  withdraw(second, 50);
  withdraw(first, 90);
  t.equal(world.state.get(vestingBalanceObject, first).balance.amount, 0n, 'empty ones stay');
  t.equal(world.balance(owner), 200n);

  const sudden: Json = [0, { begin_timestamp: world.at(5), vesting_cliff_seconds: 0, vesting_duration_seconds: 0 }];
  const third = createdInstance(create(sudden));
  world.pass(5);
  refused(t, E.vesting_withdraw_not_allowed, () => withdraw(third, 1), 'not at the very beginning');
  world.pass(1);
  withdraw(third, 100);
});

t.test('claiming balances of the genesis', async (t) => {
  const world = new FreeWorld();
  const account = world.account('claimer');
  const key = PrivateKey.fromSeed('genesis owner').publicKey;
  const balance = (form: number, given: object = {}) =>
    world.create(balanceObject, {
      owner: addressesOfKey(key)[form] ?? '',
      balance: { amount: 100n, asset_id: 1 },
      ...given,
    }).id;
  world.changeAsset(0, {
    core_exchange_rate: { base: { amount: 1n, asset_id: 0 }, quote: { amount: 1n, asset_id: 1 } },
  });
  const claim = (id: number, amount: number, more: JsonObject = {}, skip = 0) =>
    world.run(
      37,
      {
        fee: amountJson(0, 0),
        deposit_to_account: accountText(account),
        balance_to_claim: `1.15.${id}`,
        balance_owner_key: publicKey.toJson(key, NETWORK),
        total_claimed: amountJson(amount, 1),
        ...more,
      },
      { skip },
    );
  const E = BALANCE_CLAIM_ERRORS;
  for (const form of [0, 1, 2, 3, 4]) {
    const id = balance(form);
    claim(id, 100);
    t.notOk(world.state.find(balanceObject, id), `form ${form} of the address`);
  }
  t.equal(world.balance(account), 500n);
  const whole = balance(0);
  refused(t, E.balance_claim_part, () => claim(whole, 99));
  refused(t, E.balance_claim_part, () => claim(whole, 101));
  refused(t, E.balance_claim_asset, () => claim(whole, 100, { total_claimed: amountJson(100, 2) }));
  const stranger = publicKey.toJson(PrivateKey.fromSeed('stranger').publicKey, NETWORK);
  refused(t, E.balance_claim_owner, () => claim(whole, 100, { balance_owner_key: stranger }));
  for (const skip of [SKIP.transactionSignatures, SKIP.authorityCheck]) {
    refused(t, E.balance_claim_part, () => claim(whole, 101, {}, skip), 'without signatures too');
    const other = { total_claimed: amountJson(100, 2) };
    refused(t, E.balance_claim_part, () => claim(whole, 100, other, skip), 'only the comparison of assets is left out');
  }

  const now = world.state.headTime;
  const vesting = balance(0, {
    vesting_policy: {
      begin_timestamp: now - 50,
      vesting_cliff_seconds: 0,
      vesting_duration_seconds: 100,
      begin_balance: 100n,
    },
  });
  refused(t, E.balance_claim_amount, () => claim(vesting, 51));
  refused(t, E.balance_claim_amount, () => claim(vesting, 51, {}, SKIP.transactionSignatures));
  const foreign = { total_claimed: amountJson(1, 2) };
  refused(t, E.balance_claim_amount, () => claim(vesting, 1, foreign, SKIP.authorityCheck));
  claim(vesting, 20);
  t.match(world.state.get(balanceObject, vesting), { balance: { amount: 80n }, last_claim_date: now });
  world.pass(86_399);
  refused(t, E.balance_claim_too_often, () => claim(vesting, 20));
  refused(t, E.balance_claim_too_often, () => claim(vesting, 20, {}, SKIP.transactionSignatures));
  world.pass(1);
  claim(vesting, 80);
  t.notOk(world.state.find(balanceObject, vesting));
});

t.test('predicates', async (t) => {
  const world = new FreeWorld();
  const account = world.account('nathan');
  world.create(blockSummaryObject, {});
  world.create(blockSummaryObject, { block_id: `00010001${'ab'.repeat(16)}` });
  const assert = (predicates: Json[], skip = 0) =>
    world.run(36, { fee_paying_account: accountText(account), predicates }, { skip });
  const name = (text: string): Json => [0, { account_id: accountText(account), name: text }];
  const symbol = (text: string): Json => [1, { asset_id: '1.3.1', symbol: text }];
  const block = (id: string): Json => [2, { id }];
  refused(t, ASSERT_ERRORS.predicate_unknown, () => assert([symbol('GXS')]), 'one kind is admitted by default');
  world.setParameters({ max_predicate_opcode: 3 });
  t.doesNotThrow(() => assert([name('nathan'), symbol('GXS'), block(`00010001${'ab'.repeat(16)}`)]));
  const cases: readonly (readonly [Json, ErrorRow])[] = [
    [name('other'), ASSERT_ERRORS.predicate_account_name],
    [symbol('GXC'), ASSERT_ERRORS.predicate_asset_symbol],
    [block(`00010001${'cd'.repeat(16)}`), ASSERT_ERRORS.predicate_block_id],
    [[0, { account_id: '1.2.99', name: '' }], TABLE_ERRORS.object_missing],
    [[1, { asset_id: '1.3.99', symbol: '' }], TABLE_ERRORS.object_missing],
  ];
  for (const [predicate, row] of cases) refused(t, row, () => assert([predicate]));
  t.doesNotThrow(() => assert([name('other')], SKIP.assertEvaluation));
});

t.test('custom operations change nothing', async (t) => {
  const world = new FreeWorld();
  const payer = world.account('payer', {}, 10n);
  t.same(world.run(35, { fee: amountJson(1, 1), payer: accountText(payer), id: 7, data: 'deadbeef' }), [0, {}]);
  t.equal(world.balance(payer), 9n);
});
