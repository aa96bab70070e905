import { check, defineErrors } from '../../base/errors.js';
import { set } from '../../codec/containers.js';
import { bytes, u16 } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import { asset } from '../../protocol/asset.js';
import { accountId } from '../../protocol/ids.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { defineOperation } from '../define.js';
import { feeBySize } from '../fee-kinds.js';

export const CUSTOM_ERRORS = defineErrors({
  custom_fee_not_positive: { text: 'fee.amount > 0: ', hint: 'the fee must be positive' },
});

/** Bytes that mean something to others than the chain. Quirk: `required_auths` demands nothing. */
export const custom = defineOperation({
  tag: 35,
  name: 'custom',
  schema: struct('custom', { fee: asset, payer: accountId, required_auths: set(accountId), id: u16, data: bytes }),
  fee: feeBySize(100_000n, 10),
  payer: (op) => op.payer,
  validate: (op) => check(op.fee.amount > 0n, CUSTOM_ERRORS.custom_fee_not_positive),
  evaluate: () => undefined,
  apply: () => VOID_RESULT,
});
