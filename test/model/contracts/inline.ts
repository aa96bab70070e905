import { must } from '../tables.js';
import type { Host } from './action.js';

const HEAD_BYTES = 40;
const SIZE_DEFAULT = 65_536;
const COUNT_DEFAULT = 3;
const BITS_48 = 1n << 48n;

/** The number before the data, and where they begin. */
function lengthAt(bytes: Uint8Array, from: number): readonly [length: bigint, at: number] {
  let length = 0n;
  for (let i = 0; i < 10; i++) {
    const byte = bytes[from + i];
    must(byte !== undefined, 'contract_inline_data');
    length |= BigInt(byte & 0x7f) << BigInt(7 * i);
    if (byte < 0x80) return [length, from + i + 1];
  }
  must(false, 'contract_inline_data');
}

export const sendInline: Host = (a, at, length) => {
  const { m, run } = a;
  must(m.isAfter('1016'), 'contract_inline_disabled');
  const bytes = a.memory.read(Number(at), Number(length));
  must(bytes.length <= m.parameter(10, 'max_inline_action_size', SIZE_DEFAULT), 'contract_inline_size');
  must(run.sent <= m.parameter(10, 'max_inter_contract_depth', COUNT_DEFAULT), 'contract_inline_count');
  run.sent++;
  must(bytes.length >= HEAD_BYTES, 'contract_inline_data');
  const view = new DataView(bytes.buffer);
  const [sender, contract, amount, asset, method] = [0, 8, 16, 24, 32].map((one) => view.getBigUint64(one, true)) as [
    bigint,
    bigint,
    bigint,
    bigint,
    bigint,
  ];
  const [size, from] = lengthAt(bytes, HEAD_BYTES);
  must(BigInt(bytes.length - from) >= size, 'contract_inline_data');
  must(sender === a.receiver, 'contract_inline_sender');
  const attached = BigInt.asIntN(64, amount);
  must(attached >= 0n, 'contract_inline_amount');
  must(contract < BITS_48, 'contract_instance_range');
  m.account(Number(contract));
  const action = m.contractAction(Number(contract), method);
  must(action !== 'no contract', 'contract_inline_account');
  must(action !== undefined, 'contract_method_unknown');
  must(attached === 0n || action.payable, 'contract_method_not_payable');
  must(asset < BITS_48 || attached === 0n, 'contract_instance_range');
  const given = {
    contract: Number(contract),
    sender: a.given.contract,
    method,
    data: bytes.slice(from, from + Number(size)),
    amount: attached === 0n ? undefined : { amount: attached, asset_id: Number(asset) },
  };
  a.queue.push({ command: a.command, given });
};
