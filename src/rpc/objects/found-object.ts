import { check, defineErrors } from '../../base/errors.js';
import type { Json, JsonObject } from '../../codec/json.js';
import type { Network } from '../../codec/type.js';
import { parseObjectId } from '../../protocol/ids.js';
import { objectOf } from '../../protocol/objects/declare.js';
import type { AnyObjectDef, StateObject } from '../../state/define.js';
import { OBJECTS } from '../../state/objects/index.js';
import { printerOf } from '../pieces/printers.js';
import type { PrintingType } from '../pieces/printing-type.js';
import { jsonType } from '../types.js';

const NO_TYPE = 'there are no objects ${space_id}.${type_id}.x';

export const OBJECT_API_ERRORS = defineErrors({
  object_type_unknown: { text: 'tmp: ', hint: NO_TYPE },
  object_space_small: { text: '_index[space_id].size() > type_id: ', hint: NO_TYPE },
  object_space_unknown: { text: '_index.size() > space_id: ', hint: NO_TYPE },
});

const TYPE_MAX = 255;
const SPACE_MAX = 255;
/** Spaces that hold objects. */
const SPACES = [1, 2];

const definitions = new Map<number, AnyObjectDef>(
  OBJECTS.map((definition) => [definition.space * (TYPE_MAX + 1) + definition.type, definition]),
);

/** The object type that an id names; the three refusals are told apart as the family does. */
export function definitionOf(space: number, type: number): AnyObjectDef {
  const found = definitions.get(space * (TYPE_MAX + 1) + type);
  if (found !== undefined) return found;
  const named = { space_id: space, type_id: type };
  check(space < SPACE_MAX, OBJECT_API_ERRORS.object_space_unknown, named);
  check(SPACES.includes(space) && type < TYPE_MAX, OBJECT_API_ERRORS.object_space_small, {
    ...named,
    'index[space_id].size': 0,
  });
  check(false, OBJECT_API_ERRORS.object_type_unknown, named);
}

/** An object of any type, with the declaration that says which. */
export interface FoundObject {
  readonly definition: AnyObjectDef;
  readonly object: Readonly<StateObject>;
}

/** Prints as the object itself, or null. */
export const foundObject: PrintingType<FoundObject | undefined> = {
  ...jsonType<FoundObject | undefined>('object', {
    toJson: (found: FoundObject | undefined, network: Network): Json =>
      found === undefined ? null : objectOf(found.definition).toJson(found.object, network),
    fromJson: (json: Json, network: Network) => {
      if (json === null) return undefined;
      const { space, type } = parseObjectId(String((json as JsonObject).id));
      const definition = definitionOf(space, type);
      return { definition, object: objectOf(definition).fromJson(json, network) };
    },
    default: () => undefined,
  }),
  print: (found, network) =>
    found === undefined ? 'null' : printerOf(objectOf(found.definition))(found.object, network),
};
