import { budgetRecordRecord } from '../../protocol/objects/governance.js';
import { defineObject } from '../define.js';

/** One per maintenance. */
export const budgetRecordObject = defineObject(budgetRecordRecord);
