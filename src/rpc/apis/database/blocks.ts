import { check, defineErrors } from '../../../base/errors.js';
import { encode } from '../../../codec/binary.js';
import { array } from '../../../codec/containers.js';
import { bool, u32 } from '../../../codec/scalars.js';
import { extend, struct } from '../../../codec/struct.js';
import type { Type, ValueOf } from '../../../codec/type.js';
import { blockHeaderDigest, tapos } from '../../../crypto/digests.js';
import { NULL_PUBLIC_KEY, type PublicKey } from '../../../crypto/public-key.js';
import { signatureBackend } from '../../../crypto/signature.js';
import { blockHeader, type SignedBlock, signedBlock } from '../../../protocol/block.js';
import { accountId } from '../../../protocol/ids.js';
import { blockId, publicKey, transactionId } from '../../../protocol/keys.js';
import {
  type ProcessedTransaction,
  processedTransaction,
  type SignedTransaction,
  signedTransaction,
} from '../../../protocol/transaction.js';
import { dynamicGlobalPropertyObject } from '../../../state/objects/dynamic-global-property.js';
import { transactionObject } from '../../../state/objects/transaction.js';
import { method, type RpcContext } from '../../define.js';
import { printerOf } from '../../pieces/printers.js';
import type { PrintingType } from '../../pieces/printing-type.js';
import type { StoredBlock } from '../../ports.js';
import { idOfTransaction } from '../../remembered/confirmations.js';
import { json, nullable } from '../../types.js';

export const BLOCK_API_ERRORS = defineErrors({
  transaction_block_missing: { text: 'opt_block: ', hint: 'this node has no block ${block_num}' },
  transaction_position: {
    text: 'opt_block->transactions.size() > trx_num: ',
    hint: 'block ${block_num} has ${count} transactions; there is none at ${trx_num}',
  },
});

/** A block with what clients would otherwise have to compute. */
export const fullBlock = extend('block_with_info', signedBlock, {
  block_id: blockId,
  signing_key: publicKey,
  transaction_ids: array(transactionId),
  ref_block_prefix: u32,
});
type FullBlock = ValueOf<typeof fullBlock>;

const transactionByTxid = struct('transaction_by_txid', { transaction: processedTransaction, block_number: u32 });

const transactionConfirmation = struct('transaction_confirmation', {
  id: transactionId,
  block_num: u32,
  trx_in_block: u32,
  /** True when no fork switch can take the block back. */
  irreversible: bool,
  transaction: processedTransaction,
});

/** Blocks that the debug API made for witnesses whose keys it did not have are not signed. */
function signingKey(block: SignedBlock): PublicKey {
  if (block.witness_signature.every((byte) => byte === 0)) return NULL_PUBLIC_KEY;
  return signatureBackend().recover(blockHeaderDigest(encode(blockHeader, block)), block.witness_signature);
}

export function describeBlock(stored: StoredBlock): FullBlock {
  const { block, id } = stored;
  return {
    ...block,
    block_id: id,
    signing_key: signingKey(block),
    transaction_ids: block.transactions.map(idOfTransaction),
    ref_block_prefix: tapos(id).ref_block_prefix,
  };
}

/** A block that was printed before is not even read again. */
interface ShownBlock {
  readonly text: string;
}

/** The same on the wire as `nullable(fullBlock)`; what a client decodes is a FullBlock. */
const shownBlock: PrintingType<FullBlock | ShownBlock | undefined> = {
  ...(nullable(fullBlock) as Type<FullBlock | ShownBlock | undefined>),
  print: (block, network) =>
    block === undefined ? 'null' : 'text' in block ? block.text : printerOf(fullBlock)(block, network),
};

function show({ node, services }: RpcContext, id: string, read: () => StoredBlock | undefined): ShownBlock | undefined {
  const known = services.blockTexts.find(id);
  if (known !== undefined) return { text: known };
  const stored = read();
  if (stored === undefined) return undefined;
  const text = printerOf(fullBlock)(describeBlock(stored), node.chain.state.network);
  services.blockTexts.put(stored.id, text);
  return { text };
}

interface Found {
  readonly id: string;
  readonly block: number;
  readonly position: number;
  readonly transaction: ProcessedTransaction;
}

/** A transaction of the chain by id, wherever its block is; undefined when the chain does not hold it. */
function findTransaction({ node, services }: RpcContext, id: string): Found | undefined {
  const place = services.confirmations.find(id);
  if (place === undefined) return undefined;
  const transaction = node.chain.blockByNumber(place.block)?.block.transactions[place.position];
  // The index on disk may lag behind a fork switch: the block itself decides.
  if (transaction === undefined || idOfTransaction(transaction) !== id) return undefined;
  return { id, block: place.block, position: place.position, transaction };
}

function irreversibleNumber({ node }: RpcContext): number {
  return node.chain.state.single(dynamicGlobalPropertyObject).last_irreversible_block_num;
}

export const blockMethods = {
  get_block_header: method({
    about: 'Header of a block; null when the node does not have it.',
    params: { block_num: u32 },
    result: nullable(blockHeader),
    run: ({ node }, { block_num }) => node.chain.blockByNumber(block_num)?.block,
  }),
  get_block: method({
    about: 'A block with its id, the key that signed it and the ids of its transactions; null when unknown.',
    params: { block_num: u32 },
    result: shownBlock as Type<FullBlock | undefined>,
    run: (context, { block_num }) => {
      const { chain } = context.node;
      return show(context, chain.blockIdOf?.(block_num) ?? '', () => chain.blockByNumber(block_num)) as
        | FullBlock
        | undefined;
    },
  }),
  get_block_by_id: method({
    about: 'As get_block, by block id.',
    params: { block_id: blockId },
    result: shownBlock as Type<FullBlock | undefined>,
    run: (context, { block_id }) =>
      show(context, block_id, () => context.node.chain.blockById(block_id)) as FullBlock | undefined,
  }),
  get_transaction: method({
    about: 'A transaction by block number and position.',
    params: { block_num: u32, trx_in_block: u32 },
    result: processedTransaction,
    run: ({ node }, { block_num, trx_in_block }) => {
      const stored = node.chain.blockByNumber(block_num);
      check(stored !== undefined, BLOCK_API_ERRORS.transaction_block_missing, { block_num });
      const found = stored.block.transactions[trx_in_block];
      const count = stored.block.transactions.length;
      check(found !== undefined, BLOCK_API_ERRORS.transaction_position, { block_num, count, trx_num: trx_in_block });
      return found;
    },
  }),
  get_transaction_rows: method({
    about: 'A transaction by id once its block is irreversible; null before that and when unknown.',
    params: { txid: transactionId },
    result: nullable(processedTransaction),
    run: (context, { txid }): ProcessedTransaction | undefined => {
      const found = findTransaction(context, txid);
      return found !== undefined && found.block <= irreversibleNumber(context) ? found.transaction : undefined;
    },
  }),
  get_transaction_by_txid: method({
    about:
      'A transaction by id with the number of its block once that is irreversible; an empty transaction and 0 before that and when unknown.',
    params: { txid: transactionId },
    result: transactionByTxid,
    run: (context, { txid }) => {
      const found = findTransaction(context, txid);
      // Clients take an answer for the proof that no fork switch can take the transaction back.
      return found !== undefined && found.block <= irreversibleNumber(context)
        ? { transaction: found.transaction, block_number: found.block }
        : transactionByTxid.default();
    },
  }),
  get_recent_transaction_by_id: method({
    about: 'A transaction that has not expired yet, pending or in a block; null when unknown.',
    params: { txid: transactionId },
    result: nullable(signedTransaction),
    run: ({ node }, { txid }): SignedTransaction | undefined =>
      node.chain.state.findBy(transactionObject.by.trxId, txid)?.trx,
  }),
  get_account_relative_ops: method({
    about: 'Operations of an account from the history on disk; null without the account_history_kv plugin.',
    params: { account: accountId, start: u32, limit: u32 },
    result: json,
    run: () => null,
  }),
};

/** Ours: the family has no method that says whether a transaction is final. */
export const confirmationMethods = {
  get_transaction_confirmation: method({
    about:
      'Where a transaction stands: its block, its position and whether the block is irreversible; null when unknown.',
    params: { txid: transactionId },
    result: nullable(transactionConfirmation),
    run: (context, { txid }) => {
      const found = findTransaction(context, txid);
      if (found === undefined) return undefined;
      return {
        id: txid,
        block_num: found.block,
        trx_in_block: found.position,
        irreversible: found.block <= irreversibleNumber(context),
        transaction: found.transaction,
      };
    },
  }),
};
