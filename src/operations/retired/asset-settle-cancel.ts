import { check, defineErrors } from '../../base/errors.js';
import { struct } from '../../codec/struct.js';
import { asset } from '../../protocol/asset.js';
import { extensions } from '../../protocol/extensions.js';
import { accountId, forceSettlementId } from '../../protocol/ids.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { defineOperation } from '../define.js';
import { noFee } from '../fee-kinds.js';
import { neverEvaluated } from './retire.js';

export const ASSET_SETTLE_CANCEL_ERRORS = defineErrors({
  settlement_cancel_not_positive: { text: 'amount.amount > 0: Must settle at least 1 unit' },
});

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
  validate: (op) => check(op.amount.amount > 0n, ASSET_SETTLE_CANCEL_ERRORS.settlement_cancel_not_positive),
  evaluate: neverEvaluated,
  apply: () => VOID_RESULT,
});
