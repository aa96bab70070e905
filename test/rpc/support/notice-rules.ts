import type { Json, JsonObject } from '../../../src/codec/json.js';
import type { Shown } from './notice-replay.js';

/** How our notices are compared with the recorded ones. */

/** Of the process that recorded; ours counts in the block. */
const VIRTUAL_COUNTER = /"virtual_op":\d+/;

/** Objects of a notice by id, as texts; undefined when it is a notice of something else. The order does not count. */
export function objectsOf(notice: string): Shown | undefined {
  const [, [argument]] = JSON.parse(notice).params as [Json, [Json]];
  if (!Array.isArray(argument)) return undefined;
  const shown: Shown = new Map();
  for (const item of argument) {
    const id = typeof item === 'string' ? item : String((item as JsonObject).id);
    shown.set(id, JSON.stringify(item).replace(VIRTUAL_COUNTER, ''));
  }
  return shown;
}

const callbackOf = (notice: string): string => JSON.stringify(JSON.parse(notice).params[0]);

function sameObjects(a: Shown, b: Shown): boolean {
  return a.size === b.size && [...a].every(([id, text]) => b.get(id) === text);
}

/** Whether ours is the recorded notice, objects of the history and counts of operations included. */
export function isSameNotice(recorded: string, ours: string | undefined): boolean {
  if (recorded === ours) return true;
  const wanted = objectsOf(recorded);
  if (wanted === undefined || ours === undefined || callbackOf(ours) !== callbackOf(recorded)) return false;
  const given = objectsOf(ours);
  return given !== undefined && sameObjects(wanted, given);
}
