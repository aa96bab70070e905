import { check, defineErrors } from '../base/errors.js';
import type { Json, JsonObject } from '../codec/json.js';
import { isJsonObject } from '../codec/struct.js';
import type { AnyType } from '../codec/type.js';
import { parseObjectId } from '../protocol/ids.js';
import { type AnyIndex, type AnyObjectDef, idText, type StateObject } from '../state/define.js';
import { chainPropertyObject } from '../state/objects/chain-property.js';
import { dynamicGlobalPropertyObject } from '../state/objects/dynamic-global-property.js';
import { type GlobalPropertyObject, globalPropertyObject } from '../state/objects/global-property.js';
import { OBJECTS } from '../state/objects/index.js';
import type { WriteState } from '../state/views.js';

/**
 * Changes of single objects that no operation makes, for tests on a chain of one's own. Each belongs to a block: it is
 * made after everything else that the block does, is undone with the block, and is made again with it.
 */

export const DEBUG_UPDATE_ERRORS = defineErrors({
  debug_update_object: { text: 'an update is an object with the id of what it changes' },
  debug_update_action: { text: '_action ${action} is none of write, update, delete' },
  debug_update_type: { text: '${id}: there are no such objects' },
  debug_update_single: { text: '${id} exists once and is not deleted' },
  debug_update_fixed: { text: '${id}: objects are found by ${index}, which never changes' },
  debug_update_head: { text: '${id}: ${field} says which block the state belongs to and is not changed' },
  debug_update_interval: { text: '${id}: with a ${field} of 0 there is no next block' },
  debug_update_no_block: { text: 'a change of an object belongs to a block, and there is none yet' },
});

type Action = 'write' | 'update' | 'delete';
const ACTIONS: readonly Action[] = ['write', 'update', 'delete'];

export interface ObjectUpdate {
  readonly definition: AnyObjectDef;
  readonly instance: number;
  readonly action: Action;
  readonly fields: JsonObject;
}

/** `{id, _action?, …}`. Without an action: a mere id means delete, anything else write. */
export function readObjectUpdate(json: Json): ObjectUpdate {
  check(isJsonObject(json) && typeof json.id === 'string', DEBUG_UPDATE_ERRORS.debug_update_object);
  const { id, _action: given, ...fields } = json;
  const { space, type, instance } = parseObjectId(id as string);
  const definition = OBJECTS.find((one) => one.space === space && one.type === type);
  check(definition !== undefined, DEBUG_UPDATE_ERRORS.debug_update_type, { id });
  const implied = Object.keys(fields).length === 0 ? 'delete' : 'write';
  const action = given === undefined ? implied : ACTIONS.find((one) => one === given);
  check(action !== undefined, DEBUG_UPDATE_ERRORS.debug_update_action, { action: given });
  return { definition, instance, action, fields };
}

/** Refuses without a trace, in a frame that the caller has opened. */
export function applyObjectUpdate(state: WriteState, update: ObjectUpdate): void {
  const { definition, instance, action, fields } = update;
  const object = state.get(definition, instance) as Readonly<StateObject>;
  const id = idText(definition, instance);
  if (action === 'delete') {
    check(definition.keep !== 'single', DEBUG_UPDATE_ERRORS.debug_update_single, { id });
    state.remove(definition, object);
    return;
  }
  const base = (action === 'write' ? definition.schema.default() : object) as Record<string, unknown>;
  const next: Record<string, unknown> = { id: instance };
  for (const [name, type] of Object.entries(definition.schema.fields)) {
    const given = fields[name];
    next[name] = given === undefined ? base[name] : (type as AnyType).fromJson(given, state.network);
  }
  checkPlace(definition, object as unknown as Record<string, unknown>, next, id);
  if (definition === globalPropertyObject) checkIntervals(next as unknown as GlobalPropertyObject, id);
  for (const index of definition.indexes) {
    const isKept = !index.fixed || isSameKey(index, object, next as unknown as StateObject);
    check(isKept, DEBUG_UPDATE_ERRORS.debug_update_fixed, { id, index: index.name });
  }
  state.modify(definition, object, (o) => {
    Object.assign(o, next);
  });
}

function isSameKey(index: AnyIndex, a: StateObject, b: StateObject): boolean {
  const parts = index.kind === 'ordered' ? index.parts : [index.kind === 'several' ? index.keys : index.key];
  return parts.every((part) => part(a) === part(b));
}

/** What blocks and storage are joined by. A node with other values here could not go on, nor start again. */
const PLACES: readonly (readonly [AnyObjectDef, readonly string[]])[] = [
  [dynamicGlobalPropertyObject, ['head_block_number', 'head_block_id', 'last_irreversible_block_num']],
  [chainPropertyObject, ['chain_id']],
];

function checkPlace(
  definition: AnyObjectDef,
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
  id: string,
): void {
  const [, names] = PLACES.find(([one]) => one === definition) ?? [definition, []];
  for (const field of names) {
    check(before[field] === after[field], DEBUG_UPDATE_ERRORS.debug_update_head, { id, field });
  }
}

/** Slots and maintenance are counted by dividing by these. Those that wait for a maintenance come into force unasked. */
function checkIntervals({ parameters, pending_parameters }: GlobalPropertyObject, id: string): void {
  for (const one of [parameters, pending_parameters]) {
    for (const field of ['block_interval', 'maintenance_interval'] as const) {
      check(one?.[field] !== 0, DEBUG_UPDATE_ERRORS.debug_update_interval, { id, field });
    }
  }
}
