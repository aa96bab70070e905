import { witnessScheduleRecord } from '../../protocol/objects/governance.js';
import { defineObject, type ObjectOf } from '../define.js';

export const witnessScheduleObject = defineObject({ ...witnessScheduleRecord, keep: 'single' });
export type WitnessScheduleObject = ObjectOf<typeof witnessScheduleObject>;
