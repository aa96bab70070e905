import type { Operation } from '../protocol/operation-slot.js';
import { definitionOf } from './registered.js';

/** Commitments that the checks of these operations read before anybody's signature is looked at. */
export function countCommitments(operations: readonly Operation[]): number {
  let count = 0;
  for (const [tag, body] of operations) count += definitionOf(tag).commitments?.(body) ?? 0;
  return count;
}
