import { check, defineErrors } from '../../base/errors.js';
import { interContractCallOperation } from '../../protocol/operations/contracts.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { adjustBalance } from '../../state/rules/balances.js';
import { checkFee } from '../checks.js';
import { defineOperation } from '../define.js';

export const INTER_CONTRACT_CALL_ERRORS = defineErrors({
  call_outside_contract: { text: 'd.get_contract_transaction_ctx() != nullptr: contract_transaction_ctx invalid' },
});

/** A call that running code has queued; nobody else can make one. All that it uses counts for the outermost call. */
export const interContractCall = defineOperation({
  ...interContractCallOperation,
  payer: (op) => op.sender_contract,
  validate: checkFee,
  evaluate(_s, _op, context) {
    check(context.contractRun !== undefined, INTER_CONTRACT_CALL_ERRORS.call_outside_contract);
    return context.contractRun;
  },
  apply(s, op, session) {
    const { sender_contract: sender, contract_id: contract, amount } = op;
    if (amount !== undefined && amount.amount > 0n) {
      adjustBalance(s, sender, amount.asset_id, -amount.amount);
      adjustBalance(s, contract, amount.asset_id, amount.amount);
    }
    session.execute({
      contract,
      sender,
      method: op.method_name,
      data: op.data,
      amount: amount === undefined ? undefined : { amount: amount.amount, asset: amount.asset_id },
    });
    return VOID_RESULT;
  },
});
