import { decode, encode, encodeWith } from '../codec/binary.js';
import type { Fields, StructValue } from '../codec/struct.js';
import { type BlockId, type ChainId, signatureDigest, tapos, transactionId } from '../crypto/digests.js';
import type { PrivateKey } from '../crypto/private-key.js';
import { signatureBackend } from '../crypto/signature.js';
import { makeAsset } from '../protocol/asset.js';
import { CORE_ASSET, type Instance } from '../protocol/ids.js';
import type { Operation, OperationBody } from '../protocol/operation-slot.js';
import type { OperationDeclaration } from '../protocol/operations/declare.js';
import { type SignedTransaction, signedTransaction, transaction } from '../protocol/transaction.js';
import type { NodeClient } from './client.js';

/** Transactions made by a client: built from declared operations, priced by the node, signed here, sent anywhere. */

/** The members of an operation that have to be given: the fee is put in when the transaction is priced. */
export type BodyOf<D> =
  D extends OperationDeclaration<infer F extends Fields, infer _P extends Fields> ? Omit<StructValue<F>, 'fee'> : never;

/** An operation without its fee, e.g. `operationOf(transferOperation, { from, to, amount, … })`. */
export function operationOf<F extends Fields, P extends Fields>(
  { tag }: OperationDeclaration<F, P>,
  body: Omit<StructValue<F>, 'fee'>,
): Operation {
  return [tag, { ...body, fee: makeAsset(0n, CORE_ASSET) } as OperationBody];
}

export interface BuildOptions {
  /** Seconds after the head block's time until which a block may take it. */
  readonly lifetimeSec?: number;
  /** In which fees are paid; the core asset if it says nothing. */
  readonly feeAsset?: Instance;
  /** The head to bind it to, where it is known already. */
  readonly head?: { readonly head_block_id: BlockId; readonly time: number };
}

const LIFETIME_SEC = 60;

/** With the fees that the node asks for, bound to its head block, without signatures. */
export async function buildTransaction(
  client: Pick<NodeClient, 'database'>,
  operations: readonly Operation[],
  { lifetimeSec = LIFETIME_SEC, feeAsset = CORE_ASSET, head }: BuildOptions = {},
): Promise<SignedTransaction> {
  const { head_block_id, time } = head ?? (await client.database.get_dynamic_global_properties());
  const fees = await client.database.get_required_fees({ ops: [...operations], id: feeAsset });
  return {
    ...tapos(head_block_id),
    expiration: time + lifetimeSec,
    operations: operations.map(([tag, body], i): Operation => {
      const named = fees[i];
      if (named === undefined)
        throw new Error(`the node names ${fees.length} fees for ${operations.length} operations`);
      return [tag, { ...body, fee: named.fee }];
    }),
    extensions: [],
    signatures: [],
  };
}

/** The same transaction with a further signature by each key. */
export function signTransaction(
  trx: SignedTransaction,
  chainId: ChainId,
  keys: readonly PrivateKey[],
): SignedTransaction {
  const digest = encodeWith(transaction, trx, (bytes) => signatureDigest(chainId, bytes));
  const backend = signatureBackend();
  return { ...trx, signatures: [...trx.signatures, ...keys.map((key) => backend.sign(digest, key))] };
}

/** As it goes over the wire. */
export const packTransaction = (trx: SignedTransaction): Uint8Array => encode(signedTransaction, trx);

export const unpackTransaction = (bytes: Uint8Array): SignedTransaction => decode(signedTransaction, bytes);

/** By which the chain finds it; signatures do not count. */
export const idOfTransaction = (trx: SignedTransaction): string => encodeWith(transaction, trx, transactionId);
