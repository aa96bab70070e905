import {
  committeeMemberCreateOperation,
  committeeMemberUpdateOperation,
  trustNodePledgeWithdrawOperation,
  witnessCreateOperation,
  witnessSetCommissionOperation,
  witnessUnbannedOperation,
  witnessUpdateOperation,
} from '../../../src/protocol/operations/governance.js';
import { committeeMemberObject } from '../../../src/state/objects/committee-member.js';
import { globalPropertyObject } from '../../../src/state/objects/global-property.js';
import { trustNodePledgeObject } from '../../../src/state/objects/trust-node-pledge.js';
import { type WitnessObject, witnessObject } from '../../../src/state/objects/witness.js';
import { share } from '../amounts.js';
import { flat } from '../fee-rules.js';
import { must } from '../tables.js';
import { bytesOf, created, distance, hasFee } from './checks.js';
import { type AnyOwnRule, type OwnModel, ownRule } from './model.js';

const pledgeOf = (m: OwnModel, owner: number) => m.where(trustNodePledgeObject, (row) => row.owner_account === owner);

/** Checks that there is enough for it; what is given back takes it. */
function pledge(m: OwnModel, owner: number, isDue: boolean): () => void {
  if (!isDue) return () => undefined;
  const required = m.parameter(9, 'amount', 1_000_000_000n);
  must(required >= 0n, 'pledge_parameter');
  const missing = share(required - (pledgeOf(m, owner)?.amount.amount ?? 0n));
  must(missing <= 0n || m.balance(owner, 1) >= missing, 'pledge_balance');
  return () => {
    if (missing === 0n) return;
    const old = pledgeOf(m, owner);
    if (old === undefined)
      m.create(trustNodePledgeObject, { owner_account: owner, amount: { amount: missing, asset_id: 1 } });
    else {
      m.change(trustNodePledgeObject, old.id, (o) => {
        o.amount.amount = share(o.amount.amount + missing);
      });
    }
    m.take(owner, { amount: missing, asset_id: 1 });
  };
}

function nextVote(m: OwnModel, type: number): number {
  const instance = m.get(globalPropertyObject, 0).next_available_vote_id;
  m.change(globalPropertyObject, 0, (o) => {
    o.next_available_vote_id += 1;
  });
  return instance * 256 + type;
}

function witnessOf(m: OwnModel, op: { witness: number; witness_account: number }, otherwise: string): WitnessObject {
  const row = m.get(witnessObject, op.witness);
  must(row.witness_account === op.witness_account, otherwise);
  return row;
}

const changeWitness = (m: OwnModel, id: number, changes: Partial<WitnessObject>): void =>
  m.change(witnessObject, id, (o) => Object.assign(o, changes));

const witnessCreate = ownRule(witnessCreateOperation, {
  payer: (op) => op.witness_account,
  fee: flat(100_000_000),
  valid(op) {
    hasFee(op);
    must(bytesOf(op.url) < 127, 'url_too_long');
  },
  check(m, { witness_account, block_signing_key: signing_key, url }) {
    must(m.isLifetime(witness_account), 'witness_not_lifetime');
    const take = pledge(m, witness_account, m.isAfter('1129'));
    return () => {
      const given = { witness_account, signing_key, url, vote_id: nextVote(m, 1) };
      const id = m.create(witnessObject, given, (row) => row.witness_account === witness_account);
      take();
      return created(6, id);
    };
  },
});

const witnessUpdate = ownRule(witnessUpdateOperation, {
  payer: (op) => op.witness_account,
  fee: flat(2_000_000),
  valid(op) {
    hasFee(op);
    must(bytesOf(op.new_url ?? '') < 127, 'new_url_too_long');
  },
  check(m, op) {
    witnessOf(m, op, 'witness_update_not_owner');
    const take = pledge(m, op.witness_account, m.isAfter('1129'));
    return () => {
      const { new_url: url, new_signing_key: signing_key } = op;
      changeWitness(m, op.witness, {
        ...(url === undefined ? {} : { url }),
        ...(signing_key === undefined ? {} : { signing_key }),
        ...(m.isAfter('1129') ? { is_valid: true } : {}),
      });
      take();
      return undefined;
    };
  },
});

const setCommission = ownRule(witnessSetCommissionOperation, {
  payer: (op) => op.witness_account,
  fee: flat(2_000_000),
  valid: hasFee,
  check(m, op) {
    const { commission_update_time } = witnessOf(m, op, 'commission_not_witness');
    const take = pledge(m, op.witness_account, true);
    must(op.commission_rate <= 1000, 'commission_rate');
    const wait = m.parameter(12, 'set_commission_interval', 604_800);
    must(distance(m.time, commission_update_time) >= wait, 'commission_too_soon');
    return () => {
      const { commission_rate } = op;
      changeWitness(m, op.witness, { commission_rate, commission_update_time: m.time, is_valid: true });
      take();
      return undefined;
    };
  },
});

const unbanned = ownRule(witnessUnbannedOperation, {
  payer: (op) => op.witness_account,
  fee: flat(2_000_000),
  valid: hasFee,
  check(m, op) {
    const take = pledge(m, op.witness_account, true);
    const { is_banned, total_missed } = witnessOf(m, op, 'unban_not_witness');
    must(is_banned, 'unban_not_banned');
    return () => {
      changeWitness(m, op.witness, { is_banned: false, previous_missed: total_missed, is_valid: true });
      take();
      return undefined;
    };
  },
});

const pledgeWithdraw = ownRule(trustNodePledgeWithdrawOperation, {
  payer: (op) => op.witness_account,
  fee: flat(100_000),
  valid: hasFee,
  check(m, { witness_account: owner }) {
    const row = pledgeOf(m, owner);
    must(row !== undefined, 'pledge_none');
    const witness = m.where(witnessObject, (o) => o.witness_account === owner);
    const member = m.where(committeeMemberObject, (o) => o.committee_member_account === owner);
    must(witness !== undefined || member !== undefined, 'pledge_no_trust_node');
    return () => {
      m.deposit(owner, row.amount.amount, m.parameters.cashback_vesting_period_seconds, true);
      m.remove(trustNodePledgeObject, row.id);
      if (witness !== undefined) changeWitness(m, witness.id, { is_valid: false });
      if (member !== undefined) {
        m.change(committeeMemberObject, member.id, (o) => {
          o.is_valid = false;
        });
      }
      return undefined;
    };
  },
});

const memberCreate = ownRule(committeeMemberCreateOperation, {
  payer: (op) => op.committee_member_account,
  fee: flat(1_000_000_000),
  valid(op) {
    hasFee(op);
    must(bytesOf(op.url) < 127, 'url_too_long');
  },
  check(m, { committee_member_account, url }) {
    must(m.isLifetime(committee_member_account), 'committee_member_not_lifetime');
    const take = pledge(m, committee_member_account, m.isAfter('1129'));
    return () => {
      const given = { committee_member_account, url, vote_id: nextVote(m, 0) };
      const isSame = (row: typeof given) => row.committee_member_account === committee_member_account;
      const id = m.create(committeeMemberObject, given, isSame);
      take();
      return created(5, id);
    };
  },
});

const memberUpdate = ownRule(committeeMemberUpdateOperation, {
  payer: (op) => op.committee_member_account,
  fee: flat(2_000_000),
  valid(op) {
    hasFee(op);
    must(bytesOf(op.new_url ?? '') < 127, 'new_url_too_long');
  },
  check(m, op) {
    const { committee_member_account: owner } = m.get(committeeMemberObject, op.committee_member);
    must(owner === op.committee_member_account, 'committee_member_update_not_owner');
    const take = pledge(m, owner, m.isAfter('1129'));
    return () => {
      m.change(committeeMemberObject, op.committee_member, (o) => {
        if (op.new_url !== undefined) o.url = op.new_url;
        if (m.isAfter('1129')) o.is_valid = true;
      });
      take();
      return undefined;
    };
  },
});

export const TRUST_NODE_RULES: readonly AnyOwnRule[] = [
  witnessCreate,
  witnessUpdate,
  memberCreate,
  memberUpdate,
  pledgeWithdraw,
  setCommission,
  unbanned,
];
