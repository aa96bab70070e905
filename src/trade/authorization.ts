import { toHex } from '../base/bytes.js';
import { sha256 } from '../crypto/hash.js';
import type { PrivateKey } from '../crypto/private-key.js';
import { signatureBackend } from '../crypto/signature.js';
import { type ProxyTransferParams, proxyRequestDigest } from '../protocol/proxy-transfer.js';

/** What buyers and sellers sign outside of the chain. */

/** A transfer that the exchange may bring to the chain, at most once. */
export function authorize(request: Omit<ProxyTransferParams, 'signatures'>, key: PrivateKey): ProxyTransferParams {
  const unsigned = { ...request, signatures: [] };
  return { ...unsigned, signatures: [signatureBackend().sign(proxyRequestDigest(unsigned), key)] };
}

/** 130 hex digits over one SHA-256 of the text. */
export function signText(text: string, key: PrivateKey): string {
  return toHex(signatureBackend().sign(sha256(new TextEncoder().encode(text)), key));
}

/** What a caller of the market signs; `target` is path and query as they are sent. */
export function marketCallText(
  account: string,
  { method, target, body }: { readonly method: string; readonly target: string; readonly body: Uint8Array },
  timestamp: string,
): string {
  return ['market-v1', account, method, target, toHex(sha256(body)), timestamp].join('|');
}

/** By which an account says whose it is, and where its source is asked. */
export function bindingText(account: string, merchantId: number, serviceUrl: string, timestamp: number): string {
  return `${account}|${merchantId}|${serviceUrl}|${timestamp}`;
}

/** The text of a heartbeat that covers products and, where there is one, the address to be asked. */
export function heartbeatText(
  account: string,
  products: readonly number[],
  timestamp: number,
  queryUrl?: string,
): string {
  const url = queryUrl === undefined ? '' : `${queryUrl}|`;
  return `${account}|${JSON.stringify(products)}|${url}${timestamp}`;
}

/** By which a source knows that it is the exchange that asks. */
export function questionText(account: string, requestId: string, timestamp: string, body: Uint8Array): string {
  return `des-v1|${account}|${requestId}|${timestamp}|${toHex(sha256(body))}`;
}
