import { fail } from '../../base/errors.js';
import { struct } from '../../codec/struct.js';
import { asset } from '../../protocol/asset.js';
import { accountId, objectId } from '../../protocol/ids.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { defineOperation } from '../define.js';
import { noFee } from '../fee-kinds.js';
import { neverEvaluated, RETIRED_ERRORS } from './retire.js';

const schema = struct('fill_order', {
  fee: asset,
  order_id: objectId,
  account_id: accountId,
  pays: asset,
  receives: asset,
});

/** Only ever stood in histories. The fee comes first on the wire. */
export const fillOrder = defineOperation({
  tag: 4,
  name: 'fill_order',
  noEvaluator: true,
  schema,
  fee: noFee(),
  payer: (op) => op.account_id,
  validate: () => fail(RETIRED_ERRORS.fill_order_virtual),
  evaluate: neverEvaluated,
  apply: () => VOID_RESULT,
});
