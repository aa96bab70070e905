import * as declared from '../../../api/contracts.js';
import { objectIdText, unpackObjectId } from '../../../protocol/ids.js';
import type { StateObject } from '../../../state/define.js';
import { implement } from '../../define.js';
import { definitionOf } from '../../objects/found-object.js';
import { eachInPieces } from '../../pieces/pieces.js';

/** Histories grow for ever and never change: watching their objects would only fill the filter. */
const UNWATCHED = new Set(['1.11', '2.9']);

export const objectMethods = implement(declared.objectMethods, {
  get_objects: ({ node, services, handle }, { ids }) => {
    return eachInPieces(ids, (id) => {
      const { space, type, instance } = unpackObjectId(id);
      const definition = definitionOf(space, type);
      if (!UNWATCHED.has(`${space}.${type}`)) services.subscriptions.touch(handle, objectIdText(id));
      const object = node.chain.state.find(definition, instance) as StateObject | undefined;
      return object === undefined ? undefined : { definition, object };
    });
  },
});
