import { type Instance, packObjectId } from '../protocol/ids.js';
import type { OperationResult } from '../protocol/results.js';
import type { ObjectDef, StateObject } from '../state/define.js';

/** The id of an object that an operation created, as its result. */
export function idResult<T extends StateObject>(definition: ObjectDef<T>, instance: Instance): OperationResult {
  return [1, packObjectId(definition.space, definition.type, instance)];
}

/** `0.0.0`: what operations answer that once created something and no longer do. */
export const NULL_ID_RESULT: OperationResult = [1, 0n];
