import type { Operation } from '../../src/protocol/operation-slot.js';
import {
  proposalCreateOperation,
  proposalDeleteOperation,
  proposalUpdateOperation,
} from '../../src/protocol/operations/governance.js';
import { proposalObject } from '../../src/state/objects/proposal.js';
import { requiredBy } from './authority.js';
import { type Given, type Maker, maker, type Tools } from './tools.js';

/** What is proposed. */
const OFTEN = [0, 6, 25, 32, 58, 45, 31, 7, 78];
const SELDOM = [0, 0, 6, 10, 11, 14, 20, 22, 23, 24, 25, 31, 31, 32, 37, 42, 45, 46, 58, 58, 9, 4, 8, 7, 34, 35, 5];

function proposalCreate(t: Tools, from: number, operation: (tag: number) => Operation): Given {
  const inner = Array.from({ length: t.odd(t.pick(1, 1, 1, 2, 3), 0) }, () => ({
    op: operation(t.random.pick(t.chance(0.6) ? OFTEN : SELDOM)),
  }));
  const { parameters: p, time } = t.m;
  const wait = t.odd(
    t.pick(0, 0, 1, 2, 10, 100, 500, 900, 900, p.maximum_proposal_lifetime),
    p.maximum_proposal_lifetime + 1,
  );
  const shortest = p.committee_proposal_review_period;
  const review = t.chance(0.6)
    ? {}
    : {
        review_period_seconds: t.pick(0, 1, wait - 1, wait, shortest, shortest, 0xffff_ffff) >>> 0,
      };
  return { fee_paying_account: from, expiration_time: (time + wait) >>> 0, proposed_ops: inner, ...review };
}

function proposalUpdate(t: Tools, from: number): Given {
  const row = t.row(proposalObject);
  if (row === undefined) return { fee_paying_account: from };
  const wanted = requiredBy(t.m, row.proposed_transaction.operations);
  const p = t.pick(0.3, 1, 1, 1);
  const few = (list: Iterable<number>) => [...list].filter(() => t.chance(p));
  const active = few([...wanted.active].flatMap((id) => (id === 0 ? [6, 7] : [id])));
  const owner = few(wanted.owner);
  return {
    fee_paying_account: from,
    proposal: t.chance(0.97) ? row.id : 99,
    active_approvals_to_add: active,
    active_approvals_to_remove: row.available_active_approvals
      .filter(() => t.chance(0.1))
      .filter((id) => !active.includes(id) || t.chance(0.05)),
    owner_approvals_to_add: owner,
    owner_approvals_to_remove: row.available_owner_approvals.filter((id) => t.chance(0.1) && !owner.includes(id)),
    key_approvals_to_add: t.chance(0.06) ? t.keys(0.2) : [],
    key_approvals_to_remove: t.chance(0.3) ? row.available_key_approvals.filter(() => t.chance(0.5)) : [],
  };
}

export const proposalMakers = (operation: (tag: number) => Operation): readonly Maker[] => [
  maker(proposalCreateOperation, (t, from) => proposalCreate(t, from, operation)),
  maker(proposalUpdateOperation, proposalUpdate),
  maker(proposalDeleteOperation, (t, from) => {
    const row = t.row(proposalObject);
    const using_owner_authority = t.chance(0.3);
    const list = [...((using_owner_authority ? row?.required_owner_approvals : row?.required_active_approvals) ?? [])];
    return {
      fee_paying_account: list.length > 0 && t.chance(0.8) ? t.random.pick(list) : from,
      using_owner_authority,
      proposal: row?.id ?? 0,
    };
  }),
];
