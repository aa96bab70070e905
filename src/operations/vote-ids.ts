import { invariant } from '../base/errors.js';
import { makeVoteId } from '../protocol/vote.js';
import { globalPropertyObject } from '../state/objects/global-property.js';
import type { WriteState } from '../state/views.js';

const INSTANCE_END = 2 ** 24;

/** The next vote id. One counter serves all types, since votes are told apart by instance alone. */
export function takeVoteId(s: WriteState, type: number): number {
  const properties = s.single(globalPropertyObject);
  const instance = properties.next_available_vote_id;
  invariant(instance < INSTANCE_END, 'a vote id has room for 24 bits of instance');
  s.modify(globalPropertyObject, properties, (o) => {
    o.next_available_vote_id = instance + 1;
  });
  return makeVoteId(type, instance);
}
