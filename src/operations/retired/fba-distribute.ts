import { fail } from '../../base/errors.js';
import { fbaDistributeOperation } from '../../protocol/operations/transfers.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { defineOperation } from '../define.js';
import { neverEvaluated, RETIRED_ERRORS } from './retire.js';

/** Issued by the chain itself at maintenance; stands in histories only. */
export const fbaDistribute = defineOperation({
  ...fbaDistributeOperation,
  noEvaluator: true,
  payer: (op) => op.account_id,
  validate: () => fail(RETIRED_ERRORS.fba_distribute_virtual),
  evaluate: neverEvaluated,
  apply: () => VOID_RESULT,
});
