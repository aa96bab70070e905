import { array, optional, set, variant } from '../../codec/containers.js';
import { bool, i64, share, text, time, u16, u32 } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import { asset } from '../asset.js';
import { chainParameters } from '../chain-parameters.js';
import { extensions } from '../extensions.js';
import { accountId, committeeMemberId, proposalId, stakingId, witnessId } from '../ids.js';
import { publicKey } from '../keys.js';
import { operationWrapper } from '../operation-slot.js';
import { declareOperation, feeBySize, flatFee } from './declare.js';

export const workerInitializer = variant('worker_initializer', [
  struct('refund_worker_initializer', {}),
  struct('vesting_balance_worker_initializer', { pay_vesting_period_days: u16 }),
  struct('burn_worker_initializer', {}),
]);

export const witnessCreateOperation = declareOperation({
  tag: 20,
  name: 'witness_create',
  schema: struct('witness_create', {
    fee: asset,
    witness_account: accountId,
    url: text,
    block_signing_key: publicKey,
  }),
  fee: flatFee(100_000_000n),
});

export const witnessUpdateOperation = declareOperation({
  tag: 21,
  name: 'witness_update',
  schema: struct('witness_update', {
    fee: asset,
    witness: witnessId,
    witness_account: accountId,
    new_url: optional(text),
    new_signing_key: optional(publicKey),
  }),
  fee: flatFee(2_000_000n, i64),
});

export const proposalCreateOperation = declareOperation({
  tag: 22,
  name: 'proposal_create',
  schema: struct('proposal_create', {
    fee: asset,
    fee_paying_account: accountId,
    expiration_time: time,
    proposed_ops: array(operationWrapper),
    review_period_seconds: optional(u32),
    extensions,
  }),
  fee: feeBySize(2_000_000n, 10),
});

export const proposalUpdateOperation = declareOperation({
  tag: 23,
  name: 'proposal_update',
  schema: struct('proposal_update', {
    fee: asset,
    fee_paying_account: accountId,
    proposal: proposalId,
    active_approvals_to_add: set(accountId),
    active_approvals_to_remove: set(accountId),
    owner_approvals_to_add: set(accountId),
    owner_approvals_to_remove: set(accountId),
    key_approvals_to_add: set(publicKey),
    key_approvals_to_remove: set(publicKey),
    extensions,
  }),
  fee: feeBySize(2_000_000n, 10),
});

export const proposalDeleteOperation = declareOperation({
  tag: 24,
  name: 'proposal_delete',
  schema: struct('proposal_delete', {
    fee: asset,
    fee_paying_account: accountId,
    using_owner_authority: bool,
    proposal: proposalId,
    extensions,
  }),
  fee: flatFee(100_000n),
});

export const committeeMemberCreateOperation = declareOperation({
  tag: 29,
  name: 'committee_member_create',
  schema: struct('committee_member_create', { fee: asset, committee_member_account: accountId, url: text }),
  fee: flatFee(1_000_000_000n),
});

export const committeeMemberUpdateOperation = declareOperation({
  tag: 30,
  name: 'committee_member_update',
  schema: struct('committee_member_update', {
    fee: asset,
    committee_member: committeeMemberId,
    committee_member_account: accountId,
    new_url: optional(text),
  }),
  fee: flatFee(2_000_000n),
});

export const committeeMemberUpdateGlobalParametersOperation = declareOperation({
  tag: 31,
  name: 'committee_member_update_global_parameters',
  schema: struct('committee_member_update_global_parameters', { fee: asset, new_parameters: chainParameters }),
  fee: flatFee(100_000n),
});

export const workerCreateOperation = declareOperation({
  tag: 34,
  name: 'worker_create',
  schema: struct('worker_create', {
    fee: asset,
    owner: accountId,
    work_begin_date: time,
    work_end_date: time,
    daily_pay: share,
    name: text,
    url: text,
    initializer: workerInitializer,
  }),
  fee: flatFee(5_000_000_000n),
});

export const trustNodePledgeWithdrawOperation = declareOperation({
  tag: 77,
  name: 'trust_node_pledge_withdraw',
  schema: struct('trust_node_pledge_withdraw', {
    fee: asset,
    witness_account: accountId,
  }),
  fee: flatFee(100_000n, i64),
});

export const stakingCreateOperation = declareOperation({
  tag: 80,
  name: 'staking_create',
  schema: struct('staking_create', {
    fee: asset,
    owner: accountId,
    trust_node: witnessId,
    amount: asset,
    program_id: text,
    weight: u32,
    staking_days: u32,
    extensions: extensions,
  }),
  fee: flatFee(100n),
});

export const stakingUpdateOperation = declareOperation({
  tag: 81,
  name: 'staking_update',
  schema: struct('staking_update', {
    fee: asset,
    owner: accountId,
    trust_node: witnessId,
    staking_id: stakingId,
    extensions: extensions,
  }),
  fee: flatFee(100n),
});

export const stakingClaimOperation = declareOperation({
  tag: 82,
  name: 'staking_claim',
  schema: struct('staking_claim', {
    fee: asset,
    owner: accountId,
    staking_id: stakingId,
    extensions: extensions,
  }),
  fee: flatFee(100n),
});

export const witnessSetCommissionOperation = declareOperation({
  tag: 83,
  name: 'witness_set_commission',
  schema: struct('witness_set_commission', {
    fee: asset,
    witness: witnessId,
    witness_account: accountId,
    commission_rate: u32,
    extensions: extensions,
  }),
  fee: flatFee(2_000_000n, i64),
});

export const witnessUnbannedOperation = declareOperation({
  tag: 84,
  name: 'witness_unbanned',
  schema: struct('witness_unbanned', {
    fee: asset,
    witness: witnessId,
    witness_account: accountId,
    extensions: extensions,
  }),
  fee: flatFee(2_000_000n, i64),
});
