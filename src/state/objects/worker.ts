import { variant } from '../../codec/containers.js';
import { share, text, time, u64 } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import { accountId, vestingBalanceId } from '../../protocol/ids.js';
import { voteId } from '../../protocol/vote.js';
import { defineObject, group, type ObjectOf } from '../define.js';

export const workerObject = defineObject(
  {
    name: 'worker',
    space: 1,
    type: 14,
    schema: struct('worker_object', {
      worker_account: accountId,
      work_begin_date: time,
      work_end_date: time,
      daily_pay: share,
      worker: variant('worker_type', [
        struct('refund_worker_type', { total_burned: share }),
        struct('vesting_balance_worker_type', { balance: vestingBalanceId }),
        struct('burn_worker_type', { total_burned: share }),
      ]),
      vote_for: voteId,
      vote_against: voteId,
      total_votes_for: u64,
      total_votes_against: u64,
      name: text,
      url: text,
    }),
  },
  { account: group((worker) => worker.worker_account) },
);
export type WorkerObject = ObjectOf<typeof workerObject>;
