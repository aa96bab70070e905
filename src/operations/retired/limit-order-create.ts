import { limitOrderCreateOperation } from '../../protocol/operations/assets.js';
import { checkFee } from '../checks.js';
import { defineOperation } from '../define.js';
import { endedBy } from './retire.js';

/** Cost its payer nothing and answered `0.0.0` until it ended. */
export const limitOrderCreate = defineOperation({
  ...limitOrderCreateOperation,
  feePolicy: { payment: 'free' },
  payer: (op) => op.seller,
  validate: checkFee,
  evaluate: endedBy('HF_1004', 'limit_orders_ended'),
  apply: () => [1, 0n],
});
