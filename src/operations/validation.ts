import type { Operation } from '../protocol/operation-slot.js';
import { definitionOf } from './registered.js';

/** Everything that can be said about an operation without the state. */
export function validateOperation(operation: Operation): void {
  definitionOf(operation[0]).validate(operation[1]);
}
