import type { Json, JsonObject } from '../../src/codec/json.js';
import { OPERATIONS } from '../../src/operations/index.js';
import type { Operation } from '../../src/protocol/operation-slot.js';
import { NETWORK } from './network.js';
import { readVectors } from './vectors.js';

interface OperationVector {
  readonly id: number;
  readonly json: JsonObject;
}

/** By path; `a.b` reaches into nested objects and lists. */
export type Changes = Readonly<Record<string, Json>>;

const { operations } = readVectors<{ operations: OperationVector[] }>('protocol.json');

export function withChanges(json: JsonObject, changes: Changes): JsonObject {
  const copy = structuredClone(json);
  for (const [path, value] of Object.entries(changes)) {
    const steps = path.split('.');
    const last = steps.pop() as string;
    let at = copy;
    for (const step of steps) at = at[step] as JsonObject;
    at[last] = structuredClone(value);
  }
  return copy;
}

/** The operation of the vectors, which is valid, with members replaced. */
export function changedJson(tag: number, changes: Changes): JsonObject {
  const vector = operations.find(({ id }) => id === tag);
  if (vector === undefined) throw new Error(`operation ${tag} has no vector`);
  return withChanges(vector.json, changes);
}

export function build(tag: number, json: JsonObject): Operation {
  const definition = OPERATIONS[tag];
  if (definition === undefined) throw new Error(`operation ${tag} is missing`);
  return [tag, definition.schema.fromJson(json, NETWORK) as unknown as Operation[1]];
}

export function changed(tag: number, changes: Changes): Operation {
  return build(tag, changedJson(tag, changes));
}
