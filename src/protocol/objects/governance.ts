import { array, optional, set, variant, withDefault } from '../../codec/containers.js';
import { bool, i64, share, text, time, u32, u64 } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import { asset } from '../asset.js';
import { accountId, vestingBalanceId, witnessId } from '../ids.js';
import { publicKey } from '../keys.js';
import { transaction } from '../transaction.js';
import { voteId } from '../vote.js';
import { declareObject } from './declare.js';

const budgetRecord = struct('budget_record', {
  time_since_last_budget: u64,
  from_initial_reserve: share,
  from_accumulated_fees: share,
  from_unused_witness_budget: share,
  requested_witness_budget: share,
  total_budget: share,
  witness_budget: share,
  supply_delta: share,
});

export const budgetRecordRecord = declareObject({
  name: 'budget_record',
  space: 2,
  type: 13,
  schema: struct('budget_record_object', { time, record: budgetRecord }),
});

export const committeeMemberRecord = declareObject({
  name: 'committee_member',
  space: 1,
  type: 5,
  schema: struct('committee_member_object', {
    committee_member_account: accountId,
    vote_id: voteId,
    total_votes: u64,
    url: text,
    is_valid: withDefault(bool, () => true),
  }),
});

export const proposalRecord = declareObject({
  name: 'proposal',
  space: 1,
  type: 10,
  schema: struct('proposal_object', {
    expiration_time: time,
    review_period_time: optional(time),
    /** Only expiration and operations are filled in. */
    proposed_transaction: transaction,
    required_active_approvals: set(accountId),
    available_active_approvals: set(accountId),
    required_owner_approvals: set(accountId),
    available_owner_approvals: set(accountId),
    available_key_approvals: set(publicKey),
  }),
});

export const stakingRecord = declareObject({
  name: 'staking',
  space: 1,
  type: 27,
  schema: struct('staking_object', {
    owner: accountId,
    create_date_time: time,
    staking_days: u32,
    weight: u32,
    program_id: text,
    amount: asset,
    trust_node: witnessId,
    is_valid: bool,
  }),
});

export const trustNodePledgeRecord = declareObject({
  name: 'trust_node_pledge',
  space: 1,
  type: 26,
  schema: struct('trust_node_pledge_object', { owner_account: accountId, amount: asset }),
});

export const witnessScheduleRecord = declareObject({
  name: 'witness_schedule',
  space: 2,
  type: 12,
  schema: struct('witness_schedule_object', { current_shuffled_witnesses: array(witnessId) }),
});

export const witnessRecord = declareObject({
  name: 'witness',
  space: 1,
  type: 6,
  schema: struct('witness_object', {
    witness_account: accountId,
    last_aslot: u64,
    signing_key: publicKey,
    pay_vb: optional(vestingBalanceId),
    vote_id: voteId,
    /** Refreshed at maintenance. */
    total_votes: u64,
    url: text,
    total_missed: i64,
    last_confirmed_block_num: u32,
    /** False once the pledge was withdrawn. */
    is_valid: withDefault(bool, () => true),
    /** Sum over its stakings of amount times weight. */
    total_vote_weights: share,
    /** Rewards of its stakers that are not handed out yet. */
    vote_reward_pool: share,
    /** Per mille of its reward that stakers get. */
    commission_rate: u32,
    commission_update_time: time,
    /** `total_missed` at the last maintenance in staking mode. */
    previous_missed: i64,
    is_banned: bool,
  }),
});

export const workerRecord = declareObject({
  name: 'worker',
  space: 1,
  type: 14,
  schema: struct('worker_object', {
    worker_account: accountId,
    work_begin_date: time,
    work_end_date: time,
    daily_pay: share,
    worker: variant('worker_type', [
      struct('refund_worker_type', { total_burned: share }),
      struct('vesting_balance_worker_type', { balance: vestingBalanceId }),
      struct('burn_worker_type', { total_burned: share }),
    ]),
    vote_for: voteId,
    vote_against: voteId,
    total_votes_for: u64,
    total_votes_against: u64,
    name: text,
    url: text,
  }),
});
