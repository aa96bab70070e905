import type { JsonObject } from '../../src/codec/json.js';
import { BALANCE_LOCK_ERRORS as LOCK } from '../../src/operations/balance/balance-lock.js';
import { BALANCE_UNLOCK_ERRORS as UNLOCK } from '../../src/operations/balance/balance-unlock.js';
import { OPERATION_ERRORS } from '../../src/operations/checks.js';
import { STAKING_CLAIM_ERRORS as CLAIM } from '../../src/operations/staking/staking-claim.js';
import { STAKING_CREATE_ERRORS as CREATE } from '../../src/operations/staking/staking-create.js';
import { STAKING_UPDATE_ERRORS as UPDATE } from '../../src/operations/staking/staking-update.js';
import { TRUST_NODE_ERRORS as NODE } from '../../src/operations/staking/weights.js';
import { voteExtension } from '../../src/protocol/extensions.js';
import { makeVoteId } from '../../src/protocol/vote.js';
import { stakingObject } from '../../src/state/objects/staking.js';
import { witnessObject } from '../../src/state/objects/witness.js';
import { accountText, amountJson, FreeWorld } from '../support/free-world.js';
import { assertion, type Refusal } from './define.js';

const DAY_SEC = 86_400;
const FUNDS = 10_000_000n;
const coins = (amount: number | bigint): JsonObject => amountJson(amount, 1);

const program = { lock_days: 2, staking_days: 3, interest_rate: 5, weight: 5, is_valid: true };
const PROGRAMS = [
  ['1', program],
  ['2', { ...program, is_valid: false }],
] as const;

/** Stakings 1.27.0 and 1.27.1 on node 1.6.0 that are still open, lock 1.25.0; node 1.6.2 is invalid. */
function world(hasPrograms = true, stakingMode = false) {
  const w = new FreeWorld();
  const owner = w.account('owner', {}, FUNDS);
  if (hasPrograms) {
    w.setParameterExtension([6, { params: [...PROGRAMS] as never }]);
    w.setParameterExtension([11, { params: [...PROGRAMS] as never }]);
  }
  const votes = { ...voteExtension.default(), max_staking_count: 2, staking_mode_on: stakingMode };
  w.setParameterExtension([12, votes]);
  for (const [i, is_valid] of [true, true, false].entries()) {
    w.create(witnessObject, { witness_account: w.account(`node-${i}`), vote_id: makeVoteId(1, i), is_valid });
  }
  const lock = (more: JsonObject = {}) =>
    w.run(71, {
      account: accountText(owner),
      create_date_time: w.at(0),
      program_id: '1',
      amount: coins(100_000),
      lock_days: 2,
      interest_rate: 5,
      ...more,
    });
  const unlock = (more: JsonObject = {}) => w.run(72, { account: accountText(owner), lock_id: '1.25.0', ...more });
  const stake = (more: JsonObject = {}) =>
    w.run(80, {
      owner: accountText(owner),
      trust_node: '1.6.0',
      amount: coins(100_000),
      program_id: '1',
      weight: 5,
      staking_days: 3,
      ...more,
    });
  const move = (more: JsonObject = {}) =>
    w.run(81, { owner: accountText(owner), trust_node: '1.6.1', staking_id: '1.27.0', ...more });
  const claim = (more: JsonObject = {}) => w.run(82, { owner: accountText(owner), staking_id: '1.27.0', ...more });
  if (hasPrograms) {
    lock();
    stake();
    stake();
  }
  return { w, lock, unlock, stake, move, claim };
}

const open = world();
const bare = world(false);
const expired = world();
expired.w.pass(3 * DAY_SEC + 1);
const counting = world(true, true);
counting.w.pass(3 * DAY_SEC + 1);
/** The node has lost the weight that its stakings gave it. */
const weightless = world();
weightless.w.state.modify(witnessObject, weightless.w.state.get(witnessObject, 0), (o) => {
  o.total_vote_weights = 499_999n;
});
/** As only a debug update can make one: closed before its time. */
const closed = world();
closed.w.state.modify(stakingObject, closed.w.state.get(stakingObject, 0), (o) => {
  o.is_valid = false;
});
const full = world();

const tooMuch = coins(FUNDS + 1n);
const stranger = '1.2.0';
const PASSED = '(_db.head_block_time().sec_since_epoch() - stak_itor->create_date_time.sec_since_epoch())';
const OWN_FEE = { fee: coins(-1) };

export const refusals: readonly Refusal[] = [
  assertion(OPERATION_ERRORS.operation_fee_negative, 'fee.amount >= 0: ', () =>
    open.lock({ ...OWN_FEE, amount: amountJson(1, 0) }),
  ),
  assertion(LOCK.lock_asset, 'amount.asset_id == GRAPHENE_GXS_ASSET: ', () => open.lock({ amount: amountJson(1, 0) })),
  assertion(
    LOCK.lock_balance,
    'op.amount <= _db.get_balance(op.account, GRAPHENE_GXS_ASSET): account balance not enough',
    () => open.lock({ amount: tooMuch }),
  ),
  assertion(LOCK.lock_amount, 'op.amount.amount >= GRAPHENE_BLOCKCHAIN_PRECISION: lock amount must > 1', () =>
    open.lock({ amount: coins(99_999), memo: 'x'.repeat(64) }),
  ),
  assertion(LOCK.lock_memo, 'op.memo.size() <= GRAPHENE_MAX_ACCOUNT_NAME_LENGTH: memo too long', () =>
    bare.lock({ memo: 'x'.repeat(64) }),
  ),
  assertion(LOCK.lock_programs_missing, '!params.empty(): no lock balance params', () => bare.lock()),
  assertion(LOCK.lock_program_unknown, 'iter_param != params.end(): program_id invalid', () =>
    open.lock({ program_id: '3' }),
  ),
  assertion(LOCK.lock_program_offline, 'iter_param->second.is_valid: program_id offline', () =>
    open.lock({ program_id: '2', interest_rate: 1 }),
  ),
  assertion(LOCK.lock_rate, 'iter_param->second.interest_rate == op.interest_rate: input interest_rate invalid', () =>
    open.lock({ interest_rate: 1, lock_days: 1 }),
  ),
  assertion(LOCK.lock_days, 'lock_days == op.lock_days: input lock days invalid', () =>
    open.lock({ lock_days: 1, create_date_time: open.w.at(31) }),
  ),
  assertion(LOCK.lock_time, 'std::fabs(delta_seconds) <= LOCKED_BALANCE_EXPIRED_TIME: create_date_time invalid', () =>
    open.lock({ create_date_time: open.w.at(31) }),
  ),
  assertion(OPERATION_ERRORS.operation_fee_negative, 'fee.amount >= 0: ', () => open.unlock(OWN_FEE)),
  assertion(UNLOCK.unlock_unknown, '_db.find_object(op.lock_id) != nullptr: lock_id not found, lock_id 1.25.9', () =>
    open.unlock({ lock_id: '1.25.9' }),
  ),
  assertion(UNLOCK.unlock_not_owner, 'lock_balance_obj->owner == op.account: account not owner', () =>
    open.unlock({ account: stranger }),
  ),
  assertion(
    UNLOCK.unlock_too_early,
    'lock_balance_obj->lock_days <= past_days: unlock timepoint has not arrived yet',
    () => open.unlock(),
  ),

  assertion(CREATE.staking_asset, 'op.amount.asset_id == GRAPHENE_GXS_ASSET: staking asset must be GXC', () =>
    open.stake({ amount: amountJson(FUNDS, 0) }),
  ),
  assertion(
    CREATE.staking_balance,
    'op.amount <= _db.get_balance(op.owner, GRAPHENE_GXS_ASSET): account balance not enough',
    () => open.stake({ amount: tooMuch }),
  ),
  assertion(
    CREATE.staking_amount,
    'op.amount.amount >= _db.get_vote_params().min_staking_amount: staking amount must > 100000',
    () => bare.stake({ amount: coins(99_999) }),
  ),
  assertion(CREATE.staking_programs_missing, '!params.empty(): no staking weight params', () => bare.stake()),
  assertion(CREATE.staking_program_unknown, 'iter_param != params.end(): program_id invalid', () =>
    open.stake({ program_id: '3' }),
  ),
  assertion(CREATE.staking_program_offline, 'iter_param->second.is_valid: program_id offline', () =>
    open.stake({ program_id: '2', weight: 1 }),
  ),
  assertion(CREATE.staking_weight, 'iter_param->second.weight == op.weight: input weight invalid', () =>
    open.stake({ weight: 1, staking_days: 1 }),
  ),
  assertion(CREATE.staking_days, 'staking_days == op.staking_days: input staking days invalid', () =>
    full.stake({ staking_days: 1 }),
  ),
  assertion(
    CREATE.staking_count,
    'std::distance(staking_ranges.first, staking_ranges.second) < _db.get_vote_params().max_staking_count: mortgages have reached their maximum number',
    () => full.stake({ trust_node: '1.6.9' }),
  ),
  assertion(
    NODE.trust_node_unknown,
    'wit_obj_itor != witness_objects.end(): nonexistent trust node account 1.6.9',
    () => open.move({ trust_node: '1.6.9', staking_id: '1.27.9' }),
  ),
  assertion(NODE.trust_node_invalid, 'wit_obj_itor->is_valid == true: invalid trust node account 1.6.2', () =>
    open.move({ trust_node: '1.6.2', staking_id: '1.27.9' }),
  ),
  assertion(UPDATE.staking_update_unknown, 'stak_itor != staking_objects.end(): invalid staking_id 1.27.9', () =>
    open.move({ staking_id: '1.27.9' }),
  ),
  assertion(UPDATE.staking_update_not_owner, 'stak_itor->owner == op.owner: non-staking owners cannot update', () =>
    weightless.move({ owner: stranger }),
  ),
  assertion(
    UPDATE.staking_update_weights,
    'pre_wit_itor->total_vote_weights >= (stak_itor->amount.amount * stak_itor->weight): An error occurred in the old node-ticket statistics',
    () => weightless.move({ trust_node: '1.6.0' }),
  ),
  assertion(
    UPDATE.staking_update_same,
    'stak_itor->trust_node != op.trust_node: Cannot be updated to the same trust node',
    () => expired.move({ trust_node: '1.6.0' }),
  ),
  assertion(
    UPDATE.staking_update_expired,
    `stak_itor->staking_days * SECONDS_PER_DAY > ${PASSED}: staking expired`,
    () => expired.move(),
  ),
  assertion(UPDATE.staking_update_closed, 'stak_itor->is_valid == true: ', () => closed.move()),
  assertion(CLAIM.staking_claim_unknown, 'stak_itor != staking_objects.end(): invalid staking_id 1.27.9', () =>
    open.claim({ staking_id: '1.27.9' }),
  ),
  assertion(CLAIM.staking_claim_not_owner, 'stak_itor->owner == op.owner: non-staking owners cannot claim', () =>
    open.claim({ owner: stranger }),
  ),
  assertion(
    CLAIM.staking_claim_early,
    `stak_itor->staking_days * SECONDS_PER_DAY < ${PASSED}: claim timepoint has not arrived yet`,
    () => open.claim(),
  ),
  assertion(CLAIM.staking_claim_open, 'stak_itor->is_valid == false: please wait for the dividend to end', () =>
    counting.claim(),
  ),
];
