import { accountTransferOperation } from '../../protocol/operations/accounts.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { checkFee } from '../checks.js';
import { defineOperation } from '../define.js';
import { neverEvaluated } from './retire.js';

/** Was never given a rule: every transaction with it is refused. */
export const accountTransfer = defineOperation({
  ...accountTransferOperation,
  noEvaluator: true,
  payer: (op) => op.account_id,
  validate: checkFee,
  evaluate: neverEvaluated,
  apply: () => VOID_RESULT,
});
