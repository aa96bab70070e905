import { encode } from '../codec/binary.js';
import { array } from '../codec/containers.js';
import { text, time, u16 } from '../codec/scalars.js';
import { struct } from '../codec/struct.js';
import type { ValueOf } from '../codec/type.js';
import { sha256 } from '../crypto/hash.js';
import { sha256Block } from '../crypto/sha256-block.js';
import { asset } from './asset.js';
import { accountId } from './ids.js';
import { signature } from './keys.js';

/** A transfer that its user signs apart from any transaction; a proxy brings it to the chain and pays the fee. */
export const proxyTransferParams = struct('proxy_transfer_params', {
  from: accountId,
  to: accountId,
  proxy_account: accountId,
  amount: asset,
  percentage: u16,
  memo: text,
  expiration: time,
  signatures: array(signature),
});
export type ProxyTransferParams = ValueOf<typeof proxyTransferParams>;

/** What the user signs: the request without signatures, and without a chain id. */
export function proxyRequestDigest(request: ProxyTransferParams): Uint8Array {
  return sha256(packedRequest(request));
}

function packedRequest(request: ProxyTransferParams): Uint8Array {
  return encode(proxyTransferParams, { ...request, signatures: [] });
}

const BLOCK_BYTES = 64;

/**
 * What each signature of a request is checked against, the first one first.
 *
 * Quirk: the reference ends the same hash once more for every further signature. What a hash appends at its end, the
 * block that says how long the text was, then goes over the digest before.
 */
export function* proxyRequestDigests(request: ProxyTransferParams): Generator<Uint8Array, never, undefined> {
  const packed = packedRequest(request);
  const end = new Uint8Array(BLOCK_BYTES);
  end[0] = 0x80;
  new DataView(end.buffer).setBigUint64(BLOCK_BYTES - 8, 8n * BigInt(packed.length));
  let digest = sha256(packed);
  for (;;) {
    yield digest;
    digest = sha256Block(digest, end);
  }
}
