import { check, defineErrors } from '../base/errors.js';
import { makeVoteId } from '../protocol/vote.js';
import { globalPropertyObject } from '../state/objects/global-property.js';
import type { WriteState } from '../state/views.js';

export const VOTE_ID_ERRORS = defineErrors({
  vote_ids_used_up: { text: 'all ${count} vote ids are taken: there can be no more candidates' },
});

const INSTANCE_END = 2 ** 24;

/** The next vote id. One counter serves all types, since votes are told apart by instance alone. */
export function takeVoteId(s: WriteState, type: number): number {
  const properties = s.single(globalPropertyObject);
  const instance = properties.next_available_vote_id;
  check(instance < INSTANCE_END, VOTE_ID_ERRORS.vote_ids_used_up, { count: INSTANCE_END });
  s.modify(globalPropertyObject, properties, (o) => {
    o.next_available_vote_id = instance + 1;
  });
  return makeVoteId(type, instance);
}
