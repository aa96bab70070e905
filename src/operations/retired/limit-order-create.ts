import { bool, time } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import { asset } from '../../protocol/asset.js';
import { extensions } from '../../protocol/extensions.js';
import { accountId } from '../../protocol/ids.js';
import { checkFee } from '../checks.js';
import { defineOperation } from '../define.js';
import { flatFee } from '../fee-kinds.js';
import { endedBy } from './retire.js';

/** Cost its payer nothing and answered `0.0.0` until it ended. */
export const limitOrderCreate = defineOperation({
  tag: 1,
  name: 'limit_order_create',
  schema: struct('limit_order_create', {
    fee: asset,
    seller: accountId,
    amount_to_sell: asset,
    min_to_receive: asset,
    expiration: time,
    fill_or_kill: bool,
    extensions,
  }),
  fee: flatFee(1_000_000_000n),
  feePolicy: { payment: 'free' },
  payer: (op) => op.seller,
  validate: checkFee,
  evaluate: endedBy('HF_1004', 'limit_orders_ended'),
  apply: () => [1, 0n],
});
