import t from 'tap';
import type { AnyType } from '../../../src/codec/type.js';
import { extraAccounts, historyAccounts, impactedAccounts } from '../../../src/operations/impact.js';
import { OPERATIONS } from '../../../src/operations/index.js';
import { definitionOf } from '../../../src/operations/registered.js';
import type { Authority } from '../../../src/protocol/authority.js';
import { packObjectId } from '../../../src/protocol/ids.js';
import type { Operation } from '../../../src/protocol/operation-slot.js';
import { VOID_RESULT } from '../../../src/protocol/results.js';

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
  const proxied = changed(73, { request_params: { from: 8, to: 9, proxy_account: 10 } });
  t.same(of(proxied), [8, 9]);
  t.same([...impactedAccounts([proxied])].sort(), [10, 8, 9], 'who brings a transfer is told of it too');
  const transfer = changed(0, { from: 11, to: 12 });
  t.same(
    of(changed(22, { fee_paying_account: 1, proposed_ops: [{ op: transfer }] })),
    [11],
    'whose approval is needed',
  );
});

const words = (text: string): string[] => text.split(' ');

/** Members whose accounts have an operation in their history, by its number; an account by its id is in any case. */
const HISTORY: readonly (readonly [first: number, ...rest: (number | string)[]])[] = [
  [0, 'from to'],
  [1, 'seller'],
  [2, 22, 23, 24, 36, 'fee_paying_account'],
  [3, 'funding_account'],
  [4, 44, 'account_id'],
  [6, 17, 42, 71, 72, 74, 'account'],
  [7, 'authorizing_account account_to_list'],
  [8, 'account_to_upgrade'],
  [9, 'account_id new_owner'],
  [10, 12, 13, 18, 43, 47, 49, 51, 53, 61, 63, 65, 67, 'issuer'],
  [11, 'issuer new_issuer'],
  [14, 'issuer issue_to_account'],
  [15, 35, 'payer'],
  [16, 'from_account'],
  [19, 'publisher'],
  [20, 21, 77, 83, 84, 'witness_account'],
  [25, 26, 28, 'withdraw_from_account authorized_account'],
  [27, 'withdraw_to_account withdraw_from_account'],
  [29, 30, 'committee_member_account'],
  [31, 58, 62, 64, 66, 68, 69, '0'],
  [32, 'creator owner'],
  [33, 34, 76, 80, 81, 82, 'owner'],
  [37, 'deposit_to_account'],
  [38, 'issuer from to'],
  [39, 57, 'from'],
  [40, '4'],
  [41, '4 to'],
  [45, 46, 'auth_referrer'],
  [48, 50, 52, 54, 'new_issuer'],
  [55, 59, 70, 'requester'],
  [56, 'new_requester'],
  [60, 'datasource'],
  [75, 'account contract_id'],
  [78, 'from to'],
  [79, 'sender_contract contract_id'],
];

t.test('in whose history each operation stands', async (t) => {
  const expected = new Map<number, readonly string[]>();
  for (const line of HISTORY) {
    const members = words(line.at(-1) as string);
    for (const tag of line.slice(0, -1) as number[]) expected.set(tag, members);
  }
  for (const { tag, name } of OPERATIONS) {
    if (tag === PROXY_TRANSFER || tag === 5) continue;
    const { operation, names } = filled(tag);
    const found = historyAccounts(operation, VOID_RESULT);
    t.same(
      found,
      [...found].sort((a, b) => a - b),
      `${tag} ${name}: by ascending id`,
    );
    const members = found.map((account) => names.get(account) ?? `${account}`);
    t.same(members.sort(), [...(expected.get(tag) ?? [])].sort(), `${tag} ${name}`);
  }
});

t.test('histories of those whom authorities, proposals, requests and results name', async (t) => {
  const of = (operation: Operation) => historyAccounts(operation, VOID_RESULT);
  const members = { registrar: 9, referrer: 2, owner: authority(3), active: authority(4, 5) };
  const created = changed(5, members);
  t.same(historyAccounts(created, [1, packObjectId(1, 2, 7)]), [7, 9], 'the new account instead of whom it names');
  t.same(of(created), [9]);
  const buyback_options = { asset_to_buy: 1, asset_to_buy_issuer: 8, markets: [] };
  t.same(of(changed(5, { ...members, extensions: { buyback_options } })), [8, 9]);
  t.same(of(changed(6, { account: 9, owner: authority(3), active: authority(4, 9) })), [3, 4, 9]);
  t.same(of(changed(11, { issuer: 9, new_issuer: undefined })), [9]);
  const approvals = { active_approvals_to_add: [4], owner_approvals_to_remove: [3] };
  t.same(of(changed(23, { fee_paying_account: 9, ...approvals })), [3, 4, 9]);
  t.same(of(changed(73, { request_params: { from: 8, to: 1, proxy_account: 10 } })), [1, 8, 10]);
  t.same(of(changed(40, { inputs: [{ owner: authority(6) }], outputs: [{ owner: authority(2) }] })), [2, 4, 6]);
  const inner = [
    changed(6, { account: 3, owner: authority(20) }),
    changed(40, { inputs: [{ owner: authority(6) }], outputs: [] }),
    changed(0, { from: 11, to: 12 }),
  ];
  const proposed_ops = inner.map((op) => ({ op }));
  t.same(
    of(changed(22, { fee_paying_account: 9, proposed_ops })),
    [3, 4, 6, 9, 11],
    'who must approve, and nobody else',
  );
});

t.test('ids that no account can have are in nobody’s history', async (t) => {
  const of = (from: number | bigint): number[] => {
    const transfer = changed(0, { from, to: 12 });
    return historyAccounts(changed(22, { fee_paying_account: 9, proposed_ops: [{ op: transfer }] }), VOID_RESULT);
  };
  for (const from of [2 ** 48, 2n ** 53n, 2n ** 64n - 1n]) t.same(of(from), [9], `1.2.${from}`);
  t.same(of(2 ** 48 - 1), [9, 2 ** 48 - 1]);
});
