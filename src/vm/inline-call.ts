import { ChainError, check, defineErrors, FAMILY, fail } from '../base/errors.js';
import { READ_ERRORS, Reader } from '../codec/reader.js';
import { timeToText } from '../codec/time.js';
import type { ContractHost, InlineCall } from '../operations/contract/engine.js';
import { findAction } from '../protocol/find-action.js';
import { FORKS } from '../protocol/forks.js';
import { nameToText } from '../protocol/name.js';
import type { HostCall } from './host-call.js';
import { checkInstance } from './instance.js';

export const INLINE_ERRORS = defineErrors({
  contract_inline_disabled: { text: 'cross-contract calling can not serve before timestamp:${t}' },
  contract_inline_size: {
    text: 'data_len <= inter_contract_calling_params.max_inline_action_size: inline action too big, max size=${s} bytes',
  },
  contract_inline_count: {
    text: 'inter_contract_calling_count <= inter_contract_calling_params.max_inter_contract_depth: max cross contract calling can not exceed ${m}',
  },
  contract_inline_data: {
    ...FAMILY.outOfRange,
    text: 'read datastream of length ${length} over by ${over}',
    hint: 'the inline action ends before its data do',
  },
  contract_inline_sender: {
    text: 'act.sender == receiver: the sender must be current contract, actually act.sender=${s}, current receiver=${r}',
  },
  contract_inline_amount: { text: 'act.amount.amount >= 0: action amount must >= 0, actual amount: ${a}' },
  contract_inline_account: {
    text: "contract_obj.code.size() > 0: inline action's code account ${account} does not exist",
  },
  contract_method_unknown: { text: 'iter != actions.end(): method_name ${m} not found in abi' },
  contract_method_not_payable: { text: 'iter->payable: method_name ${m} not payable' },
});

/** Checks and queues what `send_inline` was given; it runs after the action that sent it has returned. */
export function queueInlineCall(call: HostCall, bytes: Uint8Array): void {
  const { session } = call;
  const { limits, host } = session;
  check(host.rules.inline_calls, INLINE_ERRORS.contract_inline_disabled, { t: timeToText(FORKS.HF_1016.mainnet) });
  check(bytes.length <= limits.inlineActionBytes, INLINE_ERRORS.contract_inline_size, { s: limits.inlineActionBytes });
  // Copied, kept with the operation, and written by whoever keeps histories, as memos are.
  call.charge(bytes.length);
  call.settle();
  // Quirk: sends are counted, not nesting, and the bound itself still passes.
  check(session.inlineCalls <= limits.inlineCalls, INLINE_ERRORS.contract_inline_count, { m: limits.inlineCalls });
  session.inlineCalls++;
  const action = parseInlineAction(bytes);
  const { sender, contract, amount, asset, method, data } = action;
  check(sender === call.receiver, INLINE_ERRORS.contract_inline_sender, { s: sender, r: call.receiver });
  check(amount >= 0n, INLINE_ERRORS.contract_inline_amount, { a: amount });
  checkInstance(contract);
  checkTarget(host, contract, method, amount > 0n);
  if (amount > 0n) checkInstance(asset);
  const inline: InlineCall = {
    sender: Number(sender),
    contract: Number(contract),
    amount: amount > 0n ? { amount, asset: Number(asset) } : undefined,
    method,
    data,
  };
  call.queue.push(inline);
}

function checkTarget(host: ContractHost, contract: bigint, method: bigint, paid: boolean): void {
  const code = host.chain.contract(Number(contract));
  check(code !== undefined, INLINE_ERRORS.contract_inline_account, { account: contract });
  const action = findAction(code.actions, method);
  const names = () => ({ m: nameToText(method) });
  check(action !== undefined, INLINE_ERRORS.contract_method_unknown, names);
  check(!paid || action.payable, INLINE_ERRORS.contract_method_not_payable, names);
}

interface InlineAction {
  readonly sender: bigint;
  readonly contract: bigint;
  readonly amount: bigint;
  readonly asset: bigint;
  readonly method: bigint;
  readonly data: Uint8Array;
}

/** sender, contract, amount, asset, method: 8 bytes each; then the data with its length. The rest is ignored. */
function parseInlineAction(bytes: Uint8Array): InlineAction {
  const reader = new Reader(bytes);
  try {
    return {
      sender: reader.u64(),
      contract: reader.u64(),
      amount: reader.i64(),
      asset: reader.u64(),
      method: reader.u64(),
      data: reader.lengthPrefixed(),
    };
  } catch (error) {
    if (!(error instanceof ChainError && error.row === READ_ERRORS.read_past_end)) throw error;
    return fail(INLINE_ERRORS.contract_inline_data, { length: bytes.length, over: 1 - reader.remaining });
  }
}
