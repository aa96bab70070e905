import type { OperationContext } from '../operations/define.js';
import { executeProposal, isProposalAuthorized } from '../operations/proposal/run.js';
import type { OrderedIndex, StateObject } from '../state/define.js';
import { dataTransactionObject } from '../state/objects/data-market.js';
import { proposalObject } from '../state/objects/proposal.js';
import { signatureObject } from '../state/objects/signature.js';
import { asRemembered, transactionObject } from '../state/objects/transaction.js';
import { withdrawPermissionObject } from '../state/objects/withdraw-permission.js';
import type { WriteState } from '../state/views.js';

/** Removes objects from the front of an index as long as they have expired. */
function removeWhile<T extends StateObject>(
  s: WriteState,
  index: OrderedIndex<T>,
  isExpired: (object: Readonly<T>) => boolean,
): void {
  for (;;) {
    const first = s.lowerBound(index, []);
    if (first === undefined || !isExpired(first)) return;
    s.remove(index.object, first);
  }
}

export function removeExpiredTransactions(s: WriteState): void {
  const now = s.headTime;
  removeWhile(s, transactionObject.by.expiration, (o) => asRemembered(o).expiration < now);
}

export function removeExpiredSignatures(s: WriteState): void {
  const now = s.headTime;
  removeWhile(s, signatureObject.by.expiration, (o) => o.expiration < now);
}

/** Unlike the others, gone in the very second of their expiration. */
export function removeExpiredPermissions(s: WriteState): void {
  const now = s.headTime;
  removeWhile(s, withdrawPermissionObject.by.expiration, (o) => o.expiration <= now);
}

/** The last try for every proposal: it is executed if it has what it needs, and removed in any case. */
export function closeExpiredProposals(s: WriteState, context: OperationContext): void {
  const now = s.headTime;
  for (;;) {
    const proposal = s.lowerBound(proposalObject.by.expiration, []);
    if (proposal === undefined || proposal.expiration_time > now) return;
    if (isProposalAuthorized(s, proposal) && executeProposal(s, proposal, context)) continue;
    s.remove(proposalObject, proposal);
  }
}

const HOUR_SEC = 3600;

/**
 * In the reference a plugin that is on by default does this and thereby changes consensus, so it is a setting of the
 * network. 0 keeps data transactions for ever.
 */
export function removeOldDataTransactions(s: WriteState, lifetimeHours: number): void {
  if (lifetimeHours === 0) return;
  const oldest = s.headTime - lifetimeHours * HOUR_SEC;
  const first = s.lowerBound(dataTransactionObject.by.date, []);
  if (first === undefined || first.create_date_time >= oldest) return;
  const old = [];
  for (const request of s.walk(dataTransactionObject.by.date)) {
    if (request.create_date_time >= oldest) break;
    old.push(request);
  }
  // Listeners are told of what goes in the order of ids.
  old.sort((a, b) => a.id - b.id);
  for (const request of old) s.remove(dataTransactionObject, request);
}
