import { OPERATION_ERRORS } from '../../../src/operations/checks.js';
import { COMMITTEE_MEMBER_CREATE_ERRORS } from '../../../src/operations/committee/committee-member-create.js';
import { COMMITTEE_MEMBER_UPDATE_ERRORS } from '../../../src/operations/committee/committee-member-update.js';
import { PLEDGE_WITHDRAW_ERRORS } from '../../../src/operations/witness/trust-node-pledge-withdraw.js';
import { WITNESS_CREATE_ERRORS } from '../../../src/operations/witness/witness-create.js';
import { SET_COMMISSION_ERRORS } from '../../../src/operations/witness/witness-set-commission.js';
import { UNBANNED_ERRORS } from '../../../src/operations/witness/witness-unbanned.js';
import { WITNESS_UPDATE_ERRORS } from '../../../src/operations/witness/witness-update.js';
import { AUTHORITY_ERRORS } from '../../../src/protocol/authority-check.js';
import { makeVoteId } from '../../../src/protocol/vote.js';
import { committeeMemberObject } from '../../../src/state/objects/committee-member.js';
import { globalPropertyObject } from '../../../src/state/objects/global-property.js';
import { trustNodePledgeObject } from '../../../src/state/objects/trust-node-pledge.js';
import { vestingBalanceObject } from '../../../src/state/objects/vesting-balance.js';
import { PLEDGE_ERRORS } from '../../../src/state/rules/pledge.js';
import { TABLE_ERRORS } from '../../../src/state/table.js';
import { holds } from '../../support/holds.js';
import { refused } from '../../support/refused.js';
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
  w.refuse(t, OPERATION_ERRORS.operation_fee_negative, 'witness_create', create('alice', { fee: core(-1) }));
  refused(t, AUTHORITY_ERRORS.active_auth_missing, () => w.push('witness_create', create('alice'), ['bob']));
  const next = w.state.single(globalPropertyObject).next_available_vote_id;
  const id = w.create('witness_create', create('alice'));
  w.block();
  holds(t, w.witness('alice'), { vote_id: makeVoteId(1, next), signing_key: key, url: 'u', is_valid: true });
  t.equal(w.state.single(globalPropertyObject).next_available_vote_id, next + 1);
  t.equal(w.balance('alice'), FUNDS - PLEDGE);
  holds(t, w.state.findBy(trustNodePledgeObject.by.owner, w.id('alice')), { amount: core(PLEDGE) });
  w.refuse(t, TABLE_ERRORS.object_not_unique, 'witness_create', create('alice'), 'one witness for each account');

  const update = (more: object = {}) => ({ witness: id, witness_account: 'alice', ...more });
  w.refuse(t, TABLE_ERRORS.object_missing, 'witness_update', update({ witness: 99, new_url: 'v' }));
  w.refuse(t, WITNESS_UPDATE_ERRORS.witness_update_not_owner, 'witness_update', update({ witness_account: 'bob' }));
  w.refuse(t, OPERATION_ERRORS.new_url_too_long, 'witness_update', update({ new_url: 'x'.repeat(127) }));
  w.refuse(t, OPERATION_ERRORS.operation_fee_negative, 'witness_update', update({ fee: core(-1) }));
  refused(t, AUTHORITY_ERRORS.active_auth_missing, () => w.push('witness_update', update({ new_url: 'v' }), ['bob']));
  t.same(w.push('witness_update', update({ new_url: 'v' })), [0, {}]);
  holds(t, w.witness('alice'), { url: 'v', signing_key: key }, 'what is not given stays');
  w.push('witness_update', update({ new_signing_key: witnessKey('other').publicKey }));
  w.block();
  holds(t, w.witness('alice'), { url: 'v', signing_key: witnessKey('other').publicKey });
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
    w.refuse(t, TABLE_ERRORS.object_missing, 'witness_set_commission', commission({ witness: 99 }));
    w.refuse(t, OPERATION_ERRORS.operation_fee_negative, 'witness_set_commission', commission({ fee: core(-1) }));
    refused(t, AUTHORITY_ERRORS.active_auth_missing, () => w.push('witness_set_commission', commission(), ['bob']));
    const set = w.now;
    t.same(w.push('witness_set_commission', commission()), [0, {}]);
    w.block();
    holds(t, w.witness('alice'), { commission_rate: 300, commission_update_time: set });
    w.refuse(t, SET_COMMISSION_ERRORS.commission_too_soon, 'witness_set_commission', commission());
    w.advance(101);
    w.push('witness_set_commission', commission({ commission_rate: 0 }));
    w.block();
    t.equal(w.witness('alice').commission_rate, 0);

    const unban = { witness: id, witness_account: 'alice' };
    w.refuse(t, UNBANNED_ERRORS.unban_not_banned, 'witness_unbanned', unban);
    w.refuse(t, UNBANNED_ERRORS.unban_not_witness, 'witness_unbanned', { ...unban, witness: 1 });

    w.refuse(t, TABLE_ERRORS.object_missing, 'witness_unbanned', { ...unban, witness: 99 });
    w.refuse(t, OPERATION_ERRORS.operation_fee_negative, 'witness_unbanned', { ...unban, fee: core(-1) });
    refused(t, AUTHORITY_ERRORS.active_auth_missing, () => w.push('witness_unbanned', unban, ['bob']));

    w.refuse(t, PLEDGE_WITHDRAW_ERRORS.pledge_none, 'trust_node_pledge_withdraw', { witness_account: 'bob' });
    const back = { witness_account: 'alice' };
    w.refuse(t, OPERATION_ERRORS.operation_fee_negative, 'trust_node_pledge_withdraw', { ...back, fee: core(-1) });
    refused(t, AUTHORITY_ERRORS.active_auth_missing, () => w.push('trust_node_pledge_withdraw', back, ['bob']));
    const before = w.balance('alice');
    const withdrawn = w.now;
    t.same(w.push('trust_node_pledge_withdraw', back), [0, {}]);
    w.block();
    t.equal(w.balance('alice'), before, 'it comes over time');
    t.equal(w.state.findBy(trustNodePledgeObject.by.owner, w.id('alice')), undefined);
    const vesting = w.state.group(vestingBalanceObject.by.owner, w.id('alice'));
    const { cashback_vesting_period_seconds: vesting_seconds } = w.state.single(globalPropertyObject).parameters;
    // The other one is the pay for blocks of its own.
    t.match(
      vesting.filter(({ balance }) => balance.amount === PLEDGE),
      [
        {
          balance: core(PLEDGE),
          policy: [
            1,
            { vesting_seconds, start_claim: 0, coin_seconds_earned: 0n, coin_seconds_earned_last_update: withdrawn },
          ],
        },
      ],
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
  'pledges follow the parameter',
  {
    ...WORLD,
    parameters: {
      extensions: [
        [9, { amount: 1000 }],
        [12, { set_commission_interval: 0 }],
      ],
    },
  },
  (t, w) => {
    const witness = w.create('witness_create', { witness_account: 'alice', url: '', block_signing_key: key });
    const committee_member = w.create('committee_member_create', { committee_member_account: 'alice', url: '' });
    w.block();
    const pledged = () => [
      w.state.findBy(trustNodePledgeObject.by.owner, w.id('alice'))?.amount.amount,
      w.balance('alice'),
    ];
    const demand = (amount: bigint) => {
      const { parameters } = w.state.single(globalPropertyObject);
      const extensions = parameters.extensions.map((item) => (item[0] === 9 ? [9, { amount }] : item));
      w.changeParameters({ extensions } as Partial<typeof parameters>);
    };
    const update = { witness, witness_account: 'alice' };
    const member = { committee_member, committee_member_account: 'alice' };
    t.same(pledged(), [1000n, FUNDS - 1000n]);
    demand(1500n);
    w.push('witness_update', update);
    t.same(pledged(), [1500n, FUNDS - 1500n], 'what is missing is added');
    demand(1200n);
    w.push('committee_member_update', member);
    t.same(pledged(), [1200n, FUNDS - 1200n], 'what is too much comes back at once');
    demand(1300n);
    w.push('witness_set_commission', { ...update, commission_rate: 1 });
    t.same(pledged(), [1300n, FUNDS - 1300n]);
    demand(FUNDS + 1n);
    w.refuse(t, PLEDGE_ERRORS.pledge_balance, 'witness_update', update);
    w.refuse(t, PLEDGE_ERRORS.pledge_balance, 'committee_member_update', member);
    w.refuse(t, PLEDGE_ERRORS.pledge_balance, 'witness_set_commission', { ...update, commission_rate: 2 });
    w.refuse(t, PLEDGE_ERRORS.pledge_balance, 'witness_unbanned', update);
    demand(-1n);
    w.refuse(t, PLEDGE_ERRORS.pledge_parameter, 'witness_update', update);
    demand(0n);
    w.push('witness_update', update);
    t.same(pledged(), [0n, FUNDS], 'a pledge of nothing stays');
    w.push('trust_node_pledge_withdraw', { witness_account: 'alice' });
    w.block();
    t.equal(w.state.findBy(trustNodePledgeObject.by.owner, w.id('alice')), undefined);
    t.equal(w.witness('alice').is_valid, false);
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
    // It goes on missing blocks until it says that it is back.
    w.maintenance();
    // Slots of whoever makes the next block do not count against it.
    for (let i = 0; i < 3; i++) w.block(4);
    const { id, total_missed, previous_missed } = w.witness(banned);
    t.ok(total_missed > previous_missed);
    w.push('witness_update', { witness: id, witness_account: banned });
    w.push('trust_node_pledge_withdraw', { witness_account: banned });
    holds(t, w.witness(banned), { is_valid: false, is_banned: true });
    const before = w.balance(banned);
    t.same(w.push('witness_unbanned', { witness: id, witness_account: banned }), [0, {}]);
    w.block();
    holds(t, w.witness(banned), { is_banned: false, previous_missed: total_missed, is_valid: true });
    t.equal(w.balance(banned), before - PLEDGE, 'it pledges again');
  },
);

worldTest('committee_member_create (29) and committee_member_update (30)', WORLD, (t, w) => {
  const create = (committee_member_account: string) => ({ committee_member_account, url: 'u' });
  w.refuse(t, COMMITTEE_MEMBER_CREATE_ERRORS.committee_member_not_lifetime, 'committee_member_create', create('basic'));
  w.refuse(t, PLEDGE_ERRORS.pledge_balance, 'committee_member_create', create('bob'));
  w.refuse(t, OPERATION_ERRORS.url_too_long, 'committee_member_create', { ...create('alice'), url: 'x'.repeat(127) });
  w.refuse(t, OPERATION_ERRORS.operation_fee_negative, 'committee_member_create', {
    ...create('alice'),
    fee: core(-1),
  });
  refused(t, AUTHORITY_ERRORS.active_auth_missing, () => w.push('committee_member_create', create('alice'), ['bob']));
  const next = w.state.single(globalPropertyObject).next_available_vote_id;
  const id = w.create('committee_member_create', create('alice'));
  w.block();
  const member = w.state.get(committeeMemberObject, id);
  holds(t, member, { committee_member_account: w.id('alice'), url: 'u', is_valid: true });
  t.equal(member.vote_id, makeVoteId(0, next));
  w.refuse(t, TABLE_ERRORS.object_not_unique, 'committee_member_create', create('alice'));
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
  w.refuse(t, OPERATION_ERRORS.new_url_too_long, 'committee_member_update', update({ new_url: 'x'.repeat(127) }));
  w.refuse(t, OPERATION_ERRORS.operation_fee_negative, 'committee_member_update', update({ fee: core(-1) }));
  refused(t, AUTHORITY_ERRORS.active_auth_missing, () => w.push('committee_member_update', update(), ['bob']));
  t.same(w.push('committee_member_update', update({ new_url: undefined })), [0, {}]);
  t.equal(w.state.get(committeeMemberObject, id).url, 'u', 'what is not given stays');
  w.push('committee_member_update', update());
  w.block();
  t.equal(w.state.get(committeeMemberObject, id).url, 'v');
});
