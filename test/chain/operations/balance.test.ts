import { timeToText } from '../../../src/codec/time.js';
import { addressOfKey, addressToText } from '../../../src/crypto/address.js';
import { legacyAddressesOfKey } from '../../../src/crypto/old-addresses.js';
import { BALANCE_CLAIM_ERRORS } from '../../../src/operations/balance/balance-claim.js';
import { BALANCE_LOCK_ERRORS } from '../../../src/operations/balance/balance-lock.js';
import { BALANCE_UNLOCK_ERRORS } from '../../../src/operations/balance/balance-unlock.js';
import { OPERATION_ERRORS } from '../../../src/operations/checks.js';
import { makeAsset } from '../../../src/protocol/asset.js';
import { AUTHORITY_ERRORS } from '../../../src/protocol/authority-check.js';
import { balanceObject } from '../../../src/state/objects/balance.js';
import { lockBalanceObject } from '../../../src/state/objects/lock-balance.js';
import { BALANCE_ERRORS } from '../../../src/state/rules/balances.js';
import { TABLE_ERRORS } from '../../../src/state/table.js';
import { holds } from '../../support/holds.js';
import { NETWORK } from '../../support/network.js';
import { refused } from '../../support/refused.js';
import { core, worldTest } from '../../support/world.js';
import { accountKey, WORLD_TIME } from '../../support/world-genesis.js';

const OWNER = accountKey('old owner');
const ownerAddress = addressToText(addressOfKey(OWNER.publicKey), NETWORK.keyPrefix);
const legacy = Object.values(legacyAddressesOfKey(OWNER.publicKey)) as string[];
const DAY_SEC = 86_400;

worldTest(
  'balance_claim (37)',
  {
    accounts: { alice: 0n },
    genesis: {
      initial_balances: [
        { owner: ownerAddress, asset_symbol: 'CORE', amount: 70 },
        ...legacy.map((address) => ({
          owner: addressToText(address, NETWORK.keyPrefix),
          asset_symbol: 'CORE',
          amount: 5,
        })),
      ],
      initial_vesting_balances: [
        {
          owner: ownerAddress,
          asset_symbol: 'CORE',
          amount: 1000,
          begin_timestamp: timeToText(WORLD_TIME),
          vesting_duration_seconds: 10 * DAY_SEC,
          begin_balance: 1000,
        },
      ],
    },
  },
  (t, w) => {
    w.addKey(OWNER);
    const claim = (balance_to_claim: number, amount: number, more: object = {}) => ({
      fee: makeAsset(0n, 0),
      deposit_to_account: 'alice',
      balance_to_claim,
      balance_owner_key: OWNER.publicKey,
      total_claimed: core(amount),
      ...more,
    });
    const cases = [
      [TABLE_ERRORS.object_missing, claim(99, 70)],
      [BALANCE_CLAIM_ERRORS.balance_claim_part, claim(0, 69)],
      [BALANCE_CLAIM_ERRORS.balance_claim_part, claim(0, 71)],
      [BALANCE_CLAIM_ERRORS.balance_claim_asset, claim(0, 70, { total_claimed: makeAsset(70n, 0) })],
      [BALANCE_CLAIM_ERRORS.balance_claim_owner, claim(0, 70, { balance_owner_key: accountKey('alice').publicKey })],
      [BALANCE_CLAIM_ERRORS.balance_claim_fee, claim(0, 70, { fee: core(0) })],
    ] as const;
    for (const [row, given] of cases) w.refuse(t, row, 'balance_claim', given);
    refused(t, AUTHORITY_ERRORS.other_auth_missing, () => w.push('balance_claim', claim(0, 70), ['alice']));
    t.same(w.push('balance_claim', claim(0, 70)), [0, {}]);
    w.block();
    t.equal(w.balance('alice'), 70n);
    t.equal(w.state.find(balanceObject, 0), undefined);
    for (let i = 0; i < legacy.length; i++) w.push('balance_claim', claim(1 + i, 5));
    w.block();
    t.equal(w.balance('alice'), 70n + 5n * BigInt(legacy.length), 'addresses of other chains name the key as well');

    const vesting = 1 + legacy.length;
    w.refuse(t, BALANCE_CLAIM_ERRORS.balance_claim_amount, 'balance_claim', claim(vesting, 1000));
    w.advance(2 * DAY_SEC);
    const before = w.balance('alice');
    const claimed = w.now;
    const earned = Math.floor((1000 * (claimed - WORLD_TIME)) / (10 * DAY_SEC));
    w.refuse(t, BALANCE_CLAIM_ERRORS.balance_claim_amount, 'balance_claim', claim(vesting, earned + 1));
    w.push('balance_claim', claim(vesting, 150));
    w.block();
    t.equal(w.balance('alice'), before + 150n);
    holds(t, w.state.get(balanceObject, vesting), { balance: core(850), last_claim_date: claimed });
    w.refuse(t, BALANCE_CLAIM_ERRORS.balance_claim_too_often, 'balance_claim', claim(vesting, 1));
    w.advance(9 * DAY_SEC);
    w.push('balance_claim', claim(vesting, 850));
    w.block();
    t.equal(w.state.count(balanceObject), 0);
  },
);

worldTest(
  'balance_claim (37) of what vests, with amounts that nobody means',
  {
    accounts: { alice: 100n },
    genesis: {
      initial_vesting_balances: (
        [
          [0, 10 * DAY_SEC, 1000],
          // Begins in five days.
          [5 * DAY_SEC, 5 * DAY_SEC, 1000],
          // More was there once than is there now, so that less than nothing is open at first.
          [0, 10 * DAY_SEC, 5000],
        ] as const
      ).map(([begin, vesting_duration_seconds, begin_balance]) => ({
        owner: ownerAddress,
        asset_symbol: 'CORE',
        amount: 1000,
        begin_timestamp: timeToText(WORLD_TIME + begin),
        vesting_duration_seconds,
        begin_balance,
      })),
    },
  },
  (t, w) => {
    w.addKey(OWNER);
    const [running, later, behind] = [...w.state.all(balanceObject)].map(({ id }) => id) as [number, number, number];
    const claim = (balance_to_claim: number, amount: number) => ({
      fee: makeAsset(0n, 0),
      deposit_to_account: 'alice',
      balance_to_claim,
      balance_owner_key: OWNER.publicKey,
      total_claimed: core(amount),
    });
    const left = (id: number) => w.state.find(balanceObject, id)?.balance.amount;
    w.advance(2 * DAY_SEC);
    // Quirk: nobody asks for the sign. What is claimed of less than nothing goes back, and counts as the day's claim.
    w.refuse(t, BALANCE_ERRORS.balance_insufficient, 'balance_claim', claim(running, -101));
    w.push('balance_claim', claim(running, -100));
    w.block();
    t.same([w.balance('alice'), left(running)], [0n, 1100n]);
    w.refuse(t, BALANCE_CLAIM_ERRORS.balance_claim_too_often, 'balance_claim', claim(running, 1));
    // Nothing may be claimed of what has not begun, and of what has.
    w.refuse(t, BALANCE_CLAIM_ERRORS.balance_claim_amount, 'balance_claim', claim(later, 1));
    w.push('balance_claim', claim(later, 0));
    w.block();
    t.same([w.balance('alice'), left(later)], [0n, 1000n]);
    w.refuse(t, BALANCE_CLAIM_ERRORS.balance_claim_too_often, 'balance_claim', claim(later, 0));
    // 5000 * 2 days of 10, less the 4000 that are gone.
    w.refuse(t, BALANCE_CLAIM_ERRORS.balance_claim_amount, 'balance_claim', claim(behind, 0));
    w.advance(7 * DAY_SEC);
    w.push('balance_claim', claim(behind, 0));
    // What went back is open at once: all of it but the tenth that has not vested.
    w.push('balance_claim', claim(running, 1000));
    w.block();
    t.same([w.balance('alice'), left(running)], [1000n, 100n]);
    w.advance(2 * DAY_SEC);
    for (const id of [running, later, behind]) {
      w.refuse(t, BALANCE_CLAIM_ERRORS.balance_claim_amount, 'balance_claim', claim(id, 1001), `more than ${id} has`);
      w.push('balance_claim', claim(id, Number(left(id))));
    }
    w.block();
    t.same([w.balance('alice'), w.state.count(balanceObject)], [3100n, 0]);
  },
);

const PROGRAMS = [
  ['1', { lock_days: 2, interest_rate: 500, is_valid: true }],
  ['2', { lock_days: 2, interest_rate: 500, is_valid: false }],
  ['3', { lock_days: 2, interest_rate: 70_000, is_valid: true }],
];

worldTest(
  'balance_lock (71) and balance_unlock (72)',
  { accounts: { alice: 1_000_000n, bob: 0n }, parameters: { extensions: [[6, { params: PROGRAMS as never }]] } },
  (t, w) => {
    const lock = (more: object = {}) => ({
      account: 'alice',
      create_date_time: w.now,
      program_id: '1',
      amount: core(100_000),
      lock_days: 2,
      interest_rate: 500,
      memo: 'm',
      ...more,
    });
    const cases = [
      [BALANCE_LOCK_ERRORS.lock_asset, { amount: makeAsset(100_000n, 0) }],
      [BALANCE_LOCK_ERRORS.lock_balance, { amount: core(1_000_001) }],
      [BALANCE_LOCK_ERRORS.lock_amount, { amount: core(99_999) }],
      [BALANCE_LOCK_ERRORS.lock_memo, { memo: 'x'.repeat(64) }],
      [BALANCE_LOCK_ERRORS.lock_program_unknown, { program_id: '4' }],
      [BALANCE_LOCK_ERRORS.lock_program_offline, { program_id: '2' }],
      [BALANCE_LOCK_ERRORS.lock_rate, { interest_rate: 501 }],
      [BALANCE_LOCK_ERRORS.lock_days, { lock_days: 3 }],
      [BALANCE_LOCK_ERRORS.lock_time, { create_date_time: w.now + 31 }],
      [BALANCE_LOCK_ERRORS.lock_time, { create_date_time: w.now - 31 }],
    ] as const;
    for (const [row, more] of cases) w.refuse(t, row, 'balance_lock', lock(more));
    w.refuse(t, OPERATION_ERRORS.operation_fee_negative, 'balance_lock', lock({ fee: core(-1) }));
    refused(t, AUTHORITY_ERRORS.active_auth_missing, () => w.push('balance_lock', lock(), ['bob']));
    const created = w.now;
    const id = w.create('balance_lock', lock());
    w.refuse(t, TABLE_ERRORS.object_not_unique, 'balance_lock', lock(), 'a second one of the same second');
    w.block();
    t.equal(w.balance('alice'), 900_000n);
    holds(t, w.state.get(lockBalanceObject, id), {
      owner: w.id('alice'),
      amount: core(100_000),
      create_date_time: created,
      program_id: '1',
      lock_days: 2,
      interest_rate: 500,
      memo: 'm',
    });

    const unlock = (more: object = {}) => ({ account: 'alice', lock_id: id, ...more });
    w.refuse(t, BALANCE_UNLOCK_ERRORS.unlock_unknown, 'balance_unlock', unlock({ lock_id: 99 }));
    w.refuse(t, BALANCE_UNLOCK_ERRORS.unlock_not_owner, 'balance_unlock', unlock({ account: 'bob' }));
    w.refuse(t, BALANCE_UNLOCK_ERRORS.unlock_too_early, 'balance_unlock', unlock());
    w.refuse(t, OPERATION_ERRORS.operation_fee_negative, 'balance_unlock', unlock({ fee: core(-1) }));
    refused(t, AUTHORITY_ERRORS.active_auth_missing, () => w.push('balance_unlock', unlock(), ['bob']));
    w.advance(created + 2 * DAY_SEC - w.now);
    t.same(w.push('balance_unlock', unlock()), [0, {}]);
    w.block();
    t.equal(w.balance('alice'), 1_000_000n, 'without interest');
    t.equal(w.state.count(lockBalanceObject), 0);

    // A lock from the future is immeasurably old; only sixteen bits of its rate are kept.
    const future = w.create(
      'balance_lock',
      lock({ create_date_time: w.now + 30, program_id: '3', interest_rate: 70_000 }),
    );
    t.equal(w.state.get(lockBalanceObject, future).interest_rate, 70_000 - 65_536);
    w.push('balance_unlock', unlock({ lock_id: future }));
    w.block();
    t.equal(w.balance('alice'), 1_000_000n);
  },
);

worldTest('balance_lock (71) without programs', { accounts: { alice: 1_000_000n } }, (t, w) => {
  const given = { account: 'alice', create_date_time: w.now, program_id: '1', amount: core(100_000), memo: '' };
  w.refuse(t, BALANCE_LOCK_ERRORS.lock_programs_missing, 'balance_lock', { ...given, lock_days: 1, interest_rate: 1 });
});
