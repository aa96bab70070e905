import { fail } from '../../base/errors.js';
import { share } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import { asset } from '../../protocol/asset.js';
import { accountId, fbaAccumulatorId } from '../../protocol/ids.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { defineOperation } from '../define.js';
import { noFee } from '../fee-kinds.js';
import { neverEvaluated, RETIRED_ERRORS } from './retire.js';

const schema = struct('fba_distribute', { fee: asset, account_id: accountId, fba_id: fbaAccumulatorId, amount: share });

/** Issued by the chain itself at maintenance; stands in histories only. */
export const fbaDistribute = defineOperation({
  tag: 44,
  name: 'fba_distribute',
  noEvaluator: true,
  schema,
  fee: noFee(),
  payer: (op) => op.account_id,
  validate: () => fail(RETIRED_ERRORS.fba_distribute_virtual),
  evaluate: neverEvaluated,
  apply: () => VOID_RESULT,
});
