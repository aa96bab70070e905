import type { FoundObject } from '../../../api/types.js';
import { VOTE_TYPE, voteInstance, voteType } from '../../../protocol/vote.js';
import { committeeMemberObject } from '../../../state/objects/committee-member.js';
import { witnessObject } from '../../../state/objects/witness.js';
import type { ReadState } from '../../../state/views.js';

/** The witness or committee member of every vote, undefined where there is none. Votes for workers have no entry. */
export function voteObjects(s: ReadState, votes: readonly number[]): (FoundObject | undefined)[] {
  const out: (FoundObject | undefined)[] = [];
  for (const vote of votes) {
    const instance = voteInstance(vote);
    if (voteType(vote) === VOTE_TYPE.witness) {
      const object = s.findBy(witnessObject.by.vote, instance);
      out.push(object === undefined ? undefined : { definition: witnessObject, object });
    } else if (voteType(vote) === VOTE_TYPE.committee) {
      const object = s.findBy(committeeMemberObject.by.vote, instance);
      out.push(object === undefined ? undefined : { definition: committeeMemberObject, object });
    }
  }
  return out;
}
