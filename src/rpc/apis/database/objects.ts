import * as declared from '../../../api/contracts.js';
import type { FoundObject } from '../../../api/types.js';
import { objectIdText, unpackObjectId } from '../../../protocol/ids.js';
import type { AnyObjectDeclaration } from '../../../protocol/objects/declare.js';
import type { StateObject } from '../../../state/define.js';
import { RememberedTransaction } from '../../../state/objects/transaction.js';
import { implement } from '../../define.js';
import { findObject } from '../../objects/found-object.js';
import { transactionBody } from '../../objects/remembered-transaction.js';
import { eachInPieces, type Pieces } from '../../pieces/pieces.js';
import type { RpcPorts } from '../../ports.js';

/** Histories grow for ever and never change: watching their objects would only fill the filter. */
const UNWATCHED = new Set(['1.11', '2.9']);

function* withBody(
  { chain }: Pick<RpcPorts, 'chain'>,
  definition: AnyObjectDeclaration,
  remembered: RememberedTransaction,
): Pieces<FoundObject | undefined> {
  const { id, trx_id } = remembered;
  const trx = yield* transactionBody(chain, remembered);
  return trx === undefined ? undefined : { definition, object: { id, trx_id, trx } as StateObject };
}

export const objectMethods = implement(declared.objectMethods, {
  get_objects: ({ node, services, handle }, { ids }) => {
    return eachInPieces(ids, (id) => {
      const { space, type } = unpackObjectId(id);
      const found = findObject(node, id);
      if (!UNWATCHED.has(`${space}.${type}`)) services.subscriptions.touch(handle, objectIdText(id));
      return found?.object instanceof RememberedTransaction ? withBody(node, found.definition, found.object) : found;
    });
  },
});
