import { addressOfKey } from '../../../src/crypto/address.js';
import { OPERATION_ERRORS } from '../../../src/operations/checks.js';
import { SKIP } from '../../../src/operations/define.js';
import { PROPOSAL_CREATE_ERRORS } from '../../../src/operations/proposal/proposal-create.js';
import { PROPOSAL_DELETE_ERRORS } from '../../../src/operations/proposal/proposal-delete.js';
import { PROPOSAL_UPDATE_ERRORS } from '../../../src/operations/proposal/proposal-update.js';
import { PROPOSAL_ONLY_ERRORS } from '../../../src/operations/proposal-only.js';
import { AUTHORITY_ERRORS } from '../../../src/protocol/authority-check.js';
import { PARAMETER_ERRORS } from '../../../src/protocol/chain-parameters.js';
import { globalPropertyObject } from '../../../src/state/objects/global-property.js';
import { proposalObject } from '../../../src/state/objects/proposal.js';
import { FEE_ERRORS } from '../../../src/state/rules/fee-checks.js';
import { TABLE_ERRORS } from '../../../src/state/table.js';
import { holds } from '../../support/holds.js';
import { refused } from '../../support/refused.js';
import { core, type TestWorld, worldTest } from '../../support/world.js';
import { accountKey } from '../../support/world-genesis.js';

const WORLD = { accounts: { alice: 1000n, bob: 1000n, carol: 0n } };
const RICH = { alice: 10n ** 9n, bob: 10n ** 9n, carol: 10n ** 9n };

const transfer = (w: TestWorld, from: string, amount = 10, to = 'carol') => ({
  op: w.operation('transfer', { from, to, amount: core(amount) }),
});

const propose = (w: TestWorld, more: object = {}) => ({
  fee_paying_account: 'carol',
  expiration_time: w.now + 600,
  proposed_ops: [transfer(w, 'alice'), transfer(w, 'bob')],
  ...more,
});

const approve = (proposal: number, more: object) => ({ fee_paying_account: 'carol', proposal, ...more });

worldTest('proposal_create (22)', WORLD, (t, w) => {
  const committee = { op: w.operation('transfer', { from: 0, to: 'carol', amount: core(1) }) };
  const cases = [
    [PROPOSAL_CREATE_ERRORS.proposal_empty, propose(w, { proposed_ops: [] })],
    [PROPOSAL_CREATE_ERRORS.proposal_expired, propose(w, { expiration_time: w.now })],
    [PROPOSAL_CREATE_ERRORS.proposal_too_long, propose(w, { expiration_time: w.now + 2_419_201 })],
    [PROPOSAL_CREATE_ERRORS.proposal_review_too_long, propose(w, { review_period_seconds: 600 })],
    [
      PROPOSAL_CREATE_ERRORS.proposal_review_too_short,
      propose(w, { proposed_ops: [committee], review_period_seconds: 10 }),
    ],
    [
      PROPOSAL_CREATE_ERRORS.proposal_other_authority,
      propose(w, {
        proposed_ops: [
          { op: w.operation('proposal_update', approve(0, { key_approvals_to_add: [accountKey('bob').publicKey] })) },
        ],
      }),
    ],
    [OPERATION_ERRORS.amount_not_positive, propose(w, { proposed_ops: [transfer(w, 'alice'), transfer(w, 'bob', 0)] })],
    // Its own validation does not look at the fee.
    [FEE_ERRORS.fee_payment_negative, propose(w, { fee: core(-1) })],
  ] as const;
  for (const [row, given] of cases) w.refuse(t, row, 'proposal_create', given);
  refused(t, AUTHORITY_ERRORS.active_auth_missing, () => w.push('proposal_create', propose(w), ['alice']));
  const id = w.create('proposal_create', propose(w, { review_period_seconds: 100 }));
  w.block();
  const proposal = w.state.get(proposalObject, id);
  holds(t, proposal, {
    required_active_approvals: [w.id('alice'), w.id('bob')],
    required_owner_approvals: [],
    available_active_approvals: [],
    available_owner_approvals: [],
    available_key_approvals: [],
    review_period_time: proposal.expiration_time - 100,
    proposed_transaction: {
      ref_block_num: 0,
      ref_block_prefix: 0,
      expiration: proposal.expiration_time,
      operations: [transfer(w, 'alice').op, transfer(w, 'bob').op],
      extensions: [],
    },
  });
  // A proposal of the committee needs no time for review, only enough of it if it has some.
  const free = w.create('proposal_create', propose(w, { proposed_ops: [committee] }));
  holds(t, w.state.get(proposalObject, free), { required_active_approvals: [0], review_period_time: undefined });
  const owner = w.create(
    'proposal_create',
    propose(w, {
      proposed_ops: [
        { op: w.operation('account_update', { account: 'bob', owner: w.account('bob').owner }) },
        transfer(w, 'bob'),
      ],
    }),
  );
  w.block();
  holds(t, w.state.get(proposalObject, owner), {
    required_owner_approvals: [w.id('bob')],
    required_active_approvals: [],
  });
});

worldTest('proposal_update (23) runs the proposal as soon as it has what it needs', WORLD, (t, w) => {
  const id = w.create('proposal_create', propose(w));
  w.block();
  const update = (more: object) => approve(id, more);
  w.refuse(t, TABLE_ERRORS.object_missing, 'proposal_update', {
    ...update({ active_approvals_to_add: ['alice'] }),
    proposal: 77,
  });
  w.refuse(t, PROPOSAL_UPDATE_ERRORS.proposal_update_nothing, 'proposal_update', update({}));
  w.refuse(
    t,
    PROPOSAL_UPDATE_ERRORS.proposal_active_both,
    'proposal_update',
    update({
      active_approvals_to_add: ['alice'],
      active_approvals_to_remove: ['alice'],
    }),
  );
  for (const [row, field] of [
    [PROPOSAL_UPDATE_ERRORS.proposal_active_absent, 'active_approvals_to_remove'],
    [PROPOSAL_UPDATE_ERRORS.proposal_owner_absent, 'owner_approvals_to_remove'],
  ] as const) {
    w.refuse(t, row, 'proposal_update', update({ [field]: ['alice'] }));
  }
  refused(t, AUTHORITY_ERRORS.active_auth_missing, () =>
    w.push('proposal_update', update({ active_approvals_to_add: ['alice'] }), ['carol']),
  );
  w.push('proposal_update', update({ active_approvals_to_add: ['alice'] }));
  w.block();
  t.same(w.state.get(proposalObject, id).available_active_approvals, [w.id('alice')]);
  w.push('proposal_update', update({ active_approvals_to_remove: ['alice'] }));
  w.block();
  t.same(w.state.get(proposalObject, id).available_active_approvals, []);
  t.same(w.push('proposal_update', update({ active_approvals_to_add: ['alice'] })), [0, {}]);
  t.equal(w.balance('carol'), 0n);
  w.push('proposal_update', update({ key_approvals_to_add: [accountKey('bob').publicKey] }));
  w.block();
  t.equal(w.balance('carol'), 20n);
  t.equal(w.state.count(proposalObject), 0);
});

worldTest('proposal_update (23) keeps approvals by kind, and takes them back', WORLD, (t, w) => {
  const id = w.create('proposal_create', propose(w));
  const keys = ['x', 'y'].map((name) => w.addKey(accountKey(name)).publicKey);
  w.push('proposal_update', approve(id, { owner_approvals_to_add: ['alice'], key_approvals_to_add: keys }));
  w.block();
  const proposal = () => w.state.get(proposalObject, id);
  t.same(proposal().available_owner_approvals, [w.id('alice')]);
  t.same([...proposal().available_key_approvals].sort(), [...keys].sort());
  t.same(proposal().available_active_approvals, []);
  for (const [row, kind, both] of [
    [PROPOSAL_UPDATE_ERRORS.proposal_owner_both, 'owner_approvals', ['alice']],
    [PROPOSAL_UPDATE_ERRORS.proposal_key_both, 'key_approvals', [keys[0]]],
  ] as const) {
    const given = approve(id, { [`${kind}_to_add`]: both, [`${kind}_to_remove`]: both });
    w.refuse(t, row, 'proposal_update', given);
  }
  w.refuse(t, OPERATION_ERRORS.operation_fee_negative, 'proposal_update', approve(id, { fee: core(-1) }));
  // A key that is not there can be taken away all the same.
  const gone = { owner_approvals_to_remove: ['alice'], key_approvals_to_remove: keys };
  w.push('proposal_update', approve(id, gone));
  w.push('proposal_update', approve(id, { key_approvals_to_remove: keys }));
  w.block();
  holds(t, proposal(), { available_owner_approvals: [], available_key_approvals: [] });
});

worldTest('approvals are sets, whatever order they came in and however often', WORLD, (t, w) => {
  const id = w.create(
    'proposal_create',
    propose(w, { proposed_ops: [transfer(w, 'alice'), transfer(w, 'bob', 5000)] }),
  );
  const names = ['alice', 'bob', 'carol'];
  const keys = names
    .map((name) => w.addKey(accountKey(`${name} x`)).publicKey)
    .sort((a, b) => (addressOfKey(a) < addressOfKey(b) ? -1 : 1));
  for (const at of [2, 0, 1, 1]) {
    const more = { key_approvals_to_add: [keys[at]], owner_approvals_to_add: [names[at]] };
    w.push('proposal_update', approve(id, { ...more, active_approvals_to_add: [names[at]] }));
    w.block();
  }
  const accounts = names.map((name) => w.id(name));
  holds(t, w.state.get(proposalObject, id), {
    available_active_approvals: accounts,
    available_owner_approvals: accounts,
    available_key_approvals: keys,
  });
  const asOwner = (account: string) => ({
    op: w.operation('account_update', { account, owner: w.account('carol').owner }),
  });
  const proposed_ops = [asOwner('bob'), transfer(w, 'bob'), asOwner('alice')];
  holds(t, w.state.get(proposalObject, w.create('proposal_create', propose(w, { proposed_ops }))), {
    required_active_approvals: [],
    required_owner_approvals: accounts.slice(0, 2),
  });
});

worldTest('who approves as owner approves as active too, not the other way round', WORLD, (t, w) => {
  const before = w.account('bob').owner;
  const owner = w.account('alice').owner;
  const change = { op: w.operation('account_update', { account: 'bob', owner }) };
  const id = w.create('proposal_create', propose(w, { proposed_ops: [change] }));
  w.push('proposal_update', approve(id, { active_approvals_to_add: ['bob'] }));
  w.block();
  t.equal(w.state.count(proposalObject), 1);
  t.same(w.account('bob').owner, before);
  const pay = w.create('proposal_create', propose(w, { proposed_ops: [transfer(w, 'bob')] }));
  w.push('proposal_update', approve(pay, { owner_approvals_to_add: ['bob'] }));
  w.block();
  t.equal(w.balance('carol'), 10n);
  w.push('proposal_update', approve(id, { owner_approvals_to_add: ['bob'] }));
  w.block();
  t.equal(w.state.count(proposalObject), 0);
  t.same(w.account('bob').owner, owner);
});

worldTest('an approval is given and taken back by whose it is', WORLD, (t, w) => {
  // None of the approvals is the one that it waits for.
  const id = w.create('proposal_create', propose(w, { proposed_ops: [transfer(w, 'carol', 1, 'bob')] }));
  const key = w.addKey(accountKey('x')).publicKey;
  const given = { active: 'alice', owner: 'bob', key };
  for (const how of ['add', 'remove']) {
    for (const [kind, whose] of Object.entries(given)) {
      const update = approve(id, { [`${kind}_approvals_to_${how}`]: [whose] });
      const rows = {
        active: AUTHORITY_ERRORS.active_auth_missing,
        owner: AUTHORITY_ERRORS.owner_auth_missing,
        key: AUTHORITY_ERRORS.other_auth_missing,
      };
      const row = rows[kind as keyof typeof rows];
      refused(t, row, () => w.push('proposal_update', update, ['carol']), `${how} ${kind}`);
      w.push('proposal_update', update);
      w.block();
    }
  }
  holds(t, w.state.get(proposalObject, id), {
    available_active_approvals: [],
    available_owner_approvals: [],
    available_key_approvals: [],
  });
  const both = approve(id, { key_approvals_to_add: [key, accountKey('y').publicKey] });
  refused(t, AUTHORITY_ERRORS.other_auth_missing, () => w.push('proposal_update', both, ['carol', 'x']), 'each key');
});

worldTest(
  'what a proposal runs is paid by those who are to pay for it',
  { ...WORLD, fees: true, accounts: RICH },
  (t, w) => {
    const id = w.create('proposal_create', propose(w));
    w.block();
    const [alice, bob, carol] = ['alice', 'bob', 'carol'].map((name) => w.balance(name)) as [bigint, bigint, bigint];
    const update = w.operation('proposal_update', approve(id, { active_approvals_to_add: ['alice', 'bob'] }));
    w.pushAll([update]);
    w.block();
    t.same(
      [w.balance('alice'), w.balance('bob'), w.balance('carol')],
      [alice - 100_010n, bob - 100_010n, carol + 20n - update[1].fee.amount],
    );
  },
);

worldTest('a proposal that cannot be executed stays until it expires', WORLD, (t, w) => {
  const id = w.create(
    'proposal_create',
    propose(w, { proposed_ops: [transfer(w, 'alice'), transfer(w, 'bob', 5000)] }),
  );
  w.push('proposal_update', approve(id, { active_approvals_to_add: ['alice', 'bob'] }));
  w.block();
  t.equal(w.balance('carol'), 0n, 'all of it or nothing');
  t.equal(w.state.count(proposalObject), 1);
  w.push('transfer', { from: 'alice', to: 'bob', amount: core(900) });
  w.advance(700);
  t.equal(w.state.count(proposalObject), 0);
  t.equal(w.balance('carol'), 0n);
});

worldTest('a proposal with a review period runs when it expires, and takes no approvals in review', WORLD, (t, w) => {
  const id = w.create('proposal_create', propose(w, { review_period_seconds: 300 }));
  w.push('proposal_update', approve(id, { active_approvals_to_add: ['alice', 'bob'] }));
  w.block();
  t.equal(w.state.count(proposalObject), 1, 'it waits although everybody agrees');
  w.advance(310);
  const late = approve(id, { active_approvals_to_add: ['carol'] });
  w.refuse(t, PROPOSAL_UPDATE_ERRORS.proposal_in_review, 'proposal_update', late);
  w.advance(600);
  t.equal(w.state.count(proposalObject), 0);
  t.equal(w.balance('carol'), 20n);
});

/** What a run of a proposal does to proposals, and must not do to the run. */
const deletes = (w: TestWorld, proposal: number) => ({
  op: w.operation('proposal_delete', { fee_paying_account: 'alice', using_owner_authority: false, proposal }),
});
const nextProposal = (w: TestWorld) => w.state.nextInstance(proposalObject);

worldTest('a proposal that deletes itself fails when it is run, and stays until it expires', WORLD, (t, w) => {
  for (const proposed_ops of [
    [deletes(w, nextProposal(w))],
    // What stands behind the deletion, or before it, does not help it.
    [transfer(w, 'alice'), deletes(w, nextProposal(w) + 1), transfer(w, 'alice')],
  ]) {
    const id = w.create('proposal_create', propose(w, { proposed_ops }));
    const approval = approve(id, { active_approvals_to_add: ['alice'] });
    t.same(w.push('proposal_update', approval), [0, {}], 'the approval itself succeeds');
    w.block();
    t.same(w.state.get(proposalObject, id).available_active_approvals, [w.id('alice')], 'and is kept');
    t.equal(w.balance('carol'), 0n, 'nothing of it has happened');
  }
  w.push('proposal_update', approve(0, { owner_approvals_to_add: ['alice'] }));
  w.block();
  t.equal(w.state.count(proposalObject), 2, 'another try fails in the same way');
  w.advance(700);
  t.equal(w.state.count(proposalObject), 0);
  t.equal(w.balance('carol'), 0n);
  w.block();
});

worldTest('a proposal that deletes itself after its review fails at its expiration, and is gone', WORLD, (t, w) => {
  const proposed_ops = [transfer(w, 'alice'), deletes(w, nextProposal(w))];
  const id = w.create('proposal_create', propose(w, { proposed_ops, review_period_seconds: 10 }));
  w.push('proposal_update', approve(id, { active_approvals_to_add: ['alice'] }));
  w.block();
  t.equal(w.state.count(proposalObject), 1);
  w.advance(700);
  t.equal(w.state.count(proposalObject), 0);
  t.equal(w.balance('carol'), 0n);
  w.block();
});

worldTest('proposals that run at their expiration may remove each other, and make new ones', WORLD, (t, w) => {
  const first = nextProposal(w);
  const review = { review_period_seconds: 10 };
  const approved = (proposed_ops: object[], more: object = {}): number => {
    const id = w.create('proposal_create', propose(w, { proposed_ops, ...review, ...more }));
    w.push('proposal_update', approve(id, { active_approvals_to_add: ['alice'] }));
    return id;
  };
  // They expire in one second and run in the order of their numbers: the first removes the second, which would have
  // removed the third; the third runs, and leaves a new one that expires later.
  approved([deletes(w, first + 1), transfer(w, 'alice', 1)]);
  approved([deletes(w, first + 2), transfer(w, 'alice', 2)]);
  const later = propose(w, { fee_paying_account: 'alice', expiration_time: w.now + 6000 });
  approved([transfer(w, 'alice', 4), { op: w.operation('proposal_create', later) }]);
  w.block();
  t.equal(w.state.count(proposalObject), 3);
  w.advance(700);
  t.equal(w.balance('carol'), 5n);
  t.same(
    [...w.state.all(proposalObject)].map(({ id }) => id),
    [first + 3],
  );
  w.block();
});

worldTest('a proposal for accounts that do not exist waits, and is gone when it expires', WORLD, (t, w) => {
  const nobody = { ...transfer(w, 'alice').op[1], from: 9_999 };
  const id = w.create('proposal_create', propose(w, { proposed_ops: [{ op: [0, nobody] }] }));
  w.push('proposal_update', approve(id, { active_approvals_to_add: ['alice'] }));
  w.block();
  t.equal(w.state.count(proposalObject), 1, 'looking for the account refuses neither the approval');
  w.advance(700);
  t.equal(w.state.count(proposalObject), 0, 'nor the block');
});

worldTest('a key approval that nobody needed spoils a proposal', WORLD, (t, w) => {
  const id = w.create('proposal_create', propose(w));
  w.push('proposal_update', approve(id, { key_approvals_to_add: [accountKey('carol').publicKey] }));
  w.push('proposal_update', approve(id, { active_approvals_to_add: ['alice', 'bob'] }));
  w.block();
  t.equal(w.state.count(proposalObject), 1);
  w.push('proposal_update', approve(id, { key_approvals_to_remove: [accountKey('carol').publicKey] }));
  w.block();
  t.equal(w.state.count(proposalObject), 0);
  t.equal(w.balance('carol'), 20n);
});

worldTest('proposal_delete (24)', WORLD, (t, w) => {
  const id = w.create('proposal_create', propose(w));
  w.block();
  const remove = (name: string, using_owner_authority = false) => ({
    fee_paying_account: name,
    using_owner_authority,
    proposal: id,
  });
  w.refuse(t, PROPOSAL_DELETE_ERRORS.proposal_delete_not_involved, 'proposal_delete', remove('carol'));
  w.refuse(t, PROPOSAL_DELETE_ERRORS.proposal_delete_not_involved, 'proposal_delete', remove('alice', true));
  w.refuse(t, TABLE_ERRORS.object_missing, 'proposal_delete', { ...remove('alice'), proposal: 77 });
  w.refuse(t, OPERATION_ERRORS.operation_fee_negative, 'proposal_delete', { ...remove('alice'), fee: core(-1) });
  refused(t, AUTHORITY_ERRORS.active_auth_missing, () => w.push('proposal_delete', remove('alice'), ['bob']));
  t.same(w.push('proposal_delete', remove('alice')), [0, {}]);
  w.block();
  t.equal(w.state.count(proposalObject), 0);
  const changesOwner = { op: w.operation('account_update', { account: 'bob', owner: w.account('bob').owner }) };
  const byOwner = w.create('proposal_create', propose(w, { proposed_ops: [changesOwner] }));
  const veto = (using_owner_authority: boolean) => ({ ...remove('bob', using_owner_authority), proposal: byOwner });
  w.refuse(t, PROPOSAL_DELETE_ERRORS.proposal_delete_not_involved, 'proposal_delete', veto(false));
  w.push('proposal_delete', veto(true));
  w.block();
  t.equal(w.state.count(proposalObject), 0);
});

worldTest('committee_member_update_global_parameters (31)', WORLD, (t, w) => {
  const { parameters } = w.state.single(globalPropertyObject);
  const given = { new_parameters: { ...parameters, maximum_proposal_lifetime: 1_500_000 } };
  refused(t, AUTHORITY_ERRORS.committee_approval_invalid, () =>
    w.push('committee_member_update_global_parameters', given, []),
  );
  const invalid = { new_parameters: { ...parameters, maximum_block_size: 5119 } };
  const proposed_ops = [{ op: w.operation('committee_member_update_global_parameters', invalid) }];
  w.refuse(t, PARAMETER_ERRORS.parameter_block_size, 'proposal_create', propose(w, { proposed_ops }));
  const negative = [{ op: w.operation('committee_member_update_global_parameters', { ...given, fee: core(-1) }) }];
  const proposed = propose(w, { proposed_ops: negative });
  w.refuse(t, OPERATION_ERRORS.operation_fee_negative, 'proposal_create', proposed);
  const earlier = { new_parameters: { ...parameters, maximum_witness_count: 77 } };
  w.asCommittee('committee_member_update_global_parameters', earlier);
  w.asCommittee('committee_member_update_global_parameters', given);
  w.block();
  const properties = () => w.state.single(globalPropertyObject);
  t.equal(properties().pending_parameters?.maximum_proposal_lifetime, 1_500_000);
  t.equal(properties().parameters.maximum_proposal_lifetime, parameters.maximum_proposal_lifetime);
  const { maximum_witness_count } = parameters;
  t.equal(properties().pending_parameters?.maximum_witness_count, maximum_witness_count, 'the last ones count, whole');
  w.maintenance();
  t.equal(properties().pending_parameters, undefined);
  t.equal(properties().parameters.maximum_proposal_lifetime, 1_500_000);
});

worldTest('a fee scale of 0 stands in a proposal, and never comes into force', WORLD, (t, w) => {
  const { parameters } = w.state.single(globalPropertyObject);
  const name = 'committee_member_update_global_parameters';
  const given = { new_parameters: { ...parameters, accounts_per_fee_scale: 0 } };
  const id = w.create('proposal_create', propose(w, { proposed_ops: [{ op: w.operation(name, given) }] }));
  t.equal(w.block().transactions.length, 1, 'anybody may propose it, and a node that refuses the block stands alone');
  t.ok(w.state.find(proposalObject, id));
  w.refuseProposed(t, PARAMETER_ERRORS.parameter_fee_scale, name, given);
});

worldTest('what the committee alone may do is done in proposals alone', WORLD, (t, w) => {
  const byCommittee = { extensions: [[1, { version: 1 }]] };
  const cases: readonly (readonly [string, object])[] = [
    ['committee_member_update_global_parameters', { new_parameters: w.state.single(globalPropertyObject).parameters }],
    ['account_upgrade_merchant', byCommittee],
    ['account_upgrade_datasource', byCommittee],
    ['account_upgrade_data_transaction_member', {}],
    ['data_market_category_update', {}],
    ['free_data_product_update', {}],
    ['league_data_product_update', {}],
    ['league_update', {}],
    ['datasource_copyright_clear', {}],
  ];
  for (const [name, given] of cases) {
    const transaction = w.sign([w.operation(name, { ...given })], []);
    refused(t, AUTHORITY_ERRORS.committee_approval_invalid, () => w.chain.pending.push({ transaction }), name);
    // As in a block that is applied again without looking at signatures.
    const push = () => w.chain.pending.push({ transaction }, SKIP.transactionSignatures);
    refused(t, PROPOSAL_ONLY_ERRORS.not_inside_proposal, push, name);
  }
});
