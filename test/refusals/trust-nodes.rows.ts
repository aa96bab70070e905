import type { JsonObject } from '../../src/codec/json.js';
import { OPERATION_ERRORS } from '../../src/operations/checks.js';
import { COMMITTEE_MEMBER_CREATE_ERRORS } from '../../src/operations/committee/committee-member-create.js';
import { COMMITTEE_MEMBER_UPDATE_ERRORS } from '../../src/operations/committee/committee-member-update.js';
import { VOTE_ID_ERRORS } from '../../src/operations/vote-ids.js';
import { PLEDGE_WITHDRAW_ERRORS } from '../../src/operations/witness/trust-node-pledge-withdraw.js';
import { WITNESS_CREATE_ERRORS } from '../../src/operations/witness/witness-create.js';
import { SET_COMMISSION_ERRORS } from '../../src/operations/witness/witness-set-commission.js';
import { UNBANNED_ERRORS } from '../../src/operations/witness/witness-unbanned.js';
import { WITNESS_UPDATE_ERRORS } from '../../src/operations/witness/witness-update.js';
import { globalPropertyObject } from '../../src/state/objects/global-property.js';
import { trustNodePledgeObject } from '../../src/state/objects/trust-node-pledge.js';
import { PLEDGE_ERRORS } from '../../src/state/rules/pledge.js';
import { TABLE_ERRORS } from '../../src/state/table.js';
import { accountText, FreeWorld } from '../support/free-world.js';
import { assertion, type Refusal } from './define.js';

const KEY = 'GXC6MRyAjQq8ud7hVNYcfnVPJqcVpscN5So8BhtHuGYqET5GDW5CV';
const LONG_URL = 'x'.repeat(127);

function nodes(pledge: bigint) {
  const w = new FreeWorld();
  w.setParameterExtension([9, { amount: 500n }]);
  const node = w.lifetimeMember('node', 1000n);
  w.run(20, { witness_account: accountText(node), url: 'u', block_signing_key: KEY });
  w.run(29, { committee_member_account: accountText(node), url: 'u' });
  w.setParameterExtension([9, { amount: pledge }]);
  const poor = w.lifetimeMember('poor', 499n);
  const basic = w.account('basic', {}, 1000n);
  const pledged = w.account('pledged');
  w.create(trustNodePledgeObject, { owner_account: pledged, amount: { amount: 5n, asset_id: 1 } });
  return { w, node, poor, basic, pledged };
}

const { w, node, poor, basic, pledged } = nodes(500n);
const broken = nodes(-1n);

const create =
  (account: number, url = 'u', world = w) =>
  () =>
    world.run(20, { witness_account: accountText(account), url, block_signing_key: KEY });
const update =
  (account: number, more: JsonObject = {}) =>
  () =>
    w.run(21, { witness: '1.6.0', witness_account: accountText(account), ...more });
const createMember =
  (account: number, url = 'u') =>
  () =>
    w.run(29, { committee_member_account: accountText(account), url });
const updateMember =
  (account: number, more: JsonObject = {}) =>
  () =>
    w.run(30, { committee_member: '1.5.0', committee_member_account: accountText(account), ...more });
const withdraw = (account: number) => () => w.run(77, { witness_account: accountText(account) });
const commission = (account: number, commission_rate: number) => () =>
  w.run(83, { witness: '1.6.0', witness_account: accountText(account), commission_rate });
const unban = (account: number) => () => w.run(84, { witness: '1.6.0', witness_account: accountText(account) });

/** Sets the commission once, so that the next time is too soon. */
const again = nodes(500n);
const setAgain = () =>
  again.w.run(83, { witness: '1.6.0', witness_account: accountText(again.node), commission_rate: 1 });
setAgain();

const full = nodes(500n);
full.w.state.modify(globalPropertyObject, full.w.state.single(globalPropertyObject), (o) => {
  o.next_available_vote_id = 2 ** 24;
});

export const refusals: readonly Refusal[] = [
  assertion(
    VOTE_ID_ERRORS.vote_ids_used_up,
    'all 16777216 vote ids are taken: there can be no more candidates',
    create(full.node, 'u', full.w),
  ),
  assertion(OPERATION_ERRORS.url_too_long, 'url.size() < GRAPHENE_MAX_URL_LENGTH: ', create(basic, LONG_URL)),
  assertion(
    WITNESS_CREATE_ERRORS.witness_not_lifetime,
    '_db.get(op.witness_account).is_lifetime_member(): ',
    create(basic),
  ),
  assertion(
    PLEDGE_ERRORS.pledge_balance,
    'pledge_to_charge.amount <= 0 || db.get_balance(account_id, asset_id_type(1)) >= pledge_to_charge: account balance not enough',
    create(poor),
  ),
  assertion(
    PLEDGE_ERRORS.pledge_parameter,
    'pledge_needed >= 0: trust node pledge must >= 0',
    create(broken.poor, 'u', broken.w),
  ),
  assertion(
    TABLE_ERRORS.object_not_unique,
    'insert_result.second: Could not create object! Most likely a uniqueness constraint is violated.',
    create(node),
  ),
  assertion(
    OPERATION_ERRORS.new_url_too_long,
    'new_url->size() < GRAPHENE_MAX_URL_LENGTH: ',
    update(node, { new_url: LONG_URL }),
  ),
  assertion(
    WITNESS_UPDATE_ERRORS.witness_update_not_owner,
    '_db.get(op.witness).witness_account == op.witness_account: ',
    update(basic),
  ),
  assertion(OPERATION_ERRORS.url_too_long, 'url.size() < GRAPHENE_MAX_URL_LENGTH: ', createMember(basic, LONG_URL)),
  assertion(
    COMMITTEE_MEMBER_CREATE_ERRORS.committee_member_not_lifetime,
    '_db.get(op.committee_member_account).is_lifetime_member(): ',
    createMember(basic),
  ),
  assertion(
    OPERATION_ERRORS.new_url_too_long,
    'new_url->size() < GRAPHENE_MAX_URL_LENGTH: ',
    updateMember(node, { new_url: LONG_URL }),
  ),
  assertion(
    COMMITTEE_MEMBER_UPDATE_ERRORS.committee_member_update_not_owner,
    '_db.get(op.committee_member).committee_member_account == op.committee_member_account: ',
    updateMember(basic),
  ),
  assertion(PLEDGE_WITHDRAW_ERRORS.pledge_none, 'pledge_itr != pledge_idx.end(): have no pledge', withdraw(basic)),
  assertion(
    PLEDGE_WITHDRAW_ERRORS.pledge_no_trust_node,
    'witness_itr != witness_idx.end() || committee_itr != committee_idx.end(): witness and committee of this account not exist',
    withdraw(pledged),
  ),
  assertion(
    SET_COMMISSION_ERRORS.commission_not_witness,
    '_db.get(op.witness).witness_account == op.witness_account: ',
    commission(basic, 1),
  ),
  assertion(
    SET_COMMISSION_ERRORS.commission_rate,
    'op.commission_rate >= 0 && op.commission_rate <= 1000: ',
    commission(node, 1001),
  ),
  assertion(
    SET_COMMISSION_ERRORS.commission_too_soon,
    'std::fabs(delta_seconds) >= _db.get_vote_params().set_commission_interval: the modification time is not yet up',
    setAgain,
  ),
  assertion(
    UNBANNED_ERRORS.unban_not_witness,
    '_db.get(op.witness).witness_account == op.witness_account: ',
    unban(basic),
  ),
  assertion(UNBANNED_ERRORS.unban_not_banned, '_db.get(op.witness).is_banned == true: ', unban(node)),
];
