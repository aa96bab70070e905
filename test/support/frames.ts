import { isDeepStrictEqual } from 'node:util';
import { fill } from '../../src/base/errors.js';
import type { JsonObject } from '../../src/codec/json.js';

/** Refusals whose frames do not hold all that the reference's hold, by their key. */
export const OWN_FRAMES: Readonly<Record<string, string>> = {
  contract_own_time_exceeded: 'three moments of a clock',
  transaction_empty: 'the transaction once more',
  block_merkle_root: 'the block once more',
  rpc_method_unknown: 'the methods that there are, of which we have more',
};

/** With a text; the others are the reference's call stack. */
const withText = (stack: readonly JsonObject[]): readonly JsonObject[] => stack.filter(({ format }) => format !== '');

/** Are the texts the same, and all that the reference says of them? Ours may tell more. */
export function holdsFrames(ours: readonly JsonObject[], recorded: readonly JsonObject[]): boolean {
  const given = withText(ours);
  const wanted = withText(recorded);
  return given.length === wanted.length && wanted.every((frame, i) => holds(given[i] as JsonObject, frame));
}

function holds(ours: JsonObject, wanted: JsonObject): boolean {
  const [own, said] = [ours.data as JsonObject, wanted.data as JsonObject];
  const isSameText = fill(ours.format as string, own) === fill(wanted.format as string, said);
  return isSameText && Object.entries(said).every(([name, value]) => isDeepStrictEqual(own[name], value));
}
