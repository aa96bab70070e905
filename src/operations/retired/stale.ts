import { check, defineErrors } from '../../base/errors.js';
import type { Fields, StructType, StructValue } from '../../codec/struct.js';
import type { Type } from '../../codec/type.js';
import type { Instance } from '../../protocol/ids.js';
import { type OperationResult, VOID_RESULT } from '../../protocol/results.js';
import { defineOperation, type OperationDef } from '../define.js';
import { flatFee } from '../fee-kinds.js';

/**
 * First versions of the data market's operations. They still decode and pay their fee; nothing is checked and nothing
 * changes.
 */

export const STALE_ERRORS = defineErrors({
  stale_issuer_missing: { text: 'new_issuer: the operation pays from new_issuer, which must be given' },
});

const FEE = 1_000_000n;
const NULL_OBJECT_RESULT: OperationResult = [1, 0n];

export function staleCreate<F extends Fields & { issuer: Type<Instance> }>(
  tag: number,
  name: string,
  schema: StructType<F>,
): OperationDef<F, { fee: Type<bigint> }, void> {
  return defineOperation({
    tag,
    name,
    schema,
    fee: flatFee(FEE),
    payer: (op: StructValue<F>) => op.issuer,
    validate: () => {},
    evaluate: () => {},
    apply: () => NULL_OBJECT_RESULT,
  });
}

/** The reference reads a missing payer from undefined memory; here the operation is refused. */
function issuerOf(op: { new_issuer: Instance | undefined }): Instance {
  check(op.new_issuer !== undefined, STALE_ERRORS.stale_issuer_missing);
  return op.new_issuer;
}

export function staleUpdate<F extends Fields & { new_issuer: Type<Instance | undefined> }>(
  tag: number,
  name: string,
  schema: StructType<F>,
): OperationDef<F, { fee: Type<bigint> }, void> {
  return defineOperation({
    tag,
    name,
    schema,
    fee: flatFee(FEE),
    payer: (op: StructValue<F>) => issuerOf(op),
    validate: (op: StructValue<F>) => {
      issuerOf(op);
    },
    evaluate: () => {},
    apply: () => VOID_RESULT,
  });
}
