import type { Operation } from '../protocol/operation-slot.js';
import { definitionOf } from './registered.js';

/** What an operation makes a node do that costs more than its bytes let expect: see the fields of a definition. */
export type Burden = 'commitments' | 'heldSignatures' | 'leagueMembers';

/** Of these operations, and of those that they hold. */
export function countBurden(burden: Burden, operations: readonly Operation[]): number {
  let count = 0;
  for (const [tag, body] of operations) count += definitionOf(tag)[burden]?.(body) ?? 0;
  return count;
}
