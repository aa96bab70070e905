import { type Instance, packObjectId } from '../protocol/ids.js';
import type { OperationResult } from '../protocol/results.js';
import type { AnyObjectDef } from '../state/define.js';

/** Result of operations that create an object: its full id. */
export function createdResult(definition: AnyObjectDef, instance: Instance): OperationResult {
  return [1, packObjectId(definition.space, definition.type, instance)];
}
