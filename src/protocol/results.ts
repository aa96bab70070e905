import { equalBytes } from '../base/bytes.js';
import { encode } from '../codec/binary.js';
import { array, variant } from '../codec/containers.js';
import { i64, u32 } from '../codec/scalars.js';
import { struct } from '../codec/struct.js';
import type { ValueOf } from '../codec/type.js';
import { asset } from './asset.js';
import { accountId, objectId } from './ids.js';

export const accountReceipt = struct('account_receipt', { account: accountId, ram_bytes: i64, ram_fee: asset });
const contractReceiptOld = struct('contract_receipt_old', {
  billed_cpu_time_us: u32,
  ram_usage_bs: u32,
  fee: asset,
});
const contractReceipt = struct('contract_receipt', {
  billed_cpu_time_us: u32,
  fee: asset,
  ram_receipts: array(accountReceipt),
});

/** Stands in blocks, covered by the merkle root; a node that replays reads only the billed time from it. */
export const operationResult = variant('operation_result', [
  struct('void_result', {}),
  objectId,
  asset,
  contractReceiptOld,
  contractReceipt,
]);
export type OperationResult = ValueOf<typeof operationResult>;

export const VOID_RESULT: OperationResult = [0, {}];

/** Whether two results are the same bytes. */
export function sameResult(a: OperationResult, b: OperationResult): boolean {
  if (a === b) return true;
  if (a[0] !== b[0]) return false;
  return a[0] === 0 || equalBytes(encode(operationResult, a), encode(operationResult, b));
}

/** Billed time of a contract call, 0 for every other result. */
export function billedCpuTimeUs(result: OperationResult | undefined): number {
  return result !== undefined && (result[0] === 3 || result[0] === 4) ? result[1].billed_cpu_time_us : 0;
}

export function billedCpuTimeOfAll(results: readonly OperationResult[]): number {
  let sum = 0;
  for (const result of results) sum += billedCpuTimeUs(result);
  return sum;
}
