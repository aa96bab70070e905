import { struct } from '../../codec/struct.js';
import { asset } from '../../protocol/asset.js';
import { extensions } from '../../protocol/extensions.js';
import { accountId, forceSettlementId } from '../../protocol/ids.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { checkAmountPositive } from '../checks.js';
import { defineOperation } from '../define.js';
import { noFee } from '../fee-kinds.js';
import { neverEvaluated } from './retire.js';

const schema = struct('asset_settle_cancel', {
  fee: asset,
  settlement: forceSettlementId,
  account: accountId,
  amount: asset,
  extensions,
});

/** Only ever stood in histories. */
export const assetSettleCancel = defineOperation({
  tag: 42,
  name: 'asset_settle_cancel',
  noEvaluator: true,
  schema,
  fee: noFee(),
  payer: (op) => op.account,
  validate: (op) => checkAmountPositive(op.amount),
  evaluate: neverEvaluated,
  apply: () => VOID_RESULT,
});
