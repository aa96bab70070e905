import { ChainError } from '../../base/errors.js';
import type { Cancel } from '../../base/world.js';
import { text, u32 } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import { signedBlock } from '../../protocol/block.js';
import { transactionId } from '../../protocol/keys.js';
import { processedTransaction, type SignedTransaction, signedTransaction } from '../../protocol/transaction.js';
import { api, method, type RpcContext } from '../define.js';
import { RPC_ERRORS } from '../errors.js';
import { type Confirmation, idOfTransaction, type Waiter, type Waiting } from '../remembered/confirmations.js';
import { callback, nothing } from '../types.js';
import { checkTransaction } from './transaction-limits.js';

const confirmation = struct('broadcast_confirmation', {
  id: transactionId,
  block_num: u32,
  trx_num: u32,
  trx: processedTransaction,
});

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

export const networkBroadcastApi = api({
  name: 'network_broadcast',
  about: 'Sends transactions and blocks into the network.',
  methods: {
    broadcast_transaction: method({
      about: 'Checks a transaction, applies it to the pending state and sends it on. Answers with its id.',
      params: { trx: signedTransaction },
      result: text,
      waits: true,
      run: async ({ node }, { trx }) => {
        checkTransaction(trx);
        return (await node.chain.push(trx)).id;
      },
    }),
    broadcast_transaction_with_callback: method({
      about:
        'As broadcast_transaction; a notice follows when a block has taken the transaction, and another one if a fork switch puts it into another block. A second call for the same transaction takes the place of the first.',
      params: { cb: callback, trx: signedTransaction },
      result: nothing,
      waits: true,
      run: async (context, { cb, trx }) => {
        const { node, services, session, handle } = context;
        checkTransaction(trx);
        // Over plain HTTP nobody can be told: the transaction is sent all the same.
        const waiting = session.canNotify
          ? waitFor(context, trx, {
              repeats: true,
              owner: handle,
              included: (found) =>
                services.notices.add(session, cb, JSON.stringify(confirmation.toJson(found, node.chain.state.network))),
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
    }),
    broadcast_transaction_synchronous: method({
      about:
        'As broadcast_transaction, but answers when a block has taken the transaction, or with an error when it has expired.',
      params: { trx: signedTransaction },
      result: confirmation,
      waits: true,
      run: (context, { trx }) => {
        checkTransaction(trx);
        return new Promise<Confirmation>((resolve, reject) => {
          const waiting = waitFor(context, trx, { included: resolve, refused: reject });
          context.node.chain.push(trx).catch((error: unknown) => {
            waiting.stop();
            reject(error);
          });
        });
      },
    }),
    broadcast_block: method({
      about: 'Applies a block and sends it on.',
      params: { block: signedBlock },
      // What fits into a block is the chain's affair.
      listMax: Number.POSITIVE_INFINITY,
      result: nothing,
      waits: true,
      run: async ({ node }, { block }) => {
        await node.chain.pushBlock(block);
        return undefined;
      },
    }),
  },
});
