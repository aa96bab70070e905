import t from 'tap';
import type { AnyType } from '../../../src/codec/type.js';
import { extraAccounts, impactedAccounts } from '../../../src/operations/impact.js';
import { OPERATIONS } from '../../../src/operations/index.js';
import { definitionOf } from '../../../src/operations/registered.js';
import type { Authority } from '../../../src/protocol/authority.js';
import type { Operation } from '../../../src/protocol/operation-slot.js';

/** Members of an operation whose accounts are told of it, as the reference has them; of all others nobody is. */
const TOLD: Readonly<Record<number, readonly string[]>> = {
  0: ['to'],
  5: ['registrar', 'referrer'],
  6: ['account'],
  7: ['account_to_list'],
  9: ['new_owner'],
  11: ['new_issuer'],
  14: ['issue_to_account'],
  20: ['witness_account'],
  21: ['witness_account'],
  25: ['authorized_account'],
  26: ['authorized_account'],
  27: ['withdraw_from_account'],
  28: ['authorized_account'],
  29: ['committee_member_account'],
  30: ['committee_member_account'],
  32: ['owner'],
  38: ['issuer', 'from', 'to'],
  39: ['from'],
  41: ['to'],
  42: ['account'],
  44: ['account_id'],
  55: ['requester'],
  56: ['new_requester'],
  57: ['from'],
  59: ['requester'],
  60: ['datasource'],
  61: ['issuer'],
  63: ['issuer'],
  65: ['issuer'],
  67: ['issuer'],
  70: ['requester'],
  74: ['account'],
  75: ['account', 'contract_id'],
  76: ['owner'],
  78: ['from', 'to'],
  79: ['sender_contract', 'contract_id'],
  80: ['owner'],
  81: ['owner'],
  82: ['owner'],
  83: ['witness_account'],
  84: ['witness_account'],
};

/** Accounts of this one are in members of members: it has a case of its own. */
const PROXY_TRANSFER = 73;

function filled(tag: number): { readonly operation: Operation; readonly names: Map<number, string> } {
  const { schema } = definitionOf(tag);
  const body = schema.default() as unknown as Record<string, unknown>;
  const names = new Map<number, string>();
  const { shape } = schema as AnyType;
  const fields = shape.kind === 'struct' ? shape.fields : [];
  fields.forEach(([name, type], index) => {
    const isAccount =
      type.name === 'account_id' || (type.shape.kind === 'optional' && type.shape.of.name === 'account_id');
    if (!isAccount) return;
    body[name] = 100 + index;
    names.set(100 + index, name);
  });
  return { operation: [tag, body as never], names };
}

t.test('whom each operation concerns', async (t) => {
  for (const { tag, name } of OPERATIONS) {
    if (tag === PROXY_TRANSFER) continue;
    const { operation, names } = filled(tag);
    const told = [...impactedAccounts([operation])].map((account) => names.get(account) ?? `account ${account}`);
    t.same(told.sort(), [...(TOLD[tag] ?? [])].sort(), `${tag} ${name}`);
  }
});

const authority = (...accounts: number[]): Authority => ({
  weight_threshold: 1,
  account_auths: accounts.map((account) => [account, 1]),
  key_auths: [],
  address_auths: [],
});

function changed(tag: number, members: Readonly<Record<string, unknown>>): Operation {
  return [tag, { ...filled(tag).operation[1], ...members } as never];
}

t.test('accounts in authorities, in proposals, in members of members', async (t) => {
  const of = (operation: Operation): number[] => extraAccounts(operation).sort((a, b) => a - b);
  const members = { registrar: 1, referrer: 2, owner: authority(3), active: authority(4, 5) };
  t.same(of(changed(5, members)), [1, 2, 3, 4, 5]);
  t.same(of(changed(6, { owner: authority(3), active: undefined })), [3]);
  t.same(of(changed(39, { outputs: [{ owner: authority(7) }] })), [7]);
  t.same(of(changed(40, { inputs: [{ owner: authority(6) }], outputs: [{ owner: authority(7) }] })), [6, 7]);
  t.same(of(changed(41, { to: 5, inputs: [{ owner: authority(6) }] })), [5, 6]);
  t.same(of(changed(73, { request_params: { from: 8, to: 9, proxy_account: 10 } })), [8, 9]);
  const transfer = changed(0, { from: 11, to: 12 });
  t.same(
    of(changed(22, { fee_paying_account: 1, proposed_ops: [{ op: transfer }] })),
    [11],
    'whose approval is needed',
  );
});
