import { check, defineErrors, invariant } from '../../base/errors.js';
import type { Asset } from '../../protocol/asset.js';
import { findAction } from '../../protocol/find-action.js';
import type { Instance } from '../../protocol/ids.js';
import { nameToText } from '../../protocol/name.js';
import { contractCallOperation } from '../../protocol/operations/contracts.js';
import { accountObject } from '../../state/objects/account.js';
import { assetObject } from '../../state/objects/asset.js';
import { isContract } from '../../state/rules/accounts.js';
import { adjustBalance, adjustBalanceBy, balanceOf } from '../../state/rules/balances.js';
import { interContractParameters, vmCpuLimits } from '../../state/rules/parameters.js';
import { prettyAmount } from '../../state/rules/pretty.js';
import type { ReadState, WriteState } from '../../state/views.js';
import { checkFee } from '../checks.js';
import { defineOperation, type OperationContext } from '../define.js';
import { chargeCall, chargeOldCall, ramAccount } from './call-fee.js';
import { ContractRestart, type ContractSession, type Restarted, type SessionLimits } from './engine.js';
import { contractHost } from './host.js';

export const CONTRACT_CALL_ERRORS = defineErrors({
  call_no_code: { text: 'contract_obj.code.size() > 0: contract has no code, contract_id ${contract_id}' },
  call_method_unknown: { text: 'iter != actions.end(): method_name ${m} not found in abi' },
  call_method_not_payable: { text: 'iter->payable: method_name ${m} not payable' },
  call_amount: { text: 'op.amount->amount > 0: amount must > 0' },
  call_balance: {
    text: "sufficient_balance: insufficient balance: ${balance}, unable to deposit '${total_transfer}' from account '${a}' to '${t}'",
  },
});

/** No list of the asset is looked at. */
function checkDeposit(s: ReadState, from: Instance, to: Instance, amount: Asset): void {
  check(amount.amount > 0n, CONTRACT_CALL_ERRORS.call_amount);
  s.get(assetObject, amount.asset_id);
  const balance = balanceOf(s, from, amount.asset_id);
  check(balance >= amount.amount, CONTRACT_CALL_ERRORS.call_balance, () => ({
    a: `1.2.${from}`,
    t: `1.2.${to}`,
    total_transfer: prettyAmount(s, amount),
    balance: prettyAmount(s, { amount: balance, asset_id: amount.asset_id }),
  }));
}

/**
 * Calls that the block says the time of are not limited again. Those in proposals, which nobody bills, share what the
 * block may use: each has its own limit, but there may be any number of them. What they do must be the same while it is
 * pending, on this node and on all others, so this node's own cap is for other calls alone.
 */
function timeLimit(s: ReadState, context: OperationContext): Pick<SessionLimits, 'timeUs' | 'isOwnCap'> {
  if (context.billedCpuUs !== 0) return { timeUs: undefined, isOwnCap: false };
  const { trx_cpu_limit, block_cpu_limit } = vmCpuLimits(s);
  const { contractTimeUsMax } = context;
  if (!context.proposed) {
    return { timeUs: Math.min(trx_cpu_limit, contractTimeUsMax), isOwnCap: contractTimeUsMax < trx_cpu_limit };
  }
  const leftUs = Math.max(block_cpu_limit - context.contractTime.usedUs, 0);
  return { timeUs: Math.min(trx_cpu_limit, leftUs), isOwnCap: false };
}

/** What was begun and is begun anew leaves no trace but its price. */
function untilDone(
  s: WriteState,
  context: OperationContext,
  run: (restarted: Restarted | undefined) => ContractSession,
): ContractSession {
  const { journal, contractMemos, contractArguments } = context;
  const { length } = journal.operations;
  const [memoBytes, argumentBytes] = [contractMemos.bytes, contractArguments.bytes];
  const interpreted = new Set<string>();
  let restarted: Restarted | undefined;
  for (;;) {
    try {
      return s.nested(() => run(restarted));
    } catch (error) {
      if (!(error instanceof ContractRestart)) throw error;
      invariant(!interpreted.has(error.codeVersion), 'interpreted code needs no other way of running');
      interpreted.add(error.codeVersion);
      restarted = { interpreted, spent: error.spent };
      journal.operations.length = length;
      contractMemos.bytes = memoBytes;
      contractArguments.bytes = argumentBytes;
    }
  }
}

/** Runs an action of a contract, then the calls that it queued, and charges for what all of them used. */
export const contractCall = defineOperation({
  ...contractCallOperation,
  payer: (op) => op.account,
  validate: checkFee,
  // The asset of the stated fee is what counts; its amount is never charged.
  feePolicy: { minimum: 'waived', payment: 'self' },
  evaluate(s, op) {
    const caller = s.get(accountObject, op.account);
    const contract = s.get(accountObject, op.contract_id);
    check(isContract(contract), CONTRACT_CALL_ERRORS.call_no_code, () => ({ contract_id: `1.2.${contract.id}` }));
    const action = findAction(contract.abi.actions, op.method_name);
    const names = () => ({ m: nameToText(op.method_name) });
    check(action !== undefined, CONTRACT_CALL_ERRORS.call_method_unknown, names);
    if (op.amount !== undefined) {
      check(action.payable, CONTRACT_CALL_ERRORS.call_method_not_payable, names);
      checkDeposit(s, op.account, op.contract_id, op.amount);
    }
    if (s.active('HF_1016')) ramAccount(s);
    return caller;
  },
  apply(s, op, caller, context) {
    if (op.amount !== undefined) {
      adjustBalance(s, op.account, op.amount.asset_id, -op.amount.amount);
      adjustBalanceBy(s, op.contract_id, op.amount);
    }
    const { max_inter_contract_depth, max_inline_action_size } = interContractParameters(s);
    const { timeUs, isOwnCap } = timeLimit(s, context);
    const sharedUs = context.proposed ? (timeUs ?? 0) : 0;
    // A call that fails has used what it was allowed to, as far as others are concerned.
    context.contractTime.usedUs += sharedUs;
    const limits = {
      timeUs,
      isOwnCap,
      inlineCalls: max_inter_contract_depth,
      inlineActionBytes: max_inline_action_size,
    };
    const session = untilDone(s, context, (restarted) => {
      const host = contractHost(s, context, () => begun);
      const begun: ContractSession = context.engine.begin(op.account, { ...limits, restarted }, host);
      begun.execute({
        contract: op.contract_id,
        sender: op.account,
        method: op.method_name,
        data: op.data,
        amount: op.amount === undefined ? undefined : { amount: op.amount.amount, asset: op.amount.asset_id },
      });
      return begun;
    });
    if (sharedUs > 0) context.contractTime.usedUs -= sharedUs - session.cpuTimeUs;
    const usage = {
      cpuTimeUs: context.billedCpuUs || session.cpuTimeUs,
      ram: session.ramUsage(),
      ramTotal: session.ramTotal(),
    };
    const charge = s.active('HF_1016') ? chargeCall : chargeOldCall;
    return charge(s, caller, op.fee.asset_id, usage);
  },
});
