import type { Authority } from '../protocol/authority.js';
import { compareInstances, INSTANCE_END, type Instance, unpackObjectId } from '../protocol/ids.js';
import type { Operation, OperationWrapper } from '../protocol/operation-slot.js';
import type { OperationResult } from '../protocol/results.js';
import { requiredAuthorities } from './authorities.js';
import { definitionOf } from './registered.js';

/**
 * Whom an operation concerns besides those who must sign it: the other side of a transfer, who gets into an authority.
 * Listeners and histories go by this list, so it is the reference's list and not what one would expect.
 */

type Extra = (body: Record<string, unknown>) => readonly (Instance | undefined)[];

const fields =
  (...names: string[]): Extra =>
  (body) =>
    names.map((name) => body[name] as Instance | undefined);

const authAccounts = (authority: unknown): Instance[] =>
  authority === undefined ? [] : (authority as Authority).account_auths.map(([account]) => account);

const owners = (list: unknown): Instance[] =>
  (list as readonly { readonly owner: Authority }[]).flatMap(({ owner }) => authAccounts(owner));

const EXTRA: ReadonlyMap<number, Extra> = new Map<number, Extra>([
  [0, fields('to')],
  // Quirk: not the new account, which has no id yet when this is asked.
  [5, (op) => [op.registrar, op.referrer, ...authAccounts(op.owner), ...authAccounts(op.active)] as Instance[]],
  [6, (op) => [...authAccounts(op.owner), ...authAccounts(op.active)]],
  [7, fields('account_to_list')],
  [9, fields('new_owner')],
  [11, fields('new_issuer')],
  [14, fields('issue_to_account')],
  [22, (op) => demandedOf((op.proposed_ops as OperationWrapper[]).map((wrapped) => wrapped.op))],
  [25, fields('authorized_account')],
  [26, fields('authorized_account')],
  [27, fields('withdraw_from_account')],
  [28, fields('authorized_account')],
  [32, fields('owner')],
  [38, fields('from', 'to')],
  [39, (op) => owners(op.outputs)],
  [40, (op) => [...owners(op.inputs), ...owners(op.outputs)]],
  [41, (op) => [op.to as Instance, ...owners(op.inputs)]],
  [73, (op) => fields('from', 'to')(op.request_params as Record<string, unknown>)],
  [75, fields('contract_id')],
  [78, fields('to')],
  [79, fields('contract_id')],
]);

/** Everybody whose approval the operations need. */
function demandedOf(operations: readonly Operation[]): Instance[] {
  const { active, owner, other } = requiredAuthorities(operations);
  return [...active, ...owner, ...other.flatMap(authAccounts)];
}

/** Accounts that an operation names besides its payer and those that must approve it. */
export function extraAccounts([tag, body]: Operation): Instance[] {
  const found = EXTRA.get(tag)?.(body as unknown as Record<string, unknown>) ?? [];
  return found.filter((account) => account !== undefined);
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i);

/** Quirk: of these the payer counts too, of all others only who is named besides. */
const PAYER_COUNTS: ReadonlySet<number> = new Set([
  ...[6, 20, 21, 29, 30, 38, 39, 42, 44],
  ...range(55, 57),
  ...range(59, 61),
  ...[63, 65, 67, 70],
  ...range(73, 76),
  ...range(78, 84),
]);

/** Whom subscribers hear of when something that holds these operations changes. */
export function impactedAccounts(operations: readonly Operation[]): Set<Instance> {
  const out = new Set<Instance>();
  for (const operation of operations) {
    const [tag, body] = operation;
    if (PAYER_COUNTS.has(tag)) out.add(definitionOf(tag).payer(body));
    for (const account of extraAccounts(operation)) out.add(account);
  }
  return out;
}

/** Number of the operation that creates an account. */
const ACCOUNT_CREATE = 5;

/** Anybody may propose something in the name of an account from here on, which nobody can ever have. */
const ACCOUNT_END = Number(INSTANCE_END);

/**
 * In whose history an applied operation stands, by ascending id: this order numbers the entries. Ids that no account can have
 * are left out: histories are kept by instances of 48 bits.
 */
export function historyAccounts(operation: Operation, result: OperationResult): Instance[] {
  const accounts = new Set(demandedOf([operation]));
  if (operation[0] === ACCOUNT_CREATE) {
    // Now the account has an id; whom it names besides does not count here.
    if (result[0] === 1) accounts.add(unpackObjectId(result[1]).instance);
  } else {
    for (const account of extraAccounts(operation)) accounts.add(account);
  }
  return [...accounts].filter((account) => account < ACCOUNT_END).sort(compareInstances);
}
