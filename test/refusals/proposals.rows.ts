import type { Json, JsonObject } from '../../src/codec/json.js';
import { OPERATION_ERRORS } from '../../src/operations/checks.js';
import { PROPOSAL_CREATE_ERRORS as CREATE } from '../../src/operations/proposal/proposal-create.js';
import { PROPOSAL_DELETE_ERRORS as DELETE } from '../../src/operations/proposal/proposal-delete.js';
import { PROPOSAL_UPDATE_ERRORS as UPDATE } from '../../src/operations/proposal/proposal-update.js';
import { accountText, amountJson, createdId, FreeWorld } from '../support/free-world.js';
import { assertion, type Refusal } from './define.js';

const KEY = 'GXC6MRyAjQq8ud7hVNYcfnVPJqcVpscN5So8BhtHuGYqET5GDW5CV';

const w = new FreeWorld();
const alice = w.account('alice', {}, 100n);
const bob = w.account('bob');
w.setParameters({ maximum_proposal_lifetime: 1000, committee_proposal_review_period: 50 });

const transfer = (amount: number, from = alice): Json => [
  0,
  { fee: amountJson(0, 1), from: accountText(from), to: accountText(bob), amount: amountJson(amount, 1) },
];
const propose = (ops: readonly Json[], more: JsonObject = {}) =>
  w.run(22, {
    fee_paying_account: accountText(bob),
    expiration_time: w.at(100),
    proposed_ops: ops.map((op) => ({ op })),
    ...more,
  });
const create =
  (ops: readonly Json[], more: JsonObject = {}) =>
  () =>
    propose(ops, more);

const open = createdId(propose([transfer(1)]));
const reviewed = createdId(propose([transfer(1)], { review_period_seconds: 99 }));
w.pass(1);

const update =
  (more: JsonObject, proposal = open) =>
  () => {
    w.run(23, { fee_paying_account: accountText(bob), proposal, ...more });
  };
const remove = (more: JsonObject) => () =>
  w.run(24, { fee_paying_account: accountText(bob), proposal: open, using_owner_authority: false, ...more });

const withKey: Json = [
  23,
  { fee: amountJson(0, 1), fee_paying_account: accountText(bob), proposal: open, key_approvals_to_add: [KEY] },
];
const byCommittee: Json = [58, { fee: amountJson(0, 1), account_to_upgrade: accountText(bob) }];
const negativeFee = { fee: amountJson(-1, 1) };

export const refusals: readonly Refusal[] = [
  assertion(CREATE.proposal_empty, '!proposed_ops.empty(): ', create([])),
  // A proposed operation must stand alone.
  assertion(OPERATION_ERRORS.amount_not_positive, 'amount.amount > 0: ', create([transfer(0)])),
  assertion(
    CREATE.proposal_expired,
    'o.expiration_time > d.head_block_time(): Proposal has already expired on creation.',
    create([transfer(1)], { expiration_time: w.at(0) }),
  ),
  assertion(
    CREATE.proposal_too_long,
    'o.expiration_time <= d.head_block_time() + global_parameters.maximum_proposal_lifetime: Proposal expiration time is too far in the future.',
    create([transfer(1)], { expiration_time: w.at(1001) }),
  ),
  assertion(
    CREATE.proposal_review_too_long,
    '!o.review_period_seconds || fc::seconds(*o.review_period_seconds) < (o.expiration_time - d.head_block_time()): Proposal review period must be less than its overall lifetime.',
    create([transfer(1)], { expiration_time: w.at(100), review_period_seconds: 100 }),
  ),
  assertion(CREATE.proposal_other_authority, 'other.size() == 0: ', create([withKey])),
  {
    row: CREATE.proposal_review_too_short,
    code: 3052202,
    name: 'proposal_create_review_period_insufficient',
    message: 'review_period insufficient: Review period of 49 specified, but at least 50 required',
    raise: create([byCommittee], { review_period_seconds: 49 }),
  },
  assertion(OPERATION_ERRORS.operation_fee_negative, 'fee.amount >= 0: ', update(negativeFee)),
  assertion(
    UPDATE.proposal_update_nothing,
    '!(active_approvals_to_add.empty() && active_approvals_to_remove.empty() && owner_approvals_to_add.empty() && owner_approvals_to_remove.empty() && key_approvals_to_add.empty() && key_approvals_to_remove.empty()): ',
    update({}),
  ),
  assertion(
    UPDATE.proposal_active_both,
    'active_approvals_to_remove.find(a) == active_approvals_to_remove.end(): Cannot add and remove approval at the same time.',
    update({ active_approvals_to_add: ['1.2.1', '1.2.2'], active_approvals_to_remove: ['1.2.2'] }),
  ),
  assertion(
    UPDATE.proposal_owner_both,
    'owner_approvals_to_remove.find(a) == owner_approvals_to_remove.end(): Cannot add and remove approval at the same time.',
    update({ owner_approvals_to_add: ['1.2.1'], owner_approvals_to_remove: ['1.2.0', '1.2.1'] }),
  ),
  assertion(
    UPDATE.proposal_key_both,
    'key_approvals_to_remove.find(a) == key_approvals_to_remove.end(): Cannot add and remove approval at the same time.',
    update({ key_approvals_to_add: [KEY], key_approvals_to_remove: [KEY] }),
  ),
  assertion(
    UPDATE.proposal_in_review,
    'o.active_approvals_to_add.empty() && o.owner_approvals_to_add.empty(): This proposal is in its review period. No new approvals may be added.',
    update({ active_approvals_to_add: [accountText(alice)] }, reviewed),
  ),
  assertion(
    UPDATE.proposal_active_absent,
    '_proposal->available_active_approvals.find(id) != _proposal->available_active_approvals.end(): ',
    update({ active_approvals_to_remove: [accountText(alice)] }),
  ),
  assertion(
    UPDATE.proposal_owner_absent,
    '_proposal->available_owner_approvals.find(id) != _proposal->available_owner_approvals.end(): ',
    update({ owner_approvals_to_remove: [accountText(alice)] }),
  ),
  assertion(OPERATION_ERRORS.operation_fee_negative, 'fee.amount >= 0: ', remove(negativeFee)),
  assertion(
    DELETE.proposal_delete_not_involved,
    'required_approvals->find(o.fee_paying_account) != required_approvals->end(): Provided authority is not authoritative for this proposal.',
    remove({}),
  ),
];
