import { fail } from '../../base/errors.js';
import { fillOrderOperation } from '../../protocol/operations/assets.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { defineOperation } from '../define.js';
import { neverEvaluated, RETIRED_ERRORS } from './retire.js';

/** Only ever stood in histories. The fee comes first on the wire. */
export const fillOrder = defineOperation({
  ...fillOrderOperation,
  noEvaluator: true,
  payer: (op) => op.account_id,
  validate: () => fail(RETIRED_ERRORS.fill_order_virtual),
  evaluate: neverEvaluated,
  apply: () => VOID_RESULT,
});
