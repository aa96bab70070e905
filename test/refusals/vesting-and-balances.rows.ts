import type { Json, JsonObject } from '../../src/codec/json.js';
import { addressesOfKey } from '../../src/crypto/old-addresses.js';
import { PrivateKey } from '../../src/crypto/private-key.js';
import { NULL_PUBLIC_KEY, publicKeyToText } from '../../src/crypto/public-key.js';
import { BALANCE_CLAIM_ERRORS as CLAIM } from '../../src/operations/balance/balance-claim.js';
import { OPERATION_ERRORS } from '../../src/operations/checks.js';
import { SKIP } from '../../src/operations/define.js';
import { VESTING_CREATE_ERRORS as CREATE } from '../../src/operations/vesting/vesting-balance-create.js';
import { VESTING_WITHDRAW_ERRORS as WITHDRAW } from '../../src/operations/vesting/vesting-balance-withdraw.js';
import { ASSET_FLAG, makeAsset } from '../../src/protocol/asset.js';
import { address } from '../../src/protocol/keys.js';
import { balanceObject } from '../../src/state/objects/balance.js';
import { vestingBalanceObject } from '../../src/state/objects/vesting-balance.js';
import { VESTING_ERRORS } from '../../src/state/rules/vesting.js';
import { TABLE_ERRORS } from '../../src/state/table.js';
import { accountText, amountJson, createdId, FreeWorld } from '../support/free-world.js';
import { NETWORK } from '../support/network.js';
import { assertion, type Refusal } from './define.js';

const NEGATIVE_FEE: JsonObject = { fee: amountJson(-1, 1) };

const w = new FreeWorld();
const alice = w.lifetimeMember('alice', 1000n);
const bob = w.lifetimeMember('bob');
const restricted = w.asset('RESTRICTED', bob, { flags: ASSET_FLAG.transfer_restricted });
w.give(alice, restricted, 10n);

const coinDays: Json = [1, { start_claim: '1970-01-01T00:00:00', vesting_seconds: 50 }];
const linear: Json = [0, { begin_timestamp: w.at(10), vesting_cliff_seconds: 10, vesting_duration_seconds: 100 }];
const vest =
  (amount: number, asset = 1, policy = coinDays, more: JsonObject = {}) =>
  () =>
    w.run(32, {
      creator: accountText(alice),
      owner: accountText(bob),
      amount: amountJson(amount, asset),
      policy,
      ...more,
    });
const byCoinDays = createdId(vest(100)());
const byTime = createdId(vest(100, 1, linear)());
const take =
  (vesting_balance: string, amount: number, asset = 1, owner = bob, more: JsonObject = {}) =>
  () =>
    w.run(33, { vesting_balance, owner: accountText(owner), amount: amountJson(amount, asset), ...more });
const { id: negative } = w.create(vestingBalanceObject, {
  owner: bob,
  balance: makeAsset(-5n, 1),
  policy: [
    1,
    { vesting_seconds: 50, start_claim: 0, coin_seconds_earned: 0n, coin_seconds_earned_last_update: w.state.headTime },
  ],
});
/** Negative pay has come to what had earned its time before. */
const { id: overdrawn } = w.create(vestingBalanceObject, {
  owner: bob,
  balance: makeAsset(-5n, 1),
  policy: [
    1,
    {
      vesting_seconds: 50,
      start_claim: 0,
      coin_seconds_earned: 5000n,
      coin_seconds_earned_last_update: w.state.headTime,
    },
  ],
});
w.pass(1);

const key = PrivateKey.fromSeed('genesis owner').publicKey;
w.changeAsset(0, { core_exchange_rate: { base: makeAsset(1n, 0), quote: makeAsset(1n, 1) } });
const owner = addressesOfKey(key)[0] as string;
const policy = {
  begin_timestamp: w.state.headTime - 50,
  vesting_cliff_seconds: 0,
  vesting_duration_seconds: 100,
  begin_balance: 100n,
};
const balance = (given: object = {}): string =>
  `1.15.${w.create(balanceObject, { owner, balance: makeAsset(100n, 1), ...given }).id}`;
const whole = balance();
const ofOther = balance({ owner: address.fromJson('GXCB5o7aunRJYY4fFRSUsZugseN71ProhabX', NETWORK) });
const OTHER_KEY = 'GXC6dDSTy5Nn39VntjJRYHP5CS5YxvMcoMjEf3p5yjGAxYkEQCs4A';
const NULL_KEY = publicKeyToText(NULL_PUBLIC_KEY, NETWORK.keyPrefix);
const claimedToday = balance({ vesting_policy: policy, last_claim_date: w.state.headTime - 10 });
const claim =
  (id: string, amount: number, more: JsonObject = {}, skip: number = SKIP.none) =>
  () =>
    w.run(
      37,
      {
        fee: amountJson(0, 0),
        deposit_to_account: accountText(alice),
        balance_to_claim: id,
        balance_owner_key: publicKeyToText(key, NETWORK.keyPrefix),
        total_claimed: amountJson(amount, 1),
        ...more,
      },
      { skip },
    );

export const refusals: readonly Refusal[] = [
  assertion(OPERATION_ERRORS.operation_fee_negative, 'fee.amount >= 0: ', vest(0, 1, coinDays, NEGATIVE_FEE)),
  assertion(CREATE.vesting_amount_not_positive, 'amount.amount > 0: ', vest(0)),
  assertion(
    TABLE_ERRORS.object_missing,
    'maybe_found != nullptr: Unable to find Object 1.2.99',
    vest(1001, 1, coinDays, { owner: '1.2.99' }),
  ),
  assertion(
    CREATE.vesting_create_balance,
    'd.get_balance( creator_account.id, op.amount.asset_id ) >= op.amount: ',
    vest(11, restricted),
  ),
  assertion(CREATE.vesting_create_restricted, '!op.amount.asset_id(d).is_transfer_restricted(): ', vest(1, restricted)),
  assertion(OPERATION_ERRORS.operation_fee_negative, 'fee.amount >= 0: ', take(byCoinDays, 0, 1, bob, NEGATIVE_FEE)),
  assertion(WITHDRAW.vesting_withdraw_not_positive, 'amount.amount > 0: ', take(byCoinDays, 0)),
  assertion(WITHDRAW.vesting_withdraw_not_owner, 'op.owner == vbo.owner: ', take(byCoinDays, 1, 2, alice)),
  assertion(WITHDRAW.vesting_withdraw_other_asset, 'a.asset_id == b.asset_id: 1.3.2 == 1.3.1', take(byCoinDays, 1, 2)),
  assertion(
    WITHDRAW.vesting_withdraw_not_allowed,
    'vbo.is_withdraw_allowed( now, op.amount ): ',
    take(byCoinDays, 100),
  ),
  assertion(WITHDRAW.vesting_withdraw_not_allowed, 'vbo.is_withdraw_allowed( now, op.amount ): ', take(byTime, 1, 2)),
  assertion(VESTING_ERRORS.vesting_coin_seconds_too_large, 'hi == 0: ', take(`1.13.${negative}`, 1)),
  assertion(WITHDRAW.vesting_withdraw_above_balance, 'op.amount <= vbo.balance: ', take(`1.13.${overdrawn}`, 50)),

  assertion(
    CLAIM.balance_claim_fee,
    'fee == asset(): ',
    claim(whole, 100, { fee: amountJson(1, 0), balance_owner_key: NULL_KEY }),
  ),
  assertion(
    CLAIM.balance_claim_null_key,
    'balance_owner_key != public_key_type(): ',
    claim(whole, 100, { balance_owner_key: NULL_KEY }),
  ),
  {
    row: CLAIM.balance_claim_owner,
    code: 3053703,
    name: 'balance_claim_owner_mismatch',
    message:
      "owner mismatch: Balance owner key was specified as 'GXC6dDSTy5Nn39VntjJRYHP5CS5YxvMcoMjEf3p5yjGAxYkEQCs4A' but balance's actual owner is 'GXCB5o7aunRJYY4fFRSUsZugseN71ProhabX'",
    raise: claim(ofOther, 100, { balance_owner_key: OTHER_KEY, total_claimed: amountJson(100, 2) }),
  },
  assertion(
    CLAIM.balance_claim_asset,
    'op.total_claimed.asset_id == balance->asset_type(): ',
    claim(whole, 100, { total_claimed: amountJson(100, 2) }),
  ),
  assertion(CLAIM.balance_claim_part, 'op.total_claimed == balance->balance: ', claim(whole, 99)),
  assertion(
    CLAIM.balance_claim_part,
    'op.total_claimed == balance->balance: ',
    claim(whole, 101, {}, SKIP.transactionSignatures),
  ),
  {
    row: CLAIM.balance_claim_amount,
    code: 3053702,
    name: 'balance_claim_invalid_claim_amount',
    message:
      'invalid claim amount: Attempted to claim {"amount":51,"asset_id":"1.3.1"} from a vesting balance with {"amount":50,"asset_id":"1.3.1"} available',
    raise: claim(claimedToday, 51),
  },
  {
    row: CLAIM.balance_claim_too_often,
    code: 3053701,
    name: 'balance_claim_claimed_too_often',
    message: 'balance claimed too often: Genesis vesting balances may not be claimed more than once per day.',
    raise: claim(claimedToday, 1),
  },
];
