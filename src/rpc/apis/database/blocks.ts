import * as declared from '../../../api/chain.js';
import { transactionByTxid } from '../../../api/chain.js';
import { check, defineErrors } from '../../../base/errors.js';
import { encode } from '../../../codec/binary.js';
import type { Type, ValueOf } from '../../../codec/type.js';
import { blockHeaderDigest, tapos } from '../../../crypto/digests.js';
import { NULL_PUBLIC_KEY, type PublicKey } from '../../../crypto/public-key.js';
import { signatureBackend } from '../../../crypto/signature.js';
import { blockHeader, type SignedBlock } from '../../../protocol/block.js';
import type { ProcessedTransaction, SignedTransaction } from '../../../protocol/transaction.js';
import { dynamicGlobalPropertyObject } from '../../../state/objects/dynamic-global-property.js';
import { transactionObject } from '../../../state/objects/transaction.js';
import { implement, type RpcContext } from '../../define.js';
import { printerOf } from '../../pieces/printers.js';
import { printsBy } from '../../pieces/printing-type.js';
import type { StoredBlock } from '../../ports.js';
import { idOfTransaction } from '../../remembered/confirmations.js';

export const BLOCK_API_ERRORS = defineErrors({
  transaction_block_missing: { text: 'opt_block: ', hint: 'this node has no block ${block_num}' },
  transaction_position: {
    text: 'opt_block->transactions.size() > trx_num: ',
    hint: 'block ${block_num} has ${count} transactions; there is none at ${trx_num}',
  },
});

type FullBlock = ValueOf<typeof declared.fullBlock>;

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

// What a client decodes is a FullBlock.
printsBy<FullBlock | ShownBlock | undefined>(
  declared.foundBlock as Type<FullBlock | ShownBlock | undefined>,
  (block, network) =>
    block === undefined ? 'null' : 'text' in block ? block.text : printerOf(declared.fullBlock)(block, network),
);

function show({ node, services }: RpcContext, id: string, read: () => StoredBlock | undefined): ShownBlock | undefined {
  const known = services.blockTexts.find(id);
  if (known !== undefined) return { text: known };
  const stored = read();
  if (stored === undefined) return undefined;
  const text = printerOf(declared.fullBlock)(describeBlock(stored), node.chain.state.network);
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

export const blockMethods = implement(declared.blockMethods, {
  get_block_header: ({ node }, { block_num }) => node.chain.blockByNumber(block_num)?.block,
  get_block: (context, { block_num }) => {
    const { chain } = context.node;
    return show(context, chain.blockIdOf?.(block_num) ?? '', () => chain.blockByNumber(block_num)) as
      | FullBlock
      | undefined;
  },
  get_block_by_id: (context, { block_id }) =>
    show(context, block_id, () => context.node.chain.blockById(block_id)) as FullBlock | undefined,
  get_transaction: ({ node }, { block_num, trx_in_block }) => {
    const stored = node.chain.blockByNumber(block_num);
    check(stored !== undefined, BLOCK_API_ERRORS.transaction_block_missing, { block_num });
    const found = stored.block.transactions[trx_in_block];
    const count = stored.block.transactions.length;
    check(found !== undefined, BLOCK_API_ERRORS.transaction_position, { block_num, count, trx_num: trx_in_block });
    return found;
  },
  get_transaction_rows: (context, { txid }): ProcessedTransaction | undefined => {
    const found = findTransaction(context, txid);
    return found !== undefined && found.block <= irreversibleNumber(context) ? found.transaction : undefined;
  },
  get_transaction_by_txid: (context, { txid }) => {
    const found = findTransaction(context, txid);
    // Clients take an answer for the proof that no fork switch can take the transaction back.
    return found !== undefined && found.block <= irreversibleNumber(context)
      ? { transaction: found.transaction, block_number: found.block }
      : transactionByTxid.default();
  },
  get_recent_transaction_by_id: ({ node }, { txid }): SignedTransaction | undefined =>
    node.chain.state.findBy(transactionObject.by.trxId, txid)?.trx,
  get_account_relative_ops: () => undefined,
});

/** Ours: the family has no method that says whether a transaction is final. */
export const confirmationMethods = implement(declared.confirmationMethods, {
  get_transaction_confirmation: (context, { txid }) => {
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
});
