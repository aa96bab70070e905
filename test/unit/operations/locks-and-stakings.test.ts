import t from 'tap';
import type { ErrorRow } from '../../../src/base/errors.js';
import { INT_ERRORS } from '../../../src/base/int.js';
import type { JsonObject } from '../../../src/codec/json.js';
import { timeToText } from '../../../src/codec/time.js';
import { BALANCE_LOCK_ERRORS } from '../../../src/operations/balance/balance-lock.js';
import { BALANCE_UNLOCK_ERRORS } from '../../../src/operations/balance/balance-unlock.js';
import { OPERATIONS_47_84 } from '../../../src/operations/list-47-84.js';
import { registerDefinitions } from '../../../src/operations/registered.js';
import { STAKING_CLAIM_ERRORS } from '../../../src/operations/staking/staking-claim.js';
import { STAKING_CREATE_ERRORS } from '../../../src/operations/staking/staking-create.js';
import { STAKING_UPDATE_ERRORS } from '../../../src/operations/staking/staking-update.js';
import { TRUST_NODE_ERRORS } from '../../../src/operations/staking/weights.js';
import { PLEDGE_WITHDRAW_ERRORS } from '../../../src/operations/witness/trust-node-pledge-withdraw.js';
import { SET_COMMISSION_ERRORS } from '../../../src/operations/witness/witness-set-commission.js';
import { UNBANNED_ERRORS } from '../../../src/operations/witness/witness-unbanned.js';
import { voteExtension } from '../../../src/protocol/extensions.js';
import { type ForkTimes, MAINNET_FORKS } from '../../../src/protocol/forks.js';
import { packObjectId } from '../../../src/protocol/ids.js';
import { makeVoteId } from '../../../src/protocol/vote.js';
import { lockBalanceObject } from '../../../src/state/objects/lock-balance.js';
import { stakingObject } from '../../../src/state/objects/staking.js';
import { trustNodePledgeObject } from '../../../src/state/objects/trust-node-pledge.js';
import { vestingBalanceObject } from '../../../src/state/objects/vesting-balance.js';
import { type WitnessObject, witnessObject } from '../../../src/state/objects/witness.js';
import { BALANCE_ERRORS } from '../../../src/state/rules/balances.js';
import { PLEDGE_ERRORS } from '../../../src/state/rules/pledge.js';
import { BareWorld } from '../../support/bare-world.js';
import { refused } from '../../support/refused.js';

registerDefinitions(Object.assign([], Object.fromEntries(OPERATIONS_47_84.map((entry) => [entry.tag, entry]))));

const FUNDS = 10_000_000_000n;
const DAY_SEC = 86_400;
/** Where a bare world begins: a fork of this moment comes with the next second. */
const HEAD_TIME = new BareWorld().state.headTime;

t.test('locks', (t) => {
  const world = new BareWorld();
  const owner = world.account('owner', {}, FUNDS);
  const program = (more: object) => ({ lock_days: 2, interest_rate: 70_000, is_valid: true, ...more });
  const op = (more: JsonObject = {}): JsonObject => ({
    account: `1.2.${owner}`,
    create_date_time: timeToText(world.state.headTime),
    program_id: '1',
    amount: { amount: 100_000, asset_id: '1.3.1' },
    lock_days: 2,
    interest_rate: 70_000,
    memo: 'x'.repeat(63),
    ...more,
  });
  refused(t, BALANCE_LOCK_ERRORS.lock_programs_missing, () => world.run(71, op()));
  world.setParameterExtension([6, { params: [] }]);
  refused(t, BALANCE_LOCK_ERRORS.lock_programs_missing, () => world.run(71, op()), 'none in the list is no list');
  world.setParameterExtension([
    6,
    {
      params: [
        ['1', program({})],
        ['2', program({ is_valid: false })],
        ['1', program({ lock_days: 9 })],
      ],
    },
  ]);
  const now = world.state.headTime;
  const cases: readonly [JsonObject, ErrorRow][] = [
    [{ amount: { amount: Number(FUNDS) + 1, asset_id: '1.3.1' } }, BALANCE_LOCK_ERRORS.lock_balance],
    [{ amount: { amount: 99_999, asset_id: '1.3.1' } }, BALANCE_LOCK_ERRORS.lock_amount],
    [{ memo: 'x'.repeat(64) }, BALANCE_LOCK_ERRORS.lock_memo],
    // Bytes count, not letters.
    [{ memo: 'é'.repeat(32) }, BALANCE_LOCK_ERRORS.lock_memo],
    [{ program_id: '3' }, BALANCE_LOCK_ERRORS.lock_program_unknown],
    [{ program_id: '2' }, BALANCE_LOCK_ERRORS.lock_program_offline],
    [{ interest_rate: 1 }, BALANCE_LOCK_ERRORS.lock_rate],
    [{ lock_days: 9 }, BALANCE_LOCK_ERRORS.lock_days],
    [{ create_date_time: timeToText(now + 31) }, BALANCE_LOCK_ERRORS.lock_time],
    [{ create_date_time: timeToText(now - 31) }, BALANCE_LOCK_ERRORS.lock_time],
  ];
  for (const [more, row] of cases) refused(t, row, () => world.run(71, op(more)));

  t.same(world.run(71, op()), [1, packObjectId(1, 25, 0)]);
  t.equal(world.state.get(lockBalanceObject, 0).interest_rate, 70_000 - 65_536, 'the rate loses its upper bits');
  t.equal(world.balance(owner), FUNDS - 100_000n);
  t.throws(() => world.run(71, op()), 'a second lock of the same second');
  world.run(71, op({ create_date_time: timeToText(now + 30) }));

  const unlock = (lock: number, account = owner) =>
    world.run(72, { account: `1.2.${account}`, lock_id: `1.25.${lock}` });
  refused(t, BALANCE_UNLOCK_ERRORS.unlock_unknown, () => unlock(9));
  refused(t, BALANCE_UNLOCK_ERRORS.unlock_not_owner, () => unlock(0, 0));
  t.same(unlock(1), [0, {}], 'a lock from the future opens at once');
  world.pass(2 * DAY_SEC - 1);
  refused(t, BALANCE_UNLOCK_ERRORS.unlock_too_early, () => unlock(0));
  world.pass(1);
  unlock(0);
  t.equal(world.balance(owner), FUNDS);
  t.equal(world.state.count(lockBalanceObject), 0);
  const all = {
    create_date_time: timeToText(world.state.headTime),
    amount: { amount: Number(FUNDS), asset_id: '1.3.1' },
  };
  world.run(71, op(all));
  t.equal(world.balance(owner), 0n, 'all that there is can be locked');
  t.end();
});

t.test('quirk: how far the time of a lock is from now has 32 bits', (t) => {
  const world = new BareWorld(2 ** 32 - 10);
  const owner = world.account('owner', {}, FUNDS);
  world.setParameterExtension([6, { params: [['1', { lock_days: 2, interest_rate: 1, is_valid: true }]] }]);
  const lock = (create_date_time: number) =>
    world.run(71, {
      account: `1.2.${owner}`,
      create_date_time: timeToText(create_date_time),
      program_id: '1',
      amount: { amount: 100_000, asset_id: '1.3.1' },
      lock_days: 2,
      interest_rate: 1,
    });
  t.same(lock(20), [1, packObjectId(1, 25, 0)], 'half a minute behind the end of all times, at their beginning');
  refused(t, BALANCE_LOCK_ERRORS.lock_time, () => lock(21));
  t.end();
});

/** In seconds more than 32 bits: 63,104 of them are left. */
const LONG_DAYS = 49_711;

function stakingWorld(forks?: ForkTimes) {
  const world = new BareWorld(undefined, forks);
  const owner = world.account('owner', {}, FUNDS);
  const program = { staking_days: 3, weight: 5, is_valid: true };
  world.setParameterExtension([
    11,
    {
      params: [
        ['1', program],
        ['2', { ...program, is_valid: false }],
        ['1', { ...program, weight: 9 }],
        ['long', { ...program, staking_days: LONG_DAYS }],
      ],
    },
  ]);
  const witness = (name: string, is_valid = true) =>
    world.create(witnessObject, {
      witness_account: world.account(name, {}, FUNDS),
      vote_id: makeVoteId(1, world.state.nextInstance(witnessObject)),
      is_valid,
    });
  const nodes = [witness('node-a'), witness('node-b'), witness('node-c', false)];
  const stake = (more: JsonObject = {}) =>
    world.run(80, {
      fee: { amount: 100, asset_id: '1.3.1' },
      owner: `1.2.${owner}`,
      trust_node: '1.6.0',
      amount: { amount: 200_000, asset_id: '1.3.1' },
      program_id: '1',
      weight: 5,
      staking_days: 3,
      ...more,
    });
  const move = (to: number, staking = 0, from = owner) =>
    world.run(81, {
      fee: { amount: 100, asset_id: '1.3.1' },
      owner: `1.2.${from}`,
      trust_node: `1.6.${to}`,
      staking_id: `1.27.${staking}`,
    });
  const claim = (staking = 0, from = owner) =>
    world.run(82, { fee: { amount: 100, asset_id: '1.3.1' }, owner: `1.2.${from}`, staking_id: `1.27.${staking}` });
  return { world, owner, nodes, stake, move, claim };
}

t.test('stakings', (t) => {
  const { world, owner, nodes, stake, move, claim } = stakingWorld();
  const cases: readonly [JsonObject, ErrorRow][] = [
    [{ amount: { amount: 200_000, asset_id: '1.3.0' } }, STAKING_CREATE_ERRORS.staking_asset],
    [{ amount: { amount: Number(FUNDS) + 1, asset_id: '1.3.1' } }, STAKING_CREATE_ERRORS.staking_balance],
    [{ amount: { amount: 99_999, asset_id: '1.3.1' } }, STAKING_CREATE_ERRORS.staking_amount],
    [{ program_id: '3' }, STAKING_CREATE_ERRORS.staking_program_unknown],
    [{ program_id: '2' }, STAKING_CREATE_ERRORS.staking_program_offline],
    [{ weight: 1 }, STAKING_CREATE_ERRORS.staking_weight],
    // Of two programs of one name the first counts.
    [{ weight: 9 }, STAKING_CREATE_ERRORS.staking_weight],
    [{ staking_days: 1 }, STAKING_CREATE_ERRORS.staking_days],
    [{ trust_node: '1.6.9' }, TRUST_NODE_ERRORS.trust_node_unknown],
    [{ trust_node: '1.6.2' }, TRUST_NODE_ERRORS.trust_node_invalid],
  ];
  for (const [more, row] of cases) refused(t, row, () => stake(more));
  t.same(stake(), [1, packObjectId(1, 27, 0)]);
  t.equal(nodes[0]?.total_vote_weights, 1_000_000n);
  t.equal(world.balance(owner), FUNDS - 200_100n);

  refused(t, STAKING_UPDATE_ERRORS.staking_update_same, () => move(0));
  refused(t, STAKING_UPDATE_ERRORS.staking_update_not_owner, () => move(1, 0, nodes[0]?.witness_account));
  refused(t, STAKING_UPDATE_ERRORS.staking_update_unknown, () => move(1, 7));
  refused(t, TRUST_NODE_ERRORS.trust_node_invalid, () => move(2));
  t.same(move(1), [1, packObjectId(1, 6, 0)], 'the former node');
  t.same([nodes[0]?.total_vote_weights, nodes[1]?.total_vote_weights], [0n, 1_000_000n]);

  refused(t, STAKING_CLAIM_ERRORS.staking_claim_early, () => claim());
  world.pass(3 * DAY_SEC);
  refused(t, STAKING_UPDATE_ERRORS.staking_update_expired, () => move(0));
  refused(t, STAKING_CLAIM_ERRORS.staking_claim_early, () => claim(), 'one second is missing');
  world.pass(1);
  refused(t, STAKING_CLAIM_ERRORS.staking_claim_not_owner, () => claim(0, nodes[0]?.witness_account));
  t.same(claim(), [2, { amount: 200_000n, asset_id: 1 }]);
  t.equal(nodes[1]?.total_vote_weights, 0n);
  t.equal(world.balance(owner), FUNDS - 300n);
  refused(t, STAKING_CLAIM_ERRORS.staking_claim_unknown, () => claim());
  const amount = { amount: Number(FUNDS) - 300, asset_id: '1.3.1' };
  refused(
    t,
    BALANCE_ERRORS.balance_insufficient,
    () => stake({ amount }),
    'all may be staked, but then nothing is left for the fee',
  );
  t.end();
});

t.test('a list of programs with nothing in it is none', (t) => {
  const { world, stake } = stakingWorld();
  world.setParameterExtension([11, { params: [] }]);
  refused(t, STAKING_CREATE_ERRORS.staking_programs_missing, () => stake());
  t.end();
});

t.test('one program is enough', (t) => {
  const { world, stake } = stakingWorld();
  world.setParameterExtension([11, { params: [['1', { staking_days: 3, weight: 5, is_valid: true }]] }]);
  t.same(stake(), [1, packObjectId(1, 27, 0)]);
  t.end();
});

t.test('the weight of a stake and that of a node have to stay below 2^63', (t) => {
  const { world, owner, nodes, stake, move } = stakingWorld();
  const weight = 2 ** 32 - 1;
  const program = { staking_days: 3, weight, is_valid: true };
  world.setParameterExtension([11, { params: [['1', program]] }]);
  const amounts = (amount: number) => ({ weight, amount: { amount, asset_id: '1.3.1' } });
  // The most that fits: 2^31 of it are 2^63 - 2^31.
  refused(t, INT_ERRORS.integer_overflow, () => stake(amounts(2 ** 31 + 1)));
  t.equal(world.balance(owner), FUNDS, 'nothing was taken');
  stake(amounts(2 ** 31));
  t.equal(nodes[0]?.total_vote_weights, 2n ** 63n - 2n ** 31n);
  refused(t, INT_ERRORS.integer_overflow, () => stake(amounts(2 ** 31)), 'of both stakes together');
  stake({ ...amounts(2 ** 31), trust_node: '1.6.1' });
  refused(t, INT_ERRORS.integer_overflow, () => move(1));
  t.equal(nodes[0]?.total_vote_weights, 2n ** 63n - 2n ** 31n, 'it stays where it was');
  t.end();
});

t.test('of two faults of a stake or of a lock the first one is named', (t) => {
  const { world, owner, nodes, stake, move } = stakingWorld();
  stake({ amount: { amount: Number(FUNDS) - 1000, asset_id: '1.3.1' } });
  const amount = { amount: 99_999, asset_id: '1.3.1' };
  refused(t, STAKING_CREATE_ERRORS.staking_balance, () => stake({ amount }));
  const lock = { account: `1.2.${owner}`, amount, program_id: '1', lock_days: 2, interest_rate: 1, memo: '' };
  refused(t, BALANCE_LOCK_ERRORS.lock_balance, () => world.run(71, lock));
  world.pass(3 * DAY_SEC);
  world.state.modify(stakingObject, world.state.get(stakingObject, 0), (o) => {
    o.is_valid = false;
  });
  t.ok((nodes[0]?.total_vote_weights ?? 0n) > 0n, 'other stakes are there');
  refused(t, STAKING_UPDATE_ERRORS.staking_update_expired, () => move(1));
  t.end();
});

t.test('quirk: the days of a stake are seconds of 32 bits', (t) => {
  const { world, stake, move, claim } = stakingWorld();
  stake({ program_id: 'long', staking_days: LONG_DAYS });
  world.pass(63_103);
  move(1);
  world.pass(1);
  refused(t, STAKING_UPDATE_ERRORS.staking_update_expired, () => move(0));
  refused(t, STAKING_CLAIM_ERRORS.staking_claim_early, () => claim());
  world.pass(1);
  t.same(claim(), [2, { amount: 200_000n, asset_id: 1 }]);
  t.end();
});

t.test('quirk: the least stake is read with a sign', (t) => {
  const { world, stake } = stakingWorld();
  const least = (min_staking_amount: bigint) =>
    world.setParameterExtension([12, { ...voteExtension.default(), min_staking_amount }]);
  least(200_000n);
  t.doesNotThrow(() => stake(), 'the least itself');
  least(2n ** 64n - 1n);
  t.doesNotThrow(() => stake({ amount: { amount: 1, asset_id: '1.3.1' } }));
  t.end();
});

t.test('until fork 1027 anybody may ask for a stake to be given back, but not to himself', (t) => {
  const { world, owner, nodes, stake, claim } = stakingWorld({ ...MAINNET_FORKS, HF_1027: 4_000_000_000 });
  const stranger = nodes[1]?.witness_account as number;
  stake();
  world.pass(3 * DAY_SEC + 1);
  const [before, strangers] = [world.balance(owner), world.balance(stranger)];
  t.same(claim(0, stranger), [2, { amount: 200_000n, asset_id: 1 }]);
  t.equal(world.balance(owner), before + 200_000n);
  t.equal(world.balance(stranger), strangers - 100n, 'all that he has of it is the fee');
  t.end();
});

t.test('until fork 1027 anybody may move a stake', (t) => {
  const { world, owner, nodes, stake, move } = stakingWorld({ ...MAINNET_FORKS, HF_1027: HEAD_TIME });
  const stranger = nodes[1]?.witness_account as number;
  stake();
  const [before, strangers] = [world.balance(owner), world.balance(stranger)];
  t.same(move(1, 0, stranger), [1, packObjectId(1, 6, 0)]);
  t.match(world.state.get(stakingObject, 0), { owner, trust_node: 1 });
  t.same([nodes[0]?.total_vote_weights, nodes[1]?.total_vote_weights], [0n, 1_000_000n]);
  t.same([world.balance(owner), world.balance(stranger)], [before, strangers - 100n], 'who moves it pays the fee');
  world.pass(1);
  refused(t, STAKING_UPDATE_ERRORS.staking_update_not_owner, () => move(0, 0, stranger));
  t.end();
});

t.test('until fork 1028 a stake may move to the node that it is on', (t) => {
  const { world, nodes, stake, move } = stakingWorld({ ...MAINNET_FORKS, HF_1028: HEAD_TIME });
  stake();
  t.same(move(0), [1, packObjectId(1, 6, 0)]);
  t.equal(world.state.get(stakingObject, 0).trust_node, 0);
  t.equal(nodes[0]?.total_vote_weights, 1_000_000n, 'taken off and put back');
  world.pass(1);
  refused(t, STAKING_UPDATE_ERRORS.staking_update_same, () => move(0));
  t.end();
});

t.test('in staking mode a stake is claimed after a maintenance has closed it', (t) => {
  const { world, nodes, stake, claim } = stakingWorld();
  world.setParameterExtension([12, { ...voteExtension.default(), staking_mode_on: true, max_staking_count: 1 }]);
  stake();
  refused(t, STAKING_CREATE_ERRORS.staking_count, () => stake());
  world.pass(3 * DAY_SEC + 1);
  refused(t, STAKING_CLAIM_ERRORS.staking_claim_open, () => claim());
  world.state.modify(stakingObject, world.state.get(stakingObject, 0), (o) => {
    o.is_valid = false;
  });
  claim();
  t.equal(nodes[0]?.total_vote_weights, 1_000_000n, 'the weight was the business of the maintenance');
  t.end();
});

t.test('out of staking mode a claim takes off the weight of the stake, or what the node has left', (t) => {
  const { world, owner, nodes, stake, claim } = stakingWorld();
  const mode = (staking_mode_on: boolean) =>
    world.setParameterExtension([12, { ...voteExtension.default(), staking_mode_on }]);
  mode(true);
  stake();
  stake({ amount: { amount: 300_000, asset_id: '1.3.1' } });
  world.pass(3 * DAY_SEC + 1);
  // What the maintenance does with the first: its time is over, its weight goes.
  world.state.modify(stakingObject, world.state.get(stakingObject, 0), (o) => {
    o.is_valid = false;
  });
  world.state.modify(witnessObject, nodes[0] as WitnessObject, (o) => {
    o.total_vote_weights -= 1_000_000n;
  });
  mode(false);
  t.same(claim(0), [2, { amount: 200_000n, asset_id: 1 }]);
  t.equal(nodes[0]?.total_vote_weights, 500_000n, 'quirk: the weight goes once more, out of that of the other stake');
  t.same(claim(1), [2, { amount: 300_000n, asset_id: 1 }]);
  t.equal(nodes[0]?.total_vote_weights, 0n, 'only 500,000 of 1,500,000 were left');
  t.equal(world.balance(owner), FUNDS - 400n, 'both came back whole');
  t.end();
});

t.test('trust nodes', (t) => {
  const { world, nodes } = stakingWorld();
  const [node, other] = nodes;
  if (node === undefined || other === undefined) throw new Error('two witnesses are there');
  const account = node.witness_account;
  const base = { witness: '1.6.0', witness_account: `1.2.${account}`, fee: { amount: 2_000_000, asset_id: '1.3.1' } };
  const pledge = 1_000_000_000n;

  refused(t, SET_COMMISSION_ERRORS.commission_not_witness, () => world.run(83, { ...base, witness: '1.6.1' }));
  refused(t, SET_COMMISSION_ERRORS.commission_rate, () => world.run(83, { ...base, commission_rate: 1001 }));
  world.run(83, { ...base, commission_rate: 1000 });
  t.match(node, { commission_rate: 1000, commission_update_time: world.state.headTime, is_valid: true });
  t.equal(world.balance(account), FUNDS - 2_000_000n - pledge, 'the pledge was made');
  refused(t, SET_COMMISSION_ERRORS.commission_too_soon, () => world.run(83, { ...base, commission_rate: 1 }));

  refused(t, UNBANNED_ERRORS.unban_not_banned, () => world.run(84, base));
  world.state.modify(witnessObject, node, (o) => {
    o.is_banned = true;
    o.total_missed = 44n;
  });
  refused(t, UNBANNED_ERRORS.unban_not_witness, () => world.run(84, { ...base, witness: '1.6.1' }));
  world.run(84, base);
  t.match(node, { is_banned: false, previous_missed: 44n });

  const withdraw = { witness_account: `1.2.${account}`, fee: { amount: 100_000, asset_id: '1.3.1' } };
  refused(t, PLEDGE_WITHDRAW_ERRORS.pledge_none, () =>
    world.run(77, { ...withdraw, witness_account: `1.2.${other.witness_account}` }),
  );
  world.run(77, withdraw);
  t.equal(node.is_valid, false);
  t.equal(world.state.count(trustNodePledgeObject), 0);
  t.match(world.state.get(vestingBalanceObject, 0), {
    owner: account,
    balance: { amount: pledge, asset_id: 1 },
    policy: [1, { vesting_seconds: 31_536_000, coin_seconds_earned: 0n }],
  });
  const stranger = world.account('stranger');
  world.create(trustNodePledgeObject, { owner_account: stranger, amount: { amount: 1n, asset_id: 1 } });
  refused(t, PLEDGE_WITHDRAW_ERRORS.pledge_no_trust_node, () =>
    world.run(77, { witness_account: `1.2.${stranger}` }, { issuedByContract: true }),
  );
  world.run(78, {
    fee: { amount: 200_000, asset_id: '1.3.1' },
    from: `1.2.${account}`,
    to: '1.2.0',
    amount: { amount: Number(world.balance(account)) - 500_000_000, asset_id: '1.3.1' },
  });
  world.pass(700_000);
  refused(t, PLEDGE_ERRORS.pledge_balance, () => world.run(83, { ...base, commission_rate: 1 }));
  t.end();
});

t.test('a commission changes again after exactly the interval, counted in 32 bits with a sign', (t) => {
  const { world, nodes } = stakingWorld();
  const [node] = nodes;
  if (node === undefined) throw new Error('a witness is there');
  const set = (commission: number) =>
    world.run(83, {
      witness: '1.6.0',
      witness_account: `1.2.${node.witness_account}`,
      fee: { amount: 2_000_000, asset_id: '1.3.1' },
      commission_rate: commission,
    });
  const changedAt = (seconds: number) =>
    world.state.modify(witnessObject, node, (o) => {
      o.commission_update_time = seconds;
    });
  const now = world.state.headTime;
  changedAt(now - 604_799);
  refused(t, SET_COMMISSION_ERRORS.commission_too_soon, () => set(1));
  changedAt(now - 604_800);
  set(1);
  changedAt(now + 604_799);
  refused(t, SET_COMMISSION_ERRORS.commission_too_soon, () => set(2));
  changedAt(now + 604_800);
  set(2);

  world.pass(0xffff_ffff - now);
  changedAt(100);
  refused(t, SET_COMMISSION_ERRORS.commission_too_soon, () => set(3), 'minus 101 of 32 bits');
  t.equal(node.commission_rate, 2);
  t.end();
});
