import type { Fields, StructValue } from '../../codec/struct.js';
import type { Type } from '../../codec/type.js';
import { COMMITTEE_ACCOUNT, type Instance } from '../../protocol/ids.js';
import type { OperationDeclaration } from '../../protocol/operations/declare.js';
import { type OperationResult, VOID_RESULT } from '../../protocol/results.js';
import { defineOperation, type OperationDef } from '../define.js';

/**
 * First versions of the data market's operations. They still decode and pay their fee; nothing is checked and nothing
 * changes.
 */

const NULL_OBJECT_RESULT: OperationResult = [1, 0n];

export function staleCreate<F extends Fields & { issuer: Type<Instance> }, P extends Fields>(
  declaration: OperationDeclaration<F, P>,
): OperationDef<F, P, void> {
  return defineOperation({
    ...declaration,
    payer: (op: StructValue<F>) => op.issuer,
    validate: () => {},
    evaluate: () => {},
    apply: () => NULL_OBJECT_RESULT,
  });
}

export function staleUpdate<F extends Fields & { new_issuer: Type<Instance | undefined> }, P extends Fields>(
  declaration: OperationDeclaration<F, P>,
): OperationDef<F, P, void> {
  return defineOperation({
    ...declaration,
    // Quirk: whoever names no new issuer lets account 0 pay.
    payer: (op: StructValue<F>) => op.new_issuer ?? COMMITTEE_ACCOUNT,
    validate: () => {},
    evaluate: () => {},
    apply: () => VOID_RESULT,
  });
}
