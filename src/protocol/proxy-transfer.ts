import { encodeWith } from '../codec/binary.js';
import { array } from '../codec/containers.js';
import { text, time, u16 } from '../codec/scalars.js';
import { struct } from '../codec/struct.js';
import type { ValueOf } from '../codec/type.js';
import { sha256 } from '../crypto/hash.js';
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
  return encodeWith(proxyTransferParams, { ...request, signatures: [] }, sha256);
}
