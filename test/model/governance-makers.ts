import {
  committeeMemberCreateOperation,
  committeeMemberUpdateGlobalParametersOperation,
  committeeMemberUpdateOperation,
  trustNodePledgeWithdrawOperation,
  witnessCreateOperation,
  witnessSetCommissionOperation,
  witnessUnbannedOperation,
  witnessUpdateOperation,
  workerCreateOperation,
} from '../../src/protocol/operations/governance.js';
import { committeeMemberObject } from '../../src/state/objects/committee-member.js';
import { witnessObject } from '../../src/state/objects/witness.js';
import { KEYS } from './scene.js';
import { type Given, type Maker, maker } from './tools.js';

const I64 = (1n << 63n) - 1n;

export const GOVERNANCE_MAKERS: readonly Maker[] = [
  maker(witnessCreateOperation, (t, from) => ({
    witness_account: from,
    url: 'u'.repeat(t.pick(0, 1, 126, 127)),
    block_signing_key: KEYS[2],
  })),
  maker(witnessUpdateOperation, (t, from) => {
    const row = t.row(witnessObject);
    return {
      witness: row?.id ?? 0,
      witness_account: t.chance(0.9) ? row?.witness_account : from,
      ...(t.chance(0.5) ? { new_url: 'v'.repeat(t.pick(0, 126, 127)) } : {}),
      ...(t.chance(0.5) ? { new_signing_key: KEYS[3] } : {}),
    };
  }),
  maker(committeeMemberCreateOperation, (t, from) => ({
    committee_member_account: from,
    url: 'u'.repeat(t.pick(0, 126, 127)),
  })),
  maker(committeeMemberUpdateOperation, (t, from) => {
    const row = t.row(committeeMemberObject);
    return {
      committee_member: row?.id ?? 0,
      committee_member_account: t.chance(0.9) ? (row?.committee_member_account ?? 6) : from,
      ...(t.chance(0.5) ? { new_url: 'x' } : {}),
    };
  }),
  maker(committeeMemberUpdateGlobalParametersOperation, (t) => {
    const p = t.m.parameters;
    const change: Given = t.pick<Given>(
      {},
      { block_interval: t.pick(0, 1, 30, 31) },
      { network_percent_of_fee: t.pick(7000, 7001, 10_000, 10_001), lifetime_referrer_percent_of_fee: 3000 },
      { maximum_transaction_size: t.pick(1023, 1024) },
      { maximum_block_size: t.pick(5119, 5120) },
      { maximum_time_until_expiration: t.pick(p.block_interval, p.block_interval + 1) },
      {
        committee_proposal_review_period: t.pick(
          p.maximum_proposal_lifetime,
          p.maximum_proposal_lifetime + 1,
          p.maximum_proposal_lifetime - p.block_interval,
          p.maximum_proposal_lifetime - p.block_interval - 1,
        ),
      },
      { maintenance_interval: t.pick(p.block_interval, p.block_interval * 2, p.block_interval * 2 + 1) },
      { reserve_percent_of_fee: t.pick(10_000, 10_001) },
    );
    return { new_parameters: { ...p, ...change } };
  }),
  maker(workerCreateOperation, (t, owner) => ({
    owner,
    work_begin_date: t.near(t.m.time, 1, 2),
    work_end_date: t.near(t.m.time, 1, 2),
    daily_pay: t.pick(0n, 1n, -1n, I64),
    name: 'w',
    url: 'u',
    initializer: t.pick<unknown>(
      [0, {}],
      [1, { pay_vesting_period_days: t.pick(0, 1, 49_710, 49_711, 65_535) }],
      [2, {}],
    ),
  })),
  maker(trustNodePledgeWithdrawOperation, (_, from) => ({ witness_account: from })),
  maker(witnessSetCommissionOperation, (t, from) => {
    const row = t.row(witnessObject);
    return {
      witness: row?.id ?? 0,
      witness_account: t.chance(0.9) ? row?.witness_account : from,
      commission_rate: t.pick(0, 1000, 1001, 500),
    };
  }),
  maker(witnessUnbannedOperation, (t, from) => {
    const row = t.row(witnessObject);
    return { witness: row?.id ?? 0, witness_account: t.chance(0.9) ? row?.witness_account : from };
  }),
];
