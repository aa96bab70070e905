import * as declared from '../../api/network.js';
import { confirmation } from '../../api/network.js';
import { ChainError } from '../../base/errors.js';
import type { Cancel } from '../../base/world.js';
import type { Network } from '../../codec/type.js';
import type { SignedTransaction } from '../../protocol/transaction.js';
import { implementApi, type RpcContext } from '../define.js';
import { RPC_ERRORS } from '../errors.js';
import { type Listener, type Notices, noticesFor } from '../notices/queue.js';
import { printed } from '../pieces/print.js';
import { type Confirmation, idOfTransaction, type Waiter, type Waiting } from '../remembered/confirmations.js';
import { checkTransaction } from './transaction-limits.js';

/** Waits until a block decides or the client goes away. What ends before leaves nothing behind in the session. */
function waitFor(
  { services, session }: RpcContext,
  transaction: SignedTransaction,
  told: Pick<Waiter, 'repeats' | 'owner' | 'included' | 'refused'>,
): Waiting {
  let forget: Cancel = () => undefined;
  const { expiration } = transaction;
  const waiting = services.confirmations.wait(idOfTransaction(transaction), {
    ...told,
    expiration,
    ended: () => forget(),
  });
  forget = session.onClose(() => {
    waiting.stop();
    // Nobody reads it, but the request is over and must not count as one that waits.
    told.refused(new ChainError(RPC_ERRORS.rpc_connection_closed));
  });
  return waiting;
}

/** Any number of clients may wait for the same transaction: it is printed once. */
const texts = new WeakMap<Confirmation, string>();

function* noticeOf(found: Confirmation, listener: Listener, network: Network): Notices {
  let text = texts.get(found);
  if (text === undefined) {
    text = yield* printed(confirmation, found, network);
    texts.set(found, text);
  }
  yield* noticesFor([listener], text);
}

export const networkBroadcastApi = implementApi(declared.networkBroadcastApi, {
  broadcast_transaction: ({ node }, { trx }) => {
    checkTransaction(trx);
    return node.chain.push(trx).then(({ id }) => id);
  },
  broadcast_transaction_with_callback: async (context, { cb, trx }) => {
    const { node, services, session, handle } = context;
    checkTransaction(trx);
    // Over plain HTTP nobody can be told: the transaction is sent all the same.
    const waiting = session.canNotify
      ? waitFor(context, trx, {
          repeats: true,
          owner: handle,
          included: (found) =>
            services.notices.add(noticeOf(found, { session, callback: cb }, node.chain.state.network)),
          // The client was told of the refusal in the answer, or its transaction has expired: no notice exists for that.
          refused: () => undefined,
        })
      : undefined;
    try {
      await node.chain.push(trx);
    } catch (error) {
      // Quirk: a block of somebody else may still have it, as when a client sends a second time what waits already.
      // What this node had no room for was not done at all, and nothing of it stays.
      if (error instanceof ChainError && error.kind === 'limit') waiting?.stop();
      else waiting?.goOnRefused();
      throw error;
    }
    return undefined;
  },
  broadcast_transaction_synchronous: (context, { trx }) => {
    checkTransaction(trx);
    return new Promise<Confirmation>((resolve, reject) => {
      const waiting = waitFor(context, trx, { included: resolve, refused: reject });
      context.node.chain.push(trx).catch((error: unknown) => {
        waiting.stop();
        reject(error);
      });
    });
  },
  broadcast_block: async ({ node }, { block }) => {
    await node.chain.pushBlock(block);
    return undefined;
  },
});
