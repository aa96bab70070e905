import { committeeMemberRecord } from '../../protocol/objects/governance.js';
import { voteInstance } from '../../protocol/vote.js';
import { defineObject, type ObjectOf, unique } from '../define.js';

export const committeeMemberObject = defineObject(committeeMemberRecord, {
  account: unique((member) => member.committee_member_account),
  vote: unique((member) => voteInstance(member.vote_id)),
});
export type CommitteeMemberObject = ObjectOf<typeof committeeMemberObject>;
