import { check, defineErrors } from '../../base/errors.js';
import { wrapU32 } from '../../base/int.js';
import { balanceUnlockOperation } from '../../protocol/operations/accounts.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { lockBalanceObject } from '../../state/objects/lock-balance.js';
import { adjustBalanceBy } from '../../state/rules/balances.js';
import { checkFee } from '../checks.js';
import { defineOperation } from '../define.js';

export const BALANCE_UNLOCK_ERRORS = defineErrors({
  unlock_unknown: { text: '_db.find_object(op.lock_id) != nullptr: lock_id not found, lock_id ${p}' },
  unlock_not_owner: { text: 'lock_balance_obj->owner == op.account: account not owner' },
  unlock_too_early: { text: 'lock_balance_obj->lock_days <= past_days: unlock timepoint has not arrived yet' },
});

const DAY_SEC = 86_400;

export const balanceUnlock = defineOperation({
  ...balanceUnlockOperation,
  payer: (op) => op.account,
  validate: checkFee,
  evaluate(s, op) {
    const lock = s.find(lockBalanceObject, op.lock_id);
    check(lock !== undefined, BALANCE_UNLOCK_ERRORS.unlock_unknown, () => ({ p: `1.25.${op.lock_id}` }));
    check(lock.owner === op.account, BALANCE_UNLOCK_ERRORS.unlock_not_owner);
    // Quirk: unsigned seconds. A creation time that lies ahead makes the age huge, and the lock opens at once.
    const days = Math.floor(wrapU32(s.headTime - lock.create_date_time) / DAY_SEC);
    check(lock.lock_days <= days, BALANCE_UNLOCK_ERRORS.unlock_too_early);
    return lock;
  },
  apply(s, op, lock) {
    adjustBalanceBy(s, op.account, lock.amount);
    s.remove(lockBalanceObject, lock);
    return VOID_RESULT;
  },
});
