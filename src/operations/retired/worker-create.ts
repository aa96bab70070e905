import { check, defineErrors } from '../../base/errors.js';
import { wrapU32 } from '../../base/int.js';
import { workerCreateOperation, type workerInitializer } from '../../protocol/operations/governance.js';
import { VOTE_TYPE } from '../../protocol/vote.js';
import { accountObject } from '../../state/objects/account.js';
import { type WorkerObject, workerObject } from '../../state/objects/worker.js';
import { isLifetimeMember } from '../../state/rules/accounts.js';
import { createCoinDayBalance } from '../../state/rules/vesting.js';
import type { WriteState } from '../../state/views.js';
import { createdResult } from '../created.js';
import { defineOperation } from '../define.js';
import { takeVoteId } from '../vote-ids.js';
import { endedBy } from './retire.js';

export const WORKER_ERRORS = defineErrors({
  worker_not_lifetime: {
    text: 'd.get(o.owner).is_lifetime_member(): ',
    hint: 'only lifetime members may create a worker',
  },
  worker_begin_passed: {
    text: 'o.work_begin_date >= d.head_block_time(): ',
    hint: 'the work must not begin before the time of the head block',
  },
});

const DAY_SEC = 86_400;

const checkEnded = endedBy('HF_1008', 'workers_ended');

/** Ended with the second core asset; until then workers came into being, though none was ever paid. */
export const workerCreate = defineOperation({
  ...workerCreateOperation,
  payer: (op) => op.owner,
  validate: () => undefined,
  evaluate(s, op) {
    checkEnded(s);
    check(isLifetimeMember(s.get(accountObject, op.owner)), WORKER_ERRORS.worker_not_lifetime);
    check(op.work_begin_date >= s.headTime, WORKER_ERRORS.worker_begin_passed);
  },
  apply(s, op) {
    const vote_for = takeVoteId(s, VOTE_TYPE.worker);
    const vote_against = takeVoteId(s, VOTE_TYPE.worker);
    const created = s.create(workerObject, {
      worker_account: op.owner,
      work_begin_date: op.work_begin_date,
      work_end_date: op.work_end_date,
      daily_pay: op.daily_pay,
      worker: workerKind(s, op.owner, op.initializer),
      vote_for,
      vote_against,
      total_votes_for: 0n,
      total_votes_against: 0n,
      name: op.name,
      url: op.url,
    });
    return createdResult(workerObject, created.id);
  },
});

type Initializer = ReturnType<typeof workerInitializer.default>;

function workerKind(s: WriteState, owner: number, initializer: Initializer): WorkerObject['worker'] {
  if (initializer[0] === 0) return [0, { total_burned: 0n }];
  if (initializer[0] === 2) return [2, { total_burned: 0n }];
  const seconds = wrapU32(initializer[1].pay_vesting_period_days * DAY_SEC);
  return [1, { balance: createCoinDayBalance(s, { amount: 0n, seconds, owner, mustVest: true }) }];
}
