import { array, optional, set } from '../../codec/containers.js';
import { u32 } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import { chainParameters } from '../../protocol/chain-parameters.js';
import { committeeMemberId, witnessId } from '../../protocol/ids.js';
import { defineObject, type ObjectOf } from '../define.js';

export const globalPropertyObject = defineObject({
  name: 'global_property',
  space: 2,
  type: 0,
  keep: 'single',
  schema: struct('global_property_object', {
    parameters: chainParameters,
    pending_parameters: optional(chainParameters),
    next_available_vote_id: u32,
    /** By votes, most first. */
    active_committee_members: array(committeeMemberId),
    active_witnesses: set(witnessId),
  }),
});
export type GlobalPropertyObject = ObjectOf<typeof globalPropertyObject>;
