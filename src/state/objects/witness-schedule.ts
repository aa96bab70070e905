import { witnessScheduleRecord } from '../../protocol/objects/governance.js';
import { defineObject } from '../define.js';

export const witnessScheduleObject = defineObject({ ...witnessScheduleRecord, keep: 'single' });
