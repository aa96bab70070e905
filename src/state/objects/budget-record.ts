import { share, time, u64 } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import type { ValueOf } from '../../codec/type.js';
import { defineObject, type ObjectOf } from '../define.js';

export const budgetRecord = struct('budget_record', {
  time_since_last_budget: u64,
  from_initial_reserve: share,
  from_accumulated_fees: share,
  from_unused_witness_budget: share,
  requested_witness_budget: share,
  total_budget: share,
  witness_budget: share,
  supply_delta: share,
});
export type BudgetRecord = ValueOf<typeof budgetRecord>;

/** One per maintenance. */
export const budgetRecordObject = defineObject({
  name: 'budget_record',
  space: 2,
  type: 13,
  schema: struct('budget_record_object', { time, record: budgetRecord }),
});
export type BudgetRecordObject = ObjectOf<typeof budgetRecordObject>;
