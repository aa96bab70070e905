import type { ValueOf } from '../../codec/type.js';
import { type budgetRecord, budgetRecordRecord } from '../../protocol/objects/governance.js';
import { defineObject, type ObjectOf } from '../define.js';

export type BudgetRecord = ValueOf<typeof budgetRecord>;

/** One per maintenance. */
export const budgetRecordObject = defineObject(budgetRecordRecord);
export type BudgetRecordObject = ObjectOf<typeof budgetRecordObject>;
