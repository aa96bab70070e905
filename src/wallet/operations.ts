import type { Fields, StructType } from '../codec/struct.js';
import type { ValueOf } from '../codec/type.js';
import type { Operation } from '../protocol/operation-slot.js';

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
