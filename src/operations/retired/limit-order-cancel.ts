import { struct } from '../../codec/struct.js';
import { asset } from '../../protocol/asset.js';
import { extensions } from '../../protocol/extensions.js';
import { accountId, limitOrderId, ORIGINAL_CORE_ASSET } from '../../protocol/ids.js';
import { checkFee } from '../checks.js';
import { defineOperation } from '../define.js';
import { flatFee } from '../fee-kinds.js';

/** Still accepted; pays its fee and changes nothing else. */
export const limitOrderCancel = defineOperation({
  tag: 2,
  name: 'limit_order_cancel',
  schema: struct('limit_order_cancel', { fee: asset, fee_paying_account: accountId, order: limitOrderId, extensions }),
  fee: flatFee(0n),
  payer: (op) => op.fee_paying_account,
  validate: checkFee,
  evaluate: () => undefined,
  apply: () => [2, { amount: 0n, asset_id: ORIGINAL_CORE_ASSET }],
});
