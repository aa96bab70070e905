import { struct } from '../../codec/struct.js';
import { asset } from '../../protocol/asset.js';
import { extensions } from '../../protocol/extensions.js';
import { accountId } from '../../protocol/ids.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { checkFee } from '../checks.js';
import { defineOperation } from '../define.js';
import { flatFee } from '../fee-kinds.js';

/** Still accepted; pays its fee and changes nothing else. */
export const callOrderUpdate = defineOperation({
  tag: 3,
  name: 'call_order_update',
  schema: struct('call_order_update', {
    fee: asset,
    funding_account: accountId,
    delta_collateral: asset,
    delta_debt: asset,
    extensions,
  }),
  fee: flatFee(1_000_000_000n),
  payer: (op) => op.funding_account,
  validate: checkFee,
  evaluate: () => undefined,
  apply: () => VOID_RESULT,
});
