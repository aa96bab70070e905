import { ORIGINAL_CORE_ASSET } from '../../protocol/ids.js';
import { limitOrderCancelOperation } from '../../protocol/operations/assets.js';
import { checkFee } from '../checks.js';
import { defineOperation } from '../define.js';

/** Still accepted; pays its fee and changes nothing else. */
export const limitOrderCancel = defineOperation({
  ...limitOrderCancelOperation,
  payer: (op) => op.fee_paying_account,
  validate: checkFee,
  evaluate: () => undefined,
  apply: () => [2, { amount: 0n, asset_id: ORIGINAL_CORE_ASSET }],
});
