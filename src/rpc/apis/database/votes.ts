import type { Json } from '../../../codec/json.js';
import { VOTE_TYPE, voteInstance, voteType } from '../../../protocol/vote.js';
import { committeeMemberObject } from '../../../state/objects/committee-member.js';
import { witnessObject } from '../../../state/objects/witness.js';
import type { ReadState } from '../../../state/views.js';
import { objectOf } from '../../types.js';

const witness = objectOf(witnessObject);
const committeeMember = objectOf(committeeMemberObject);

/** The witness or committee member of every vote, null where there is none. Votes for workers have no entry. */
export function voteObjects(s: ReadState, votes: readonly number[]): Json[] {
  const out: Json[] = [];
  for (const vote of votes) {
    const instance = voteInstance(vote);
    if (voteType(vote) === VOTE_TYPE.witness) {
      const found = s.findBy(witnessObject.by.vote, instance);
      out.push(found === undefined ? null : witness.toJson(found));
    } else if (voteType(vote) === VOTE_TYPE.committee) {
      const found = s.findBy(committeeMemberObject.by.vote, instance);
      out.push(found === undefined ? null : committeeMember.toJson(found));
    }
  }
  return out;
}
