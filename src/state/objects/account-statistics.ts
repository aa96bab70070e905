import { share, u32 } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import { accountId, accountTransactionHistoryId } from '../../protocol/ids.js';
import { defineObject, type ObjectOf } from '../define.js';

export const accountStatisticsObject = defineObject({
  name: 'account_statistics',
  space: 2,
  type: 6,
  schema: struct('account_statistics_object', {
    owner: accountId,
    /** This and the next two are written by the history plugin alone. */
    most_recent_op: accountTransactionHistoryId,
    total_ops: u32,
    removed_ops: u32,
    total_core_in_orders: share,
    lifetime_fees_paid: share,
    pending_fees: share,
    pending_vested_fees: share,
  }),
});
export type AccountStatisticsObject = ObjectOf<typeof accountStatisticsObject>;
