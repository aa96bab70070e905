import { OPERATION_ERRORS } from '../../../src/operations/checks.js';
import { COMMITTEE_MEMBER_CREATE_ERRORS } from '../../../src/operations/committee/committee-member-create.js';
import { COMMITTEE_MEMBER_UPDATE_ERRORS } from '../../../src/operations/committee/committee-member-update.js';
import { PLEDGE_WITHDRAW_ERRORS } from '../../../src/operations/witness/trust-node-pledge-withdraw.js';
import { WITNESS_CREATE_ERRORS } from '../../../src/operations/witness/witness-create.js';
import { SET_COMMISSION_ERRORS } from '../../../src/operations/witness/witness-set-commission.js';
import { UNBANNED_ERRORS } from '../../../src/operations/witness/witness-unbanned.js';
import { WITNESS_UPDATE_ERRORS } from '../../../src/operations/witness/witness-update.js';
import { makeVoteId, voteInstance } from '../../../src/protocol/vote.js';
import { committeeMemberObject } from '../../../src/state/objects/committee-member.js';
import { globalPropertyObject } from '../../../src/state/objects/global-property.js';
import { trustNodePledgeObject } from '../../../src/state/objects/trust-node-pledge.js';
import { vestingBalanceObject } from '../../../src/state/objects/vesting-balance.js';
import { PLEDGE_ERRORS } from '../../../src/state/rules/pledge.js';
import { TABLE_ERRORS } from '../../../src/state/table.js';
import { core, worldTest } from '../../support/world.js';
import { witnessKey } from '../../support/world-genesis.js';

const PLEDGE = 1_000_000_000n;
const FUNDS = 5n * PLEDGE;
const WORLD = { accounts: { alice: FUNDS, bob: PLEDGE - 1n, basic: FUNDS }, basic: ['basic'] };
const key = witnessKey('alice').publicKey;

worldTest('witness_create (20) and witness_update (21)', WORLD, (t, w) => {
  const create = (witness_account: string, more: object = {}) => ({
    witness_account,
    url: 'u',
    block_signing_key: key,
    ...more,
  });
  w.refuse(t, WITNESS_CREATE_ERRORS.witness_not_lifetime, 'witness_create', create('basic'));
  w.refuse(t, PLEDGE_ERRORS.pledge_balance, 'witness_create', create('bob'));
  w.refuse(t, OPERATION_ERRORS.url_too_long, 'witness_create', create('alice', { url: 'x'.repeat(127) }));
  const next = w.state.single(globalPropertyObject).next_available_vote_id;
  const id = w.create('witness_create', create('alice'));
  w.block();
  t.match(w.witness('alice'), { vote_id: makeVoteId(1, next), signing_key: key, url: 'u', is_valid: true });
  t.equal(w.state.single(globalPropertyObject).next_available_vote_id, next + 1);
  t.equal(w.balance('alice'), FUNDS - PLEDGE);
  t.match(w.state.findBy(trustNodePledgeObject.by.owner, w.id('alice')), { amount: core(PLEDGE) });
  t.throws(() => w.push('witness_create', create('alice')), 'one witness for each account');

  const update = (more: object = {}) => ({ witness: id, witness_account: 'alice', ...more });
  w.refuse(t, TABLE_ERRORS.object_missing, 'witness_update', update({ witness: 99, new_url: 'v' }));
  w.refuse(t, WITNESS_UPDATE_ERRORS.witness_update_not_owner, 'witness_update', update({ witness_account: 'bob' }));
  w.push('witness_update', update({ new_url: 'v', new_signing_key: witnessKey('other').publicKey }));
  w.block();
  t.match(w.witness('alice'), { url: 'v', signing_key: witnessKey('other').publicKey });
  t.equal(w.balance('alice'), FUNDS - PLEDGE, 'the pledge is there already');
  w.maintenance();
  t.ok(w.state.single(globalPropertyObject).active_witnesses.includes(id), 'there are seats for all');
});

worldTest(
  'a changed signing key counts from the next block on',
  { ...WORLD, accounts: { init0: FUNDS }, witnesses: 1 },
  (t, w) => {
    const second = w.addKey(witnessKey('init0 second'));
    const witness = w.witness('init0').id;
    w.push('witness_update', { witness, witness_account: 'init0', new_signing_key: second.publicKey });
    const { block } = w.block();
    t.equal(block.witness, witness);
    w.blocks(2);
    t.equal(w.witness('init0').signing_key, second.publicKey);
  },
);

worldTest(
  'trust_node_pledge_withdraw (77), witness_set_commission (83), witness_unbanned (84)',
  { ...WORLD, parameters: { extensions: [[12, { set_commission_interval: 100 }]] } },
  (t, w) => {
    const id = w.create('witness_create', { witness_account: 'alice', url: '', block_signing_key: key });
    w.create('committee_member_create', { committee_member_account: 'alice', url: '' });
    w.block();
    t.equal(w.balance('alice'), FUNDS - PLEDGE, 'one pledge for both');
    const commission = (more: object = {}) => ({
      witness: id,
      witness_account: 'alice',
      commission_rate: 300,
      ...more,
    });
    w.refuse(t, SET_COMMISSION_ERRORS.commission_not_witness, 'witness_set_commission', commission({ witness: 1 }));
    w.refuse(t, SET_COMMISSION_ERRORS.commission_rate, 'witness_set_commission', commission({ commission_rate: 1001 }));
    w.push('witness_set_commission', commission());
    w.block();
    t.equal(w.witness('alice').commission_rate, 300);
    w.refuse(t, SET_COMMISSION_ERRORS.commission_too_soon, 'witness_set_commission', commission());
    w.advance(101);
    w.push('witness_set_commission', commission({ commission_rate: 0 }));
    w.block();
    t.equal(w.witness('alice').commission_rate, 0);

    const unban = { witness: id, witness_account: 'alice' };
    w.refuse(t, UNBANNED_ERRORS.unban_not_banned, 'witness_unbanned', unban);
    w.refuse(t, UNBANNED_ERRORS.unban_not_witness, 'witness_unbanned', { ...unban, witness: 1 });

    w.refuse(t, PLEDGE_WITHDRAW_ERRORS.pledge_none, 'trust_node_pledge_withdraw', { witness_account: 'bob' });
    const before = w.balance('alice');
    w.push('trust_node_pledge_withdraw', { witness_account: 'alice' });
    w.block();
    t.equal(w.balance('alice'), before, 'it comes over time');
    t.equal(w.state.findBy(trustNodePledgeObject.by.owner, w.id('alice')), undefined);
    const amounts = w.state.group(vestingBalanceObject.by.owner, w.id('alice')).map(({ balance }) => balance);
    // The other one is the pay for blocks of its own.
    t.match(
      amounts.filter(({ amount }) => amount === PLEDGE),
      [core(PLEDGE)],
    );
    t.equal(w.witness('alice').is_valid, false);
    t.equal(w.state.findBy(committeeMemberObject.by.account, w.id('alice'))?.is_valid, false);
    // Whoever pledges again is valid again.
    w.push('witness_update', { witness: id, witness_account: 'alice', new_url: '' });
    w.block();
    t.equal(w.witness('alice').is_valid, true);
    t.equal(w.balance('alice'), before - PLEDGE);
  },
);

worldTest(
  'witness_unbanned (84) after missed blocks in staking mode',
  {
    accounts: { alice: FUNDS, init0: FUNDS, init1: FUNDS, init2: FUNDS },
    parameters: { extensions: [[12, { staking_mode_on: true, missed_block_limit: 5 }]] },
  },
  (t, w) => {
    // Each maintenance compares with the one before; the first has nothing to compare with.
    w.advance(120);
    w.advance(240);
    w.advance(240);
    const banned = [0, 1, 2].map((i) => `init${i}`).find((name) => w.witness(name).is_banned);
    if (banned === undefined) throw new Error('somebody has missed more than five blocks');
    const { id, total_missed } = w.witness(banned);
    w.push('witness_unbanned', { witness: id, witness_account: banned });
    w.block();
    t.match(w.witness(banned), { is_banned: false, previous_missed: total_missed, is_valid: true });
  },
);

worldTest('committee_member_create (29) and committee_member_update (30)', WORLD, (t, w) => {
  const create = (committee_member_account: string) => ({ committee_member_account, url: 'u' });
  w.refuse(t, COMMITTEE_MEMBER_CREATE_ERRORS.committee_member_not_lifetime, 'committee_member_create', create('basic'));
  w.refuse(t, PLEDGE_ERRORS.pledge_balance, 'committee_member_create', create('bob'));
  const next = w.state.single(globalPropertyObject).next_available_vote_id;
  const id = w.create('committee_member_create', create('alice'));
  w.block();
  const member = w.state.get(committeeMemberObject, id);
  t.match(member, { committee_member_account: w.id('alice'), url: 'u', is_valid: true });
  t.equal(voteInstance(member.vote_id), next);
  t.equal(w.balance('alice'), FUNDS - PLEDGE);
  const update = (more: object = {}) => ({
    committee_member: id,
    committee_member_account: 'alice',
    new_url: 'v',
    ...more,
  });
  w.refuse(
    t,
    COMMITTEE_MEMBER_UPDATE_ERRORS.committee_member_update_not_owner,
    'committee_member_update',
    update({
      committee_member_account: 'basic',
    }),
  );
  w.refuse(t, TABLE_ERRORS.object_missing, 'committee_member_update', update({ committee_member: 99 }));
  w.push('committee_member_update', update());
  w.block();
  t.equal(w.state.get(committeeMemberObject, id).url, 'v');
});
