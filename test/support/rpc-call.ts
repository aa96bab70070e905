import { encodeWith } from '../../src/codec/binary.js';
import { signatureDigest, tapos } from '../../src/crypto/digests.js';
import type { PrivateKey } from '../../src/crypto/private-key.js';
import { signatureBackend } from '../../src/crypto/signature.js';
import { type SignedTransaction, signedTransaction, transaction } from '../../src/protocol/transaction.js';
import { NETWORK } from './network.js';

/** A client without an SDK: requests over HTTP, transactions made from JSON. */

/** The answer as it came: numbers beyond those of JavaScript are still in it. */
export async function rpcText(endpoint: string | undefined, method: string, params: unknown[]): Promise<string> {
  const response = await fetch(`http://${endpoint}/rpc`, {
    method: 'POST',
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  return response.text();
}

export async function rpcCall<T>(endpoint: string | undefined, method: string, params: unknown[]): Promise<T> {
  const answer = JSON.parse(await rpcText(endpoint, method, params)) as { result?: T; error?: { message: string } };
  if (answer.error !== undefined) throw new Error(answer.error.message);
  return answer.result as T;
}

interface Properties {
  readonly head_block_id: string;
  readonly time: string;
}

const LIFETIME_MS = 60_000;

/** A proposal's stands before those of what it proposes. */
const ownFee = (fee: unknown): unknown => (Array.isArray(fee) ? fee[0] : fee);

/** Operations with the fee that the node asks for, signed if there is a key. */
export async function signedBy(
  endpoint: string | undefined,
  key: PrivateKey | undefined,
  operations: readonly (readonly [tag: number, body: object])[],
): Promise<SignedTransaction> {
  const head = await rpcCall<Properties>(endpoint, 'get_dynamic_global_properties', []);
  const chainId = await rpcCall<string>(endpoint, 'get_chain_id', []);
  const free = operations.map(([tag, body]) => [tag, { fee: { amount: 0, asset_id: '1.3.1' }, ...body }]);
  const fees = await rpcCall<unknown[]>(endpoint, 'get_required_fees', [free, '1.3.1']);
  const unsigned = {
    ...tapos(head.head_block_id),
    expiration: new Date(Date.parse(`${head.time}Z`) + LIFETIME_MS).toISOString().slice(0, 19),
    operations: operations.map(([tag, body], i) => [tag, { ...body, fee: ownFee(fees[i]) }]),
    extensions: [],
    signatures: [],
  };
  const tx = signedTransaction.fromJson(unsigned as never, NETWORK);
  const digest = encodeWith(transaction, tx, (bytes) => signatureDigest(chainId, bytes));
  return { ...tx, signatures: key === undefined ? [] : [signatureBackend().sign(digest, key)] };
}
