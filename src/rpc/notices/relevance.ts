import { impactedAccounts } from '../../operations/impact.js';
import type { Instance } from '../../protocol/ids.js';
import { operationHistoryRecord } from '../../protocol/objects/chain.js';
import type { AnyObjectDeclaration } from '../../protocol/objects/declare.js';
import type { StateObject } from '../../state/define.js';
import { type AccountObject, accountObject } from '../../state/objects/account.js';
import { accountBalanceObject } from '../../state/objects/account-balance.js';
import { accountStatisticsObject } from '../../state/objects/account-statistics.js';
import { assetObject } from '../../state/objects/asset.js';
import { type BlindedBalanceObject, blindedBalanceObject } from '../../state/objects/blinded-balance.js';
import { callOrderObject } from '../../state/objects/call-order.js';
import { committeeMemberObject } from '../../state/objects/committee-member.js';
import { forceSettlementObject } from '../../state/objects/force-settlement.js';
import { limitOrderObject } from '../../state/objects/limit-order.js';
import { type ProposalObject, proposalObject } from '../../state/objects/proposal.js';
import { asRemembered, transactionObject } from '../../state/objects/transaction.js';
import { vestingBalanceObject } from '../../state/objects/vesting-balance.js';
import { withdrawPermissionObject } from '../../state/objects/withdraw-permission.js';
import { witnessObject } from '../../state/objects/witness.js';
import type { OperationHistory } from '../history-source.js';

/** Whom a change of an object concerns: those who subscribed to an account hear of these objects. */

type Relevant = (object: Readonly<StateObject>) => Iterable<Instance>;

const fields =
  (...names: string[]): Relevant =>
  (object) =>
    names.map((name) => (object as unknown as Record<string, Instance>)[name] as Instance);

const RELEVANT: ReadonlyMap<AnyObjectDeclaration, Relevant> = new Map<AnyObjectDeclaration, Relevant>([
  [accountObject, (account) => [(account as AccountObject).id]],
  [assetObject, fields('issuer')],
  [forceSettlementObject, fields('owner')],
  [committeeMemberObject, fields('committee_member_account')],
  [witnessObject, fields('witness_account')],
  [limitOrderObject, fields('seller')],
  [callOrderObject, fields('borrower')],
  [proposalObject, (proposal) => impactedAccounts((proposal as ProposalObject).proposed_transaction.operations)],
  [operationHistoryRecord, (history) => impactedAccounts([(history as unknown as OperationHistory).op])],
  [withdrawPermissionObject, fields('withdraw_from_account', 'authorized_account')],
  [vestingBalanceObject, fields('owner')],
  [accountBalanceObject, fields('owner')],
  [accountStatisticsObject, fields('owner')],
  [transactionObject, (transaction) => impactedAccounts(asRemembered(transaction).trx.operations)],
  [
    blindedBalanceObject,
    (balance) => (balance as BlindedBalanceObject).owner.account_auths.map(([account]) => account),
  ],
]);

export function relevantAccounts(definition: AnyObjectDeclaration, object: Readonly<StateObject>): Iterable<Instance> {
  return RELEVANT.get(definition)?.(object) ?? [];
}
