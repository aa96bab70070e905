import { withDefault } from '../../codec/containers.js';
import { bool, text, u64 } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import { accountId } from '../../protocol/ids.js';
import { voteId, voteInstance } from '../../protocol/vote.js';
import { defineObject, type ObjectOf, unique } from '../define.js';

export const committeeMemberObject = defineObject(
  {
    name: 'committee_member',
    space: 1,
    type: 5,
    schema: struct('committee_member_object', {
      committee_member_account: accountId,
      vote_id: voteId,
      total_votes: u64,
      url: text,
      is_valid: withDefault(bool, () => true),
    }),
  },
  {
    account: unique((member) => member.committee_member_account),
    vote: unique((member) => voteInstance(member.vote_id)),
  },
);
export type CommitteeMemberObject = ObjectOf<typeof committeeMemberObject>;
