import { check } from '../../base/errors.js';
import { transferOperation } from '../../protocol/operations/transfers.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { accountObject } from '../../state/objects/account.js';
import { assetObject } from '../../state/objects/asset.js';
import { isContract } from '../../state/rules/accounts.js';
import { adjustBalance } from '../../state/rules/balances.js';
import { checkAmountPositive, checkDifferent, checkFee } from '../checks.js';
import { defineOperation } from '../define.js';
import { checkMayTransfer, checkTransferBalance, explainTransfer, TRANSFER_ERRORS } from './transfer-checks.js';

export const transfer = defineOperation({
  ...transferOperation,
  payer: (op) => op.from,
  touches(op, ahead) {
    ahead.account(op.to);
    ahead.balance(op.to, op.amount.asset_id);
    if (op.amount.asset_id !== op.fee.asset_id) ahead.balance(op.from, op.amount.asset_id);
  },
  validate(op) {
    checkFee(op);
    checkDifferent(op.from, op.to);
    checkAmountPositive(op.amount);
  },
  evaluate(s, op) {
    const from = s.get(accountObject, op.from);
    const to = s.get(accountObject, op.to);
    const what = s.get(assetObject, op.amount.asset_id);
    explainTransfer(s, 'transfer', op.amount, from, to, () => {
      checkMayTransfer(s, from, to, what);
      if (!s.active('HF_1019')) {
        check(!isContract(to), TRANSFER_ERRORS.transfer_to_contract, () => ({ to: to.name }));
      }
      checkTransferBalance(s, from, to, op.amount);
    });
  },
  apply(s, op) {
    adjustBalance(s, op.from, op.amount.asset_id, -op.amount.amount);
    adjustBalance(s, op.to, op.amount.asset_id, op.amount.amount);
    return VOID_RESULT;
  },
});
