import type { AnyType } from '../codec/type.js';
import type { Instance } from '../protocol/ids.js';
import { COMMITTEE_ACCOUNT } from '../protocol/ids.js';
import { type Operation, operation as operationType } from '../protocol/operation-slot.js';
import type { AnyObjectDef, StateObject } from '../state/define.js';
import { type AccountObject, accountObject } from '../state/objects/account.js';
import { accountBalanceObject } from '../state/objects/account-balance.js';
import { accountStatisticsObject } from '../state/objects/account-statistics.js';
import { assetObject } from '../state/objects/asset.js';
import { type BlindedBalanceObject, blindedBalanceObject } from '../state/objects/blinded-balance.js';
import { callOrderObject } from '../state/objects/call-order.js';
import { committeeMemberObject } from '../state/objects/committee-member.js';
import { forceSettlementObject } from '../state/objects/force-settlement.js';
import { limitOrderObject } from '../state/objects/limit-order.js';
import { type ProposalObject, proposalObject } from '../state/objects/proposal.js';
import { type TransactionObject, transactionObject } from '../state/objects/transaction.js';
import { vestingBalanceObject } from '../state/objects/vesting-balance.js';
import { withdrawPermissionObject } from '../state/objects/withdraw-permission.js';
import { witnessObject } from '../state/objects/witness.js';

/** Whom a change of an object concerns: those who subscribed to an account hear of these objects. */

type Relevant = (object: Readonly<StateObject>) => readonly Instance[];

const fields =
  (...names: string[]): Relevant =>
  (object) =>
    names.map((name) => (object as unknown as Record<string, Instance>)[name] as Instance);

const RELEVANT: ReadonlyMap<AnyObjectDef, Relevant> = new Map<AnyObjectDef, Relevant>([
  [accountObject, (account) => [(account as AccountObject).id]],
  [assetObject, fields('issuer')],
  [forceSettlementObject, fields('owner')],
  [committeeMemberObject, fields('committee_member_account')],
  [witnessObject, fields('witness_account')],
  [limitOrderObject, fields('seller')],
  [callOrderObject, fields('borrower')],
  [proposalObject, (proposal) => accountsOfOperations((proposal as ProposalObject).proposed_transaction.operations)],
  [withdrawPermissionObject, fields('withdraw_from_account', 'authorized_account')],
  [vestingBalanceObject, fields('owner')],
  [accountBalanceObject, fields('owner')],
  [accountStatisticsObject, fields('owner')],
  [transactionObject, (transaction) => accountsOfOperations((transaction as TransactionObject).trx.operations)],
  [
    blindedBalanceObject,
    (balance) => (balance as BlindedBalanceObject).owner.account_auths.map(([account]) => account),
  ],
]);

export function relevantAccounts(definition: AnyObjectDef, object: Readonly<StateObject>): readonly Instance[] {
  return RELEVANT.get(definition)?.(object) ?? [];
}

/** Every account that an operation names anywhere, proposed operations included. */
export function accountsOfOperations(operations: readonly Operation[]): Instance[] {
  const out = new Set<Instance>();
  for (const operation of operations) collect(operationType, operation, out);
  // The committee's account stands for "nobody" in empty fields.
  out.delete(COMMITTEE_ACCOUNT);
  return [...out];
}

/** Types that hold no account anywhere need no walk through their values. */
const holdsAccounts = new Map<AnyType, boolean>();

function mayHold(type: AnyType): boolean {
  const known = holdsAccounts.get(type);
  if (known !== undefined) return known;
  // A type that contains itself answers for its other parts.
  holdsAccounts.set(type, false);
  const result = type.name === 'account_id' || partsOf(type).some(mayHold);
  holdsAccounts.set(type, result);
  return result;
}

function partsOf(type: AnyType): readonly AnyType[] {
  const { shape } = type;
  switch (shape.kind) {
    case 'struct':
    case 'extension':
      return shape.fields.map(([, field]) => field);
    case 'array':
    case 'set':
    case 'optional':
      return [shape.of];
    case 'map':
    case 'pair':
      return [shape.key, shape.of];
    case 'variant':
      return shape.of;
    default:
      return [];
  }
}

function collect(type: AnyType, value: unknown, out: Set<Instance>): void {
  if (value === undefined) return;
  if (type.name === 'account_id') {
    out.add(value as Instance);
    return;
  }
  const { shape } = type;
  switch (shape.kind) {
    case 'struct':
    case 'extension':
      for (const [name, field] of shape.fields) {
        if (mayHold(field)) collect(field, (value as Record<string, unknown>)[name], out);
      }
      return;
    case 'array':
    case 'set':
      if (mayHold(shape.of)) for (const item of value as unknown[]) collect(shape.of, item, out);
      return;
    case 'optional':
      if (mayHold(shape.of)) collect(shape.of, value, out);
      return;
    case 'map':
      for (const entry of value as [unknown, unknown][]) {
        collect(shape.key, entry[0], out);
        collect(shape.of, entry[1], out);
      }
      return;
    case 'pair':
      collect(shape.key, (value as [unknown, unknown])[0], out);
      collect(shape.of, (value as [unknown, unknown])[1], out);
      return;
    case 'variant': {
      const [tag, body] = value as [number, unknown];
      const alternative = shape.of[tag];
      if (alternative !== undefined) collect(alternative, body, out);
      return;
    }
    default:
  }
}
