import { text, u32 } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import { signedBlock } from '../../protocol/block.js';
import { transactionId } from '../../protocol/keys.js';
import { processedTransaction, signedTransaction } from '../../protocol/transaction.js';
import { type Confirmation, idOfTransaction } from '../confirmations.js';
import { api, method } from '../define.js';
import { callback, nothing } from '../types.js';

const confirmation = struct('broadcast_confirmation', {
  id: transactionId,
  block_num: u32,
  trx_num: u32,
  trx: processedTransaction,
});

export const networkBroadcastApi = api({
  name: 'network_broadcast',
  about: 'Sends transactions and blocks into the network.',
  methods: {
    broadcast_transaction: method({
      about: 'Checks a transaction, applies it to the pending state and sends it on. Answers with its id.',
      params: { trx: signedTransaction },
      result: text,
      waits: true,
      run: async ({ node }, { trx }) => (await node.chain.push(trx)).id,
    }),
    broadcast_transaction_with_callback: method({
      about:
        'As broadcast_transaction; a notice follows when a block has taken the transaction, and another one if a fork switch puts it into another block.',
      params: { cb: callback, trx: signedTransaction },
      result: nothing,
      waits: true,
      run: async ({ node, services, session }, { cb, trx }) => {
        session.needConnection('broadcast_transaction_with_callback');
        const stop = services.confirmations.wait(idOfTransaction(trx), {
          expiration: trx.expiration,
          repeats: true,
          included: (found) => session.notify(cb, confirmation.toJson(found)),
          // The client was told of the refusal in the answer, or its transaction has expired: no notice exists for that.
          refused: () => undefined,
        });
        session.onClose(stop);
        try {
          await node.chain.push(trx);
        } catch (error) {
          stop();
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
      run: ({ node, services, session }, { trx }) =>
        new Promise<Confirmation>((resolve, reject) => {
          const stop = services.confirmations.wait(idOfTransaction(trx), {
            expiration: trx.expiration,
            included: resolve,
            refused: reject,
          });
          session.onClose(stop);
          node.chain.push(trx).catch((error: unknown) => {
            stop();
            reject(error);
          });
        }),
    }),
    broadcast_block: method({
      about: 'Applies a block and sends it on.',
      params: { block: signedBlock },
      result: nothing,
      waits: true,
      run: async ({ node }, { block }) => {
        await node.chain.pushBlock(block);
        return undefined;
      },
    }),
  },
});
