import { check, defineErrors } from '../../base/errors.js';
import { onceFor } from '../../base/once-for.js';
import { encodeWith, packedSize } from '../../codec/binary.js';
import { bytes } from '../../codec/scalars.js';
import { sha256Hex } from '../../crypto/hash.js';
import { type AbiDef, abiDef } from '../../protocol/abi.js';
import type { Asset } from '../../protocol/asset.js';

/** What deployment and update of contracts share. */

export const CONTRACT_ERRORS = defineErrors({
  contract_fee_negative: { text: 'fee.amount >= 0: fee.amount < 0' },
  contract_code_empty: { text: 'code.size() > 0: contract code cannot be empty' },
  contract_without_actions: { text: 'op.abi.actions.size() > 0: contract has no actions' },
});

export function checkContractFee(op: { fee: Asset }): void {
  check(op.fee.amount >= 0n, CONTRACT_ERRORS.contract_fee_negative);
}

export function checkCodeGiven(code: Uint8Array): void {
  check(code.length > 0, CONTRACT_ERRORS.contract_code_empty);
}

/** The rest of an ABI is not looked at before somebody uses it. */
export function checkHasActions(abi: AbiDef): void {
  check(abi.actions.length > 0, CONTRACT_ERRORS.contract_without_actions);
}

/** Quirk: the hash covers the code's length prefix too. */
export function codeVersion(code: Uint8Array): string {
  return encodeWith(bytes, code, sha256Hex);
}

/** Of each ABI once: a large one takes as long as a hundred operations, and thousands of questions for fees may name it. */
const abiBytes = onceFor((abi: AbiDef) => packedSize(abiDef, abi));

/** Bytes that a contract takes for its code and ABI. */
export function contractBytes(code: Uint8Array, abi: AbiDef): number {
  return abiBytes(abi) + code.length;
}
