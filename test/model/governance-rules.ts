import { compareKeysByAddress } from '../../src/crypto/address.js';
import type { Asset } from '../../src/protocol/asset.js';
import type { ChainParameters } from '../../src/protocol/chain-parameters.js';
import type { Operation } from '../../src/protocol/operation-slot.js';
import {
  committeeMemberCreateOperation,
  committeeMemberUpdateGlobalParametersOperation,
  committeeMemberUpdateOperation,
  proposalCreateOperation,
  proposalDeleteOperation,
  proposalUpdateOperation,
  trustNodePledgeWithdrawOperation,
  witnessCreateOperation,
  witnessSetCommissionOperation,
  witnessUnbannedOperation,
  witnessUpdateOperation,
  workerCreateOperation,
} from '../../src/protocol/operations/governance.js';
import { committeeMemberObject } from '../../src/state/objects/committee-member.js';
import { globalPropertyObject } from '../../src/state/objects/global-property.js';
import { proposalObject } from '../../src/state/objects/proposal.js';
import { trustNodePledgeObject } from '../../src/state/objects/trust-node-pledge.js';
import { vestingBalanceObject } from '../../src/state/objects/vesting-balance.js';
import { witnessObject } from '../../src/state/objects/witness.js';
import { workerObject } from '../../src/state/objects/worker.js';
import { share } from './amounts.js';
import { requiredBy, verify } from './authority.js';
import { flat, withSize } from './fee-rules.js';
import { type AnyRule, type Model, rule } from './model.js';
import { must, Refused } from './tables.js';

const hasFee = ({ fee }: { fee: Asset }): void => must(fee.amount >= 0n, 'a fee below zero');
const validUrl = (url: string | undefined): void => must(Buffer.byteLength(url ?? '') < 127, 'a long url');
const ascending = (ids: Iterable<number>): number[] => [...new Set(ids)].sort((a, b) => a - b);

function parameter<T>(m: Model, tag: number, field: string, otherwise: T): T {
  const found = m.parameters.extensions.find(([one]) => one === tag);
  return found === undefined ? otherwise : ((found[1] as Record<string, unknown>)[field] as T);
}

// What trust nodes pledge

function pledge(m: Model, owner: number): void {
  const required = parameter(m, 9, 'amount', 1_000_000_000n);
  must(required >= 0n, 'a pledge below zero');
  const old = m.where(trustNodePledgeObject, (row) => row.owner_account === owner);
  const charge = share(required - (old?.amount.amount ?? 0n));
  must(charge <= 0n || m.balance(owner, 1) >= charge, 'too little to pledge');
  if (charge === 0n) return;
  if (old === undefined)
    m.create(trustNodePledgeObject, { owner_account: owner, amount: { amount: charge, asset_id: 1 } });
  else {
    m.change(trustNodePledgeObject, old.id, (o) => {
      o.amount.amount = share(o.amount.amount + charge);
    });
  }
  m.take(owner, { amount: charge, asset_id: 1 });
}

function nextVote(m: Model, type: number): number {
  const instance = m.get(globalPropertyObject, 0).next_available_vote_id;
  m.change(globalPropertyObject, 0, (o) => {
    o.next_available_vote_id += 1;
  });
  return instance * 256 + type;
}

function witnessOf(m: Model, witness: number, account: number) {
  const found = m.get(witnessObject, witness);
  must(found.witness_account === account, 'of another');
  return found;
}

const witnessCreate = rule(witnessCreateOperation, {
  payer: (op) => op.witness_account,
  fee: flat(100_000_000),
  valid(op) {
    hasFee(op);
    validUrl(op.url);
  },
  run(m, { witness_account, block_signing_key: signing_key, url }) {
    must(m.isLifetime(witness_account), 'no lifetime member');
    const given = { witness_account, signing_key, url, vote_id: nextVote(m, 1) };
    const id = m.create(witnessObject, given, (row) => row.witness_account === witness_account);
    if (m.after('1129')) pledge(m, witness_account);
    return [1, (1n << 56n) | (6n << 48n) | BigInt(id)];
  },
});

const witnessUpdate = rule(witnessUpdateOperation, {
  payer: (op) => op.witness_account,
  fee: flat(2_000_000),
  valid(op) {
    hasFee(op);
    validUrl(op.new_url);
  },
  run(m, op) {
    witnessOf(m, op.witness, op.witness_account);
    if (m.after('1129')) pledge(m, op.witness_account);
    m.change(witnessObject, op.witness, (o) => {
      if (op.new_url !== undefined) o.url = op.new_url;
      if (op.new_signing_key !== undefined) o.signing_key = op.new_signing_key;
      if (m.after('1129')) o.is_valid = true;
    });
    return undefined;
  },
});

const setCommission = rule(witnessSetCommissionOperation, {
  payer: (op) => op.witness_account,
  fee: flat(2_000_000),
  valid: hasFee,
  run(m, op) {
    const { commission_update_time: last } = witnessOf(m, op.witness, op.witness_account);
    must(op.commission_rate <= 1000, 'more than all');
    const passed = Math.abs((m.time - last) | 0);
    must(passed >= parameter(m, 12, 'set_commission_interval', 604_800), 'too soon');
    pledge(m, op.witness_account);
    m.change(witnessObject, op.witness, (o) => {
      o.commission_rate = op.commission_rate;
      o.commission_update_time = m.time;
      o.is_valid = true;
    });
    return undefined;
  },
});

const unbanned = rule(witnessUnbannedOperation, {
  payer: (op) => op.witness_account,
  fee: flat(2_000_000),
  valid: hasFee,
  run(m, op) {
    must(witnessOf(m, op.witness, op.witness_account).is_banned, 'not banned');
    pledge(m, op.witness_account);
    m.change(witnessObject, op.witness, (o) => {
      o.previous_missed = o.total_missed;
      o.is_banned = false;
      o.is_valid = true;
    });
    return undefined;
  },
});

const pledgeWithdraw = rule(trustNodePledgeWithdrawOperation, {
  payer: (op) => op.witness_account,
  fee: flat(100_000),
  valid: hasFee,
  run(m, { witness_account: owner }) {
    const pledged = m.where(trustNodePledgeObject, (row) => row.owner_account === owner);
    must(pledged !== undefined, 'nothing pledged');
    const witness = m.where(witnessObject, (row) => row.witness_account === owner);
    const member = m.where(committeeMemberObject, (row) => row.committee_member_account === owner);
    must(witness !== undefined || member !== undefined, 'no trust node');
    m.deposit(owner, pledged.amount.amount, m.parameters.cashback_vesting_period_seconds, true);
    m.remove(trustNodePledgeObject, pledged.id);
    if (witness !== undefined) m.change(witnessObject, witness.id, (o) => Object.assign(o, { is_valid: false }));
    if (member !== undefined) m.change(committeeMemberObject, member.id, (o) => Object.assign(o, { is_valid: false }));
    return undefined;
  },
});

const memberCreate = rule(committeeMemberCreateOperation, {
  payer: (op) => op.committee_member_account,
  fee: flat(1_000_000_000),
  valid(op) {
    hasFee(op);
    validUrl(op.url);
  },
  run(m, { committee_member_account, url }) {
    must(m.isLifetime(committee_member_account), 'no lifetime member');
    const given = { committee_member_account, url, vote_id: nextVote(m, 0) };
    const id = m.create(
      committeeMemberObject,
      given,
      (row) => row.committee_member_account === committee_member_account,
    );
    if (m.after('1129')) pledge(m, committee_member_account);
    return [1, (1n << 56n) | (5n << 48n) | BigInt(id)];
  },
});

const memberUpdate = rule(committeeMemberUpdateOperation, {
  payer: (op) => op.committee_member_account,
  fee: flat(2_000_000),
  valid(op) {
    hasFee(op);
    validUrl(op.new_url);
  },
  run(m, op) {
    const old = m.get(committeeMemberObject, op.committee_member);
    must(old.committee_member_account === op.committee_member_account, 'of another');
    if (m.after('1129')) pledge(m, op.committee_member_account);
    m.change(committeeMemberObject, old.id, (o) => {
      if (op.new_url !== undefined) o.url = op.new_url;
      if (m.after('1129')) o.is_valid = true;
    });
    return undefined;
  },
});

function validParameters(p: ChainParameters): void {
  const { reserve_percent_of_fee: reserve, network_percent_of_fee: network } = p;
  const lifetime = p.lifetime_referrer_percent_of_fee;
  must(Math.max(reserve, network, lifetime, network + lifetime) <= 10_000, 'a percentage');
  must(p.block_interval >= 1 && p.block_interval <= 30, 'an interval');
  must(p.maintenance_interval > p.block_interval && p.maintenance_interval % p.block_interval === 0, 'maintenance');
  must(p.maximum_transaction_size >= 1024 && p.maximum_block_size >= 5120, 'a size');
  must(p.maximum_time_until_expiration > p.block_interval, 'an expiration');
  const rest = (p.maximum_proposal_lifetime - p.committee_proposal_review_period) >>> 0;
  must(rest > p.block_interval, 'a review period');
}

const updateParameters = rule(committeeMemberUpdateGlobalParametersOperation, {
  payer: () => 0,
  fee: flat(100_000),
  valid(op) {
    hasFee(op);
    validParameters(op.new_parameters);
  },
  run(m, op, { proposed }) {
    must(proposed, 'only in a proposal');
    m.change(globalPropertyObject, 0, (o) => {
      o.pending_parameters = op.new_parameters;
    });
    return undefined;
  },
});

const workerCreate = rule(workerCreateOperation, {
  payer: (op) => op.owner,
  fee: flat(5_000_000_000),
  run(m, op) {
    must(!m.after('1008'), 'no workers any more');
    must(m.isLifetime(op.owner), 'no lifetime member');
    must(op.work_begin_date >= m.time, 'in the past');
    const { owner: worker_account, work_begin_date, work_end_date, daily_pay, name, url, initializer } = op;
    const vote_for = nextVote(m, 2);
    const vote_against = nextVote(m, 2);
    const given = { worker_account, work_begin_date, work_end_date, daily_pay, name, url, vote_for, vote_against };
    const days = (initializer[1] as { pay_vesting_period_days: number }).pay_vesting_period_days;
    if (initializer[0] !== 1) {
      const id = m.create(workerObject, { ...given, worker: [initializer[0], { total_burned: 0n }] });
      return [1, (1n << 56n) | (14n << 48n) | BigInt(id)];
    }
    const balance = m.create(vestingBalanceObject, {
      owner: worker_account,
      balance: { amount: 0n, asset_id: m.core },
      policy: [
        1,
        {
          vesting_seconds: (days * 86_400) >>> 0,
          start_claim: 0,
          coin_seconds_earned: 0n,
          coin_seconds_earned_last_update: m.time,
        },
      ],
    });
    const id = m.create(workerObject, { ...given, worker: [1, { balance }] });
    return [1, (1n << 56n) | (14n << 48n) | BigInt(id)];
  },
});

// Proposals

const operationsOf = (wrapped: readonly { op: Operation }[]): Operation[] => wrapped.map(({ op }) => op);

const proposalCreate = (rules: () => readonly AnyRule[]): AnyRule =>
  rule(proposalCreateOperation, {
    payer: (op) => op.fee_paying_account,
    fee: withSize(2_000_000, 10),
    valid(op) {
      must(op.proposed_ops.length > 0, 'nothing proposed');
      for (const [tag, body] of operationsOf(op.proposed_ops))
        rules()
          .find((one) => one.tag === tag)
          ?.valid?.(body);
    },
    run(m, op) {
      const { expiration_time, review_period_seconds: review } = op;
      must(expiration_time > m.time, 'expired');
      must(expiration_time <= (m.time + m.parameters.maximum_proposal_lifetime) >>> 0, 'too late');
      if (review !== undefined) must(review < expiration_time - m.time, 'a review before the beginning');
      const operations = operationsOf(op.proposed_ops);
      const { active, owner, other } = requiredBy(m, operations);
      must(other.length === 0, 'other authorities');
      if (review !== undefined && (active.has(0) || owner.has(0))) {
        must(review >= m.parameters.committee_proposal_review_period, 'a short review by the committee');
      }
      for (const one of operations) m.validate(one);
      const id = m.create(proposalObject, {
        expiration_time,
        ...(review === undefined ? {} : { review_period_time: expiration_time - review }),
        proposed_transaction: {
          ref_block_num: 0,
          ref_block_prefix: 0,
          expiration: expiration_time,
          operations,
          extensions: [],
        },
        required_owner_approvals: ascending(owner),
        required_active_approvals: ascending(active).filter((one) => !owner.has(one)),
      });
      return [1, (1n << 56n) | (10n << 48n) | BigInt(id)];
    },
  });

/** Whether it was allowed and has worked; it is gone then. */
export function tryProposal(m: Model, id: number): boolean {
  try {
    m.attempt(() => {
      const row = m.get(proposalObject, id);
      const { operations } = row.proposed_transaction;
      verify(m, requiredBy(m, operations), {
        keys: row.available_key_approvals,
        active: row.available_active_approvals,
        owner: row.available_owner_approvals,
        committee: true,
      });
      for (const one of operations) m.run(one, { proposed: true });
      m.remove(proposalObject, id);
    });
    return true;
  } catch (error) {
    if (error instanceof Refused) return false;
    throw error;
  }
}

const overlap = <T>(a: readonly T[], b: readonly T[]): boolean => a.some((one) => b.includes(one));
const changed = <T>(old: readonly T[], add: readonly T[], remove: readonly T[]): T[] =>
  [...new Set([...old, ...add])].filter((one) => !remove.includes(one));

const proposalUpdate = rule(proposalUpdateOperation, {
  payer: (op) => op.fee_paying_account,
  fee: withSize(2_000_000, 10),
  asks(op, { active, owner, other }) {
    for (const id of [...op.active_approvals_to_add, ...op.active_approvals_to_remove]) active.add(id);
    for (const id of [...op.owner_approvals_to_add, ...op.owner_approvals_to_remove]) owner.add(id);
    const keys = [...new Set([...op.key_approvals_to_add, ...op.key_approvals_to_remove])].sort(compareKeysByAddress);
    other.push({
      weight_threshold: keys.length,
      account_auths: [],
      key_auths: keys.map((key) => [key, 1]),
      address_auths: [],
    });
  },
  valid(op) {
    hasFee(op);
    const pairs = [
      [op.active_approvals_to_add, op.active_approvals_to_remove],
      [op.owner_approvals_to_add, op.owner_approvals_to_remove],
    ] as const;
    const count = [...pairs.flat(), op.key_approvals_to_add, op.key_approvals_to_remove].flat().length;
    must(count > 0, 'nothing to change');
    must(!pairs.some(([add, remove]) => overlap(add, remove)), 'added and removed');
    must(!overlap(op.key_approvals_to_add, op.key_approvals_to_remove), 'added and removed');
  },
  run(m, op) {
    const old = m.get(proposalObject, op.proposal);
    if (old.review_period_time !== undefined && m.time >= old.review_period_time) {
      must(op.active_approvals_to_add.length + op.owner_approvals_to_add.length === 0, 'under review');
    }
    for (const id of op.active_approvals_to_remove) must(old.available_active_approvals.includes(id), 'not there');
    for (const id of op.owner_approvals_to_remove) must(old.available_owner_approvals.includes(id), 'not there');
    m.change(proposalObject, old.id, (o) => {
      o.available_active_approvals = ascending(
        changed(o.available_active_approvals, op.active_approvals_to_add, op.active_approvals_to_remove),
      );
      o.available_owner_approvals = ascending(
        changed(o.available_owner_approvals, op.owner_approvals_to_add, op.owner_approvals_to_remove),
      );
      o.available_key_approvals = changed(
        o.available_key_approvals,
        op.key_approvals_to_add,
        op.key_approvals_to_remove,
      ).sort(compareKeysByAddress);
    });
    if (old.review_period_time === undefined) tryProposal(m, old.id);
    return undefined;
  },
});

const proposalDelete = rule(proposalDeleteOperation, {
  payer: (op) => op.fee_paying_account,
  fee: flat(100_000),
  valid: hasFee,
  run(m, op) {
    const old = m.get(proposalObject, op.proposal);
    const list = op.using_owner_authority ? old.required_owner_approvals : old.required_active_approvals;
    must(list.includes(op.fee_paying_account), 'nobody who is asked');
    m.remove(proposalObject, old.id);
    return undefined;
  },
});

export const governanceRules = (rules: () => readonly AnyRule[]): readonly AnyRule[] => [
  witnessCreate,
  witnessUpdate,
  setCommission,
  unbanned,
  pledgeWithdraw,
  memberCreate,
  memberUpdate,
  updateParameters,
  workerCreate,
  proposalCreate(rules),
  proposalUpdate,
  proposalDelete,
];
