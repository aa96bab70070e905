import type { Fields, StructType, StructValue } from '../../codec/struct.js';
import type { Type } from '../../codec/type.js';
import { COMMITTEE_ACCOUNT, type Instance } from '../../protocol/ids.js';
import { type OperationResult, VOID_RESULT } from '../../protocol/results.js';
import { defineOperation, type OperationDef } from '../define.js';
import { flatFee } from '../fee-kinds.js';

/**
 * First versions of the data market's operations. They still decode and pay their fee; nothing is checked and nothing
 * changes.
 */

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
    // Quirk: whoever names no new issuer lets account 0 pay.
    payer: (op: StructValue<F>) => op.new_issuer ?? COMMITTEE_ACCOUNT,
    validate: () => {},
    evaluate: () => {},
    apply: () => VOID_RESULT,
  });
}
