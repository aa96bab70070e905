import { check, defineErrors } from '../../base/errors.js';
import { optional } from '../../codec/containers.js';
import { bytes } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import { asset } from '../../protocol/asset.js';
import { extensions } from '../../protocol/extensions.js';
import { accountId } from '../../protocol/ids.js';
import { contractName } from '../../protocol/name.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { adjustBalance } from '../../state/rules/balances.js';
import { checkFee } from '../checks.js';
import { defineOperation } from '../define.js';
import { flatFee } from '../fee-kinds.js';

export const INTER_CONTRACT_CALL_ERRORS = defineErrors({
  call_outside_contract: { text: 'd.get_contract_transaction_ctx() != nullptr: contract_transaction_ctx invalid' },
});

/** A call that running code has queued; nobody else can make one. All that it uses counts for the outermost call. */
export const interContractCall = defineOperation({
  tag: 79,
  name: 'inter_contract_call',
  schema: struct('inter_contract_call', {
    fee: asset,
    sender_contract: accountId,
    contract_id: accountId,
    amount: optional(asset),
    method_name: contractName,
    data: bytes,
    extensions: extensions,
  }),
  fee: flatFee(0n),
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
