import { check, defineErrors } from '../../base/errors.js';
import { wrapU16 } from '../../base/int.js';
import { CORE_ASSET } from '../../protocol/ids.js';
import { balanceLockOperation } from '../../protocol/operations/accounts.js';
import { lockBalanceObject } from '../../state/objects/lock-balance.js';
import { adjustBalance, balanceOf } from '../../state/rules/balances.js';
import { lockPrograms } from '../../state/rules/parameters.js';
import { checkFee, textLength } from '../checks.js';
import { createdResult } from '../created.js';
import { defineOperation } from '../define.js';

export const BALANCE_LOCK_ERRORS = defineErrors({
  lock_asset: { text: 'amount.asset_id == GRAPHENE_GXS_ASSET: ', hint: 'only asset 1.3.1 can be locked' },
  lock_balance: { text: 'op.amount <= _db.get_balance(op.account, GRAPHENE_GXS_ASSET): account balance not enough' },
  lock_amount: { text: 'op.amount.amount >= GRAPHENE_BLOCKCHAIN_PRECISION: lock amount must > 1' },
  lock_memo: { text: 'op.memo.size() <= GRAPHENE_MAX_ACCOUNT_NAME_LENGTH: memo too long' },
  lock_programs_missing: { text: '!params.empty(): no lock balance params' },
  lock_program_unknown: { text: 'iter_param != params.end(): program_id invalid' },
  lock_program_offline: { text: 'iter_param->second.is_valid: program_id offline' },
  lock_rate: { text: 'iter_param->second.interest_rate == op.interest_rate: input interest_rate invalid' },
  lock_days: { text: 'lock_days == op.lock_days: input lock days invalid' },
  lock_time: { text: 'std::fabs(delta_seconds) <= LOCKED_BALANCE_EXPIRED_TIME: create_date_time invalid' },
});

/** One whole coin. */
const LOCK_AMOUNT_MIN = 100_000n;
const LOCK_MEMO_BYTES_MAX = 63;
/** How far the stated creation time may be from now. */
const LOCK_DRIFT_MAX_SEC = 30;

/** Locks coins for the days of one of the programs that the chain parameters list. The chain pays no interest. */
export const balanceLock = defineOperation({
  ...balanceLockOperation,
  payer: (op) => op.account,
  validate(op) {
    checkFee(op);
    check(op.amount.asset_id === CORE_ASSET, BALANCE_LOCK_ERRORS.lock_asset);
  },
  evaluate(s, op) {
    const { amount } = op.amount;
    check(amount <= balanceOf(s, op.account, CORE_ASSET), BALANCE_LOCK_ERRORS.lock_balance);
    check(amount >= LOCK_AMOUNT_MIN, BALANCE_LOCK_ERRORS.lock_amount);
    check(textLength(op.memo) <= LOCK_MEMO_BYTES_MAX, BALANCE_LOCK_ERRORS.lock_memo);
    const programs = lockPrograms(s);
    check(programs !== undefined && programs.length > 0, BALANCE_LOCK_ERRORS.lock_programs_missing);
    const program = programs.find(([id]) => id === op.program_id)?.[1];
    check(program !== undefined, BALANCE_LOCK_ERRORS.lock_program_unknown);
    check(program.is_valid, BALANCE_LOCK_ERRORS.lock_program_offline);
    check(program.interest_rate === op.interest_rate, BALANCE_LOCK_ERRORS.lock_rate);
    check(program.lock_days === op.lock_days, BALANCE_LOCK_ERRORS.lock_days);
    const drift = (op.create_date_time - s.headTime) | 0;
    check(Math.abs(drift) <= LOCK_DRIFT_MAX_SEC, BALANCE_LOCK_ERRORS.lock_time);
  },
  apply(s, op) {
    const { account: owner, create_date_time, lock_days, program_id, amount, memo } = op;
    const created = s.create(lockBalanceObject, {
      owner,
      create_date_time,
      lock_days,
      program_id,
      amount,
      // The object's field is narrower than the operation's.
      interest_rate: wrapU16(op.interest_rate),
      memo,
    });
    adjustBalance(s, owner, amount.asset_id, -amount.amount);
    return createdResult(lockBalanceObject, created.id);
  },
});
