import { check } from '../../base/errors.js';
import type { JsonObject } from '../../codec/json.js';
import { time } from '../../codec/scalars.js';
import { proposalRecord } from '../../protocol/objects/governance.js';
import { LOOKUP_ERRORS } from '../errors.js';
import { AuthorityTree, type RequiredNode, requiredJson, requiredLines } from '../sending/authority-tree.js';
import type { Wallet } from '../wallet.js';
import { explainerOf } from './review.js';

/** What a proposal would do, and whose approval it has and lacks. */
export interface ReviewedProposal {
  readonly id: string;
  readonly expiration: string;
  /** From here on approvals can only be taken back. */
  readonly reviewFrom: string | undefined;
  readonly operations: readonly string[];
  readonly required: readonly RequiredNode[];
}

const IS_PROPOSAL = /^1\.10\.\d{1,15}$/;

export async function reviewProposal(wallet: Wallet, id: string): Promise<ReviewedProposal> {
  check(IS_PROPOSAL.test(id), LOOKUP_ERRORS.object_null, { id, type: 'null_type' });
  const json = await wallet.chain.objectOr(id, LOOKUP_ERRORS.object_null);
  const proposal = wallet.chain.read(proposalRecord.schema, 'get_objects', json);
  const { operations } = proposal.proposed_transaction;
  const explainer = explainerOf(wallet);
  const lines: string[] = [];
  for (const operation of operations) lines.push(...(await explainer.explain(operation)));
  const approvals = new Set([...proposal.available_active_approvals, ...proposal.available_owner_approvals]);
  const tree = new AuthorityTree(wallet.chain, { keys: proposal.available_key_approvals, approvals });
  const review = proposal.review_period_time;
  return {
    id,
    expiration: time.toJson(proposal.expiration_time) as string,
    reviewFrom: review === undefined ? undefined : (time.toJson(review) as string),
    operations: lines,
    required: await tree.of(operations, wallet.world.rules),
  };
}

const isApproved = ({ required }: ReviewedProposal): boolean => required.every(({ isSatisfied }) => isSatisfied);

export function proposalJson(review: ReviewedProposal): JsonObject {
  return {
    id: review.id,
    details: [...review.operations],
    expiration: review.expiration,
    ...(review.reviewFrom === undefined ? {} : { review_from: review.reviewFrom }),
    required: review.required.map(requiredJson),
    is_approved: isApproved(review),
  };
}

export function proposalText(review: ReviewedProposal): string {
  const lines = [...review.operations, ...review.required.flatMap(requiredLines)];
  lines.push(`proposal ${review.id}, expires at ${review.expiration}`);
  if (review.reviewFrom !== undefined) lines.push(`from ${review.reviewFrom} on approvals can only be taken back`);
  return `${lines.join('\n')}\n`;
}
