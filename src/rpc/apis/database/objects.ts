import * as declared from '../../../api/contracts.js';
import { objectIdText, unpackObjectId } from '../../../protocol/ids.js';
import { implement } from '../../define.js';
import { findObject } from '../../objects/found-object.js';
import { eachInPieces } from '../../pieces/pieces.js';

/** Histories grow for ever and never change: watching their objects would only fill the filter. */
const UNWATCHED = new Set(['1.11', '2.9']);

export const objectMethods = implement(declared.objectMethods, {
  get_objects: ({ node, services, handle }, { ids }) => {
    return eachInPieces(ids, (id) => {
      const { space, type } = unpackObjectId(id);
      const found = findObject(node, id);
      if (!UNWATCHED.has(`${space}.${type}`)) services.subscriptions.touch(handle, objectIdText(id));
      return found;
    });
  },
});
