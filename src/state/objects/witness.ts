import { witnessRecord } from '../../protocol/objects/governance.js';
import { voteInstance } from '../../protocol/vote.js';
import { defineObject, type ObjectOf, unique } from '../define.js';

export const witnessObject = defineObject(witnessRecord, {
  account: unique((witness) => witness.witness_account),
  vote: unique((witness) => voteInstance(witness.vote_id)),
});
export type WitnessObject = ObjectOf<typeof witnessObject>;
