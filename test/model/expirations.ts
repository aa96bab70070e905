import { proposalObject } from '../../src/state/objects/proposal.js';
import { withdrawPermissionObject } from '../../src/state/objects/withdraw-permission.js';
import { tryProposal } from './governance-rules.js';
import type { Model } from './model.js';

/** What a block does at its end; how many proposals with a review period have been carried out. */
export function expire(m: Model): number {
  let reviewed = 0;
  for (;;) {
    const [first] = m
      .all(proposalObject)
      .filter(({ expiration_time }) => expiration_time <= m.time)
      .sort((a, b) => a.expiration_time - b.expiration_time || a.id - b.id);
    if (first === undefined) break;
    if (!tryProposal(m, first.id)) m.remove(proposalObject, first.id);
    else if (first.review_period_time !== undefined) reviewed++;
  }
  for (const { id, expiration } of m.all(withdrawPermissionObject)) {
    if (expiration <= m.time) m.remove(withdrawPermissionObject, id);
  }
  return reviewed;
}
