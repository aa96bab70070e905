import type { Fields, StructType } from '../codec/struct.js';
import type { ValueOf } from '../codec/type.js';
import type { Operation } from '../protocol/operation-slot.js';
import type { AnyOperationDeclaration } from '../protocol/operations/declare.js';
import { OPERATION_DECLARATIONS } from '../protocol/operations/index.js';

const byName = new Map(OPERATION_DECLARATIONS.map((declaration) => [declaration.name, declaration]));

export const OPERATION_NAMES: readonly string[] = [...byName.keys()];

/** By its name as the family writes it, e.g. `proposal_create`. */
export function declarationByName(name: string): AnyOperationDeclaration | undefined {
  return byName.get(name);
}

interface Definition<F extends Fields> {
  readonly tag: number;
  readonly schema: StructType<F>;
}

/** An operation with the given members; all others have their defaults, the fee none yet. */
export function operationOf<F extends Fields>(
  definition: Definition<F>,
  members: Partial<ValueOf<StructType<F>>>,
): Operation {
  return [definition.tag, { ...definition.schema.default(), ...members }] as unknown as Operation;
}
