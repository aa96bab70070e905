import { check, defineErrors } from '../../../base/errors.js';
import { array } from '../../../codec/containers.js';
import type { Json } from '../../../codec/json.js';
import { objectId, objectIdText, unpackObjectId } from '../../../protocol/ids.js';
import type { AnyObjectDef } from '../../../state/define.js';
import { OBJECTS } from '../../../state/objects/index.js';
import { method } from '../../define.js';
import { json, objectOf } from '../../types.js';
import { checkList } from './limits.js';

export const OBJECT_API_ERRORS = defineErrors({
  object_type_unknown: { text: 'tmp: ' },
  object_space_small: { text: '_index[space_id].size() > type_id: ' },
  object_space_unknown: { text: '_index.size() > space_id: ' },
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
  check(space < SPACE_MAX, OBJECT_API_ERRORS.object_space_unknown);
  check(SPACES.includes(space) && type < TYPE_MAX, OBJECT_API_ERRORS.object_space_small, {
    space_id: space,
    type_id: type,
    'index[space_id].size': 0,
  });
  check(false, OBJECT_API_ERRORS.object_type_unknown);
}

/** Histories grow for ever and never change: watching their objects would only fill the filter. */
const UNWATCHED = new Set(['1.11', '2.9']);

export const objectMethods = {
  get_objects: method({
    about: 'Objects by id, in the order asked; null for an instance that does not exist.',
    params: { ids: array(objectId) },
    result: array(json),
    run: ({ node, services, session }, { ids }) => {
      checkList(ids);
      return ids.map((id): Json => {
        const { space, type, instance } = unpackObjectId(id);
        const definition = definitionOf(space, type);
        if (!UNWATCHED.has(`${space}.${type}`)) services.subscriptions.touch(session, objectIdText(id));
        const found = node.chain.state.find(definition, instance);
        return found === undefined ? null : objectOf(definition).toJson(found);
      });
    },
  }),
};
