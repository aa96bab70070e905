import type { HostCall } from '../host-call.js';
import { queueInlineCall } from '../inline-call.js';
import { bytesCost, host } from './define.js';

/** The usual reading rule: length 0 asks for the size, else as much as there is room for is copied. */
export function copyOut(call: HostCall, bytes: Uint8Array, pointer: number, length: number): number {
  const room = length >>> 0;
  if (room === 0) return bytes.length;
  const copied = Math.min(room, bytes.length);
  call.charge(bytesCost(copied, 16));
  call.memory.write(pointer, bytes.subarray(0, copied));
  return copied;
}

export const ACTION_FUNCTIONS = [
  host('action_data_size', '> i', 0, (call) => call.action.data.length),
  host('read_action_data', 'P > i', 0, (call, pointer: number, length: number) =>
    copyOut(call, call.action.data, pointer, length),
  ),
  host('current_receiver', '> I', 0, (call) => call.receiver),
  host('get_action_asset_id', '> I', 0, (call) => BigInt(call.action.amount?.asset ?? 0)),
  host('get_action_asset_amount', '> I', 0, (call) => call.action.amount?.amount ?? 0n),
  host('send_inline', 'P >', 1500, (call, pointer: number, length: number) =>
    queueInlineCall(call, call.memory.slice(pointer, length)),
  ),
];
