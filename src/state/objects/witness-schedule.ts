import { array } from '../../codec/containers.js';
import { struct } from '../../codec/struct.js';
import { witnessId } from '../../protocol/ids.js';
import { defineObject, type ObjectOf } from '../define.js';

export const witnessScheduleObject = defineObject({
  name: 'witness_schedule',
  space: 2,
  type: 12,
  keep: 'single',
  schema: struct('witness_schedule_object', { current_shuffled_witnesses: array(witnessId) }),
});
export type WitnessScheduleObject = ObjectOf<typeof witnessScheduleObject>;
