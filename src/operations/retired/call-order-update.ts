import { callOrderUpdateOperation } from '../../protocol/operations/assets.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { checkFee } from '../checks.js';
import { defineOperation } from '../define.js';

/** Still accepted; pays its fee and changes nothing else. */
export const callOrderUpdate = defineOperation({
  ...callOrderUpdateOperation,
  payer: (op) => op.funding_account,
  validate: checkFee,
  evaluate: () => undefined,
  apply: () => VOID_RESULT,
});
