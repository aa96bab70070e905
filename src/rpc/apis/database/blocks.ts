import * as declared from '../../../api/chain.js';
import { transactionByTxid } from '../../../api/chain.js';
import { check, defineErrors } from '../../../base/errors.js';
import { decode, encode } from '../../../codec/binary.js';
import { TRUSTED_RULES } from '../../../codec/decode-rules.js';
import type { Type, ValueOf } from '../../../codec/type.js';
import { blockHeaderDigest, tapos, transactionId } from '../../../crypto/digests.js';
import { NULL_PUBLIC_KEY, type PublicKey } from '../../../crypto/public-key.js';
import { signatureBackend } from '../../../crypto/signature.js';
import { blockHeader, type SignedBlock, signedBlock } from '../../../protocol/block.js';
import {
  type ProcessedTransaction,
  processedTransaction,
  type SignedTransaction,
} from '../../../protocol/transaction.js';
import { dynamicGlobalPropertyObject } from '../../../state/objects/dynamic-global-property.js';
import { asRemembered, transactionObject } from '../../../state/objects/transaction.js';
import { implement, type RpcContext } from '../../define.js';
import { transactionBody } from '../../objects/remembered-transaction.js';
import { storedBlock } from '../../objects/stored-block.js';
import type { Pieces } from '../../pieces/pieces.js';
import { printPieces, Sink } from '../../pieces/print.js';
import { printerOf } from '../../pieces/printers.js';
import { printsBy } from '../../pieces/printing-type.js';
import { readPieces } from '../../pieces/read.js';
import type { PackedBlock } from '../../ports.js';
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

function describe(id: string, block: SignedBlock, transaction_ids: string[]): FullBlock {
  return {
    ...block,
    block_id: id,
    signing_key: signingKey(block),
    transaction_ids,
    ref_block_prefix: tapos(id).ref_block_prefix,
  };
}

export function describeBlock(id: string, block: SignedBlock): FullBlock {
  return describe(id, block, block.transactions.map(idOfTransaction));
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

function* show(
  { node, services }: RpcContext,
  id: string,
  find: () => PackedBlock | undefined,
): Pieces<ShownBlock | undefined> {
  const known = services.blockTexts.find(id);
  if (known !== undefined) return { text: known };
  const stored = find();
  if (stored === undefined) return undefined;
  const ids: string[] = [];
  // The signed part of a transaction begins with the first of these fields and ends with the last one.
  let begin = 0;
  const block = yield* readPieces(signedBlock, stored.bytes, (struct, field, from, to) => {
    if (struct !== processedTransaction) return;
    if (field === 'ref_block_num') begin = from;
    else if (field === 'extensions') ids.push(transactionId(stored.bytes.subarray(begin, to)));
  });
  const sink = new Sink(Number.POSITIVE_INFINITY);
  yield* printPieces(declared.fullBlock, describe(stored.id, block, ids), sink, node.chain.state.network);
  const text = sink.text();
  services.blockTexts.put(stored.id, text);
  yield;
  return { text };
}

interface Found {
  readonly id: string;
  readonly block: number;
  readonly position: number;
  readonly transaction: ProcessedTransaction;
}

/** A transaction of the chain by id, wherever its block is; undefined when the chain does not hold it. */
function* findTransaction({ node, services }: RpcContext, id: string): Pieces<Found | undefined> {
  const place = services.confirmations.find(id);
  if (place === undefined) return undefined;
  const block = yield* storedBlock(node.chain, place.block);
  const transaction = block?.transactions[place.position];
  // The index on disk may lag behind a fork switch: the block itself decides.
  if (transaction === undefined || idOfTransaction(transaction) !== id) return undefined;
  return { id, block: place.block, position: place.position, transaction };
}

function irreversibleNumber({ node }: RpcContext): number {
  return node.chain.state.single(dynamicGlobalPropertyObject).last_irreversible_block_num;
}

export const blockMethods = implement(declared.blockMethods, {
  get_block_header: ({ node }, { block_num }) => {
    const stored = node.chain.packedBlock(block_num);
    // The header stands in front; most of the block is never looked at.
    return stored === undefined ? undefined : decode(blockHeader, stored.bytes, 'ignore', TRUSTED_RULES);
  },
  get_block: (context, { block_num }) => {
    const { chain } = context.node;
    const shown = show(context, chain.blockIdOf?.(block_num) ?? '', () => chain.packedBlock(block_num));
    return shown as Pieces<FullBlock | undefined>;
  },
  get_block_by_id: (context, { block_id }) =>
    show(context, block_id, () => context.node.chain.packedBlockById(block_id)) as Pieces<FullBlock | undefined>,
  *get_transaction({ node }, { block_num, trx_in_block }) {
    const block = yield* storedBlock(node.chain, block_num);
    check(block !== undefined, BLOCK_API_ERRORS.transaction_block_missing, { block_num });
    const found = block.transactions[trx_in_block];
    const count = block.transactions.length;
    check(found !== undefined, BLOCK_API_ERRORS.transaction_position, { block_num, count, trx_num: trx_in_block });
    return found;
  },
  *get_transaction_rows(context, { txid }) {
    const found = yield* findTransaction(context, txid);
    return found !== undefined && found.block <= irreversibleNumber(context) ? found.transaction : undefined;
  },
  *get_transaction_by_txid(context, { txid }) {
    const found = yield* findTransaction(context, txid);
    // Clients take an answer for the proof that no fork switch can take the transaction back.
    return found !== undefined && found.block <= irreversibleNumber(context)
      ? { transaction: found.transaction, block_number: found.block }
      : transactionByTxid.default();
  },
  *get_recent_transaction_by_id({ node }, { txid }): Pieces<SignedTransaction | undefined> {
    const found = node.chain.state.findBy(transactionObject.by.trxId, txid);
    return found === undefined ? undefined : yield* transactionBody(node.chain, asRemembered(found));
  },
  get_account_relative_ops: () => undefined,
  get_account_relative_blocks: () => undefined,
});

/** Ours: the family has no method that says whether a transaction is final. */
export const confirmationMethods = implement(declared.confirmationMethods, {
  *get_transaction_confirmation(context, { txid }) {
    const found = yield* findTransaction(context, txid);
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
