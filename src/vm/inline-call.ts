import { check, defineErrors, FAMILY, fail } from '../base/errors.js';
import type { ContractHost, InlineCall } from '../operations/contract/engine.js';
import { nameToText } from '../protocol/name.js';
import type { HostCall } from './host-call.js';

export const INLINE_ERRORS = defineErrors({
  contract_inline_disabled: { text: 'inter contract calls are not enabled' },
  contract_inline_size: { text: 'inline action too big, max size=${s} bytes' },
  contract_inline_count: {
    text: 'inter_contract_calling_count <= inter_contract_calling_params.max_inter_contract_depth: max cross contract calling can not exceed ${m}',
  },
  contract_inline_data: { ...FAMILY.outOfRange, text: 'inline action ends after ${bytes} bytes' },
  contract_inline_sender: { text: 'the sender must be current contract, current contract ${c}, sender ${s}' },
  contract_inline_amount: { text: 'action amount must >= 0, actual amount: ${a}' },
  contract_inline_account: { text: "inline action's code account ${account} does not exist" },
  contract_method_unknown: { text: 'iter != actions.end(): method_name ${m} not found in abi' },
  contract_method_not_payable: { text: 'iter->payable: method_name ${m} not payable' },
});

/** Checks and queues what `send_inline` was given; it runs after the action that sent it has returned. */
export function queueInlineCall(call: HostCall, bytes: Uint8Array): void {
  const { session } = call;
  const { limits, host } = session;
  check(host.rules.inline_calls, INLINE_ERRORS.contract_inline_disabled);
  check(bytes.length <= limits.inlineActionBytes, INLINE_ERRORS.contract_inline_size, { s: limits.inlineActionBytes });
  // Quirk: sends are counted, not nesting, and the bound itself still passes.
  check(session.inlineCalls <= limits.inlineCalls, INLINE_ERRORS.contract_inline_count, { m: limits.inlineCalls });
  session.inlineCalls++;
  const action = parseInlineAction(bytes);
  const { sender, contract, amount, asset, method, data } = action;
  check(sender === call.receiver, INLINE_ERRORS.contract_inline_sender, { c: call.receiver, s: sender });
  check(amount >= 0n, INLINE_ERRORS.contract_inline_amount, { a: amount });
  checkTarget(host, contract, method, amount > 0n);
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
  const code = contract < 1n << 48n ? host.chain.contract(Number(contract)) : undefined;
  check(code !== undefined, INLINE_ERRORS.contract_inline_account, { account: contract });
  const action = code.actions.find(({ name }) => name === method);
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
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const short = (): never => fail(INLINE_ERRORS.contract_inline_data, { bytes: bytes.length });
  if (bytes.length < 41) short();
  let at = 40;
  let length = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[at++] ?? short();
    if (shift < 32) length += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) break;
  }
  if (length > bytes.length - at) short();
  return {
    sender: view.getBigUint64(0, true),
    contract: view.getBigUint64(8, true),
    amount: view.getBigInt64(16, true),
    asset: view.getBigUint64(24, true),
    method: view.getBigUint64(32, true),
    data: bytes.slice(at, at + length),
  };
}
