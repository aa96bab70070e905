import { inlineTransferOperation } from '../../protocol/operations/transfers.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { accountObject } from '../../state/objects/account.js';
import { assetObject } from '../../state/objects/asset.js';
import { adjustBalance } from '../../state/rules/balances.js';
import { checkAmountPositive, checkDifferent, checkFee } from '../checks.js';
import { defineOperation } from '../define.js';
import { checkTransferBalance, explainTransfer } from './transfer-checks.js';

/** Issued by contracts. Anybody may put it into a transaction too; no list and no restriction of the asset is looked at. */
export const inlineTransfer = defineOperation({
  ...inlineTransferOperation,
  payer: (op) => op.from,
  validate(op) {
    checkFee(op);
    checkDifferent(op.from, op.to);
    checkAmountPositive(op.amount);
  },
  evaluate(s, op) {
    const from = s.get(accountObject, op.from);
    const to = s.get(accountObject, op.to);
    s.get(assetObject, op.amount.asset_id);
    explainTransfer(s, 'transfer', op.amount, from, to, () => checkTransferBalance(s, from, to, op.amount));
  },
  apply(s, op) {
    adjustBalance(s, op.from, op.amount.asset_id, -op.amount.amount);
    adjustBalance(s, op.to, op.amount.asset_id, op.amount.amount);
    return VOID_RESULT;
  },
});
