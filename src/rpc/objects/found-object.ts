import { foundObject } from '../../api/types.js';
import { objectOf } from '../../protocol/objects/declare.js';
import { declarationOf } from '../../protocol/objects/index.js';
import type { AnyObjectDef } from '../../state/define.js';
import { OBJECTS } from '../../state/objects/index.js';
import { printerOf } from '../pieces/printers.js';
import { printsBy } from '../pieces/printing-type.js';

const definitions = new Map<unknown, AnyObjectDef>(OBJECTS.map((definition) => [definition.schema, definition]));

/** The object type that an id names, as the state keeps it. */
export function definitionOf(space: number, type: number): AnyObjectDef {
  return definitions.get(declarationOf(space, type).schema) as AnyObjectDef;
}

printsBy(foundObject, (found, network) =>
  found === undefined ? 'null' : printerOf(objectOf(found.definition))(found.object, network),
);
