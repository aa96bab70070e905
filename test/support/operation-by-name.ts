import type { AnyOperationDef } from '../../src/operations/define.js';
import { OPERATIONS } from '../../src/operations/index.js';

const byName = new Map(OPERATIONS.map((definition) => [definition.name, definition]));

/** By its name as the family writes it, e.g. `proposal_create`. */
export function operationByName(name: string): AnyOperationDef | undefined {
  return byName.get(name);
}
