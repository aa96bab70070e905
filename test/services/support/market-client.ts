import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { toHex } from '../../../src/base/bytes.js';
import { PrivateKey } from '../../../src/crypto/private-key.js';
import { signatureBackend } from '../../../src/crypto/signature.js';

/**
 * A client of the market as its document has it. The public library signs the same, and takes a hundred times as long: the
 * test of what it signs is one by itself.
 */

export interface MarketAccount {
  readonly id: string;
  readonly wif: string;
}

export interface MarketAnswer<D = unknown> {
  readonly status: number;
  readonly code: number;
  readonly msg: string;
  readonly data: D;
  readonly total: number | null;
  readonly headers: Headers;
}

interface Library {
  readonly PrivateKey: { fromWif(wif: string): unknown };
  readonly Signature: { signBuffer(bytes: Buffer, key: unknown): { toHex(): string } };
}

export function signTextWithLibrary(text: string, wif: string): string {
  const { PrivateKey, Signature } = createRequire(import.meta.url)('gxbjs') as Library;
  return Signature.signBuffer(Buffer.from(text, 'utf8'), PrivateKey.fromWif(wif)).toHex();
}

export function signText(text: string, wif: string): string {
  const digest = createHash('sha256').update(text, 'utf8').digest();
  return toHex(signatureBackend().sign(digest, PrivateKey.fromWif(wif)));
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The three headers of a signed call. */
export function signedHeaders(
  { id, wif }: MarketAccount,
  method: string,
  target: string,
  body: string,
  timestamp: number,
): Record<string, string> {
  const text = `market-v1|${id}|${method}|${target}|${sha256(body)}|${timestamp}`;
  return {
    'X-Market-Account': id,
    'X-Market-Timestamp': String(timestamp),
    'X-Market-Signature': signText(text, wif),
  };
}

export interface Binding {
  readonly merchantId: number;
  readonly serviceUrl: string;
  readonly timestamp: number;
}

export function bindBody({ id, wif }: MarketAccount, { merchantId, serviceUrl, timestamp }: Binding): string {
  const signature = signText(`${id}|${merchantId}|${serviceUrl}|${timestamp}`, wif);
  return JSON.stringify({ accountId: id, merchantId, serviceUrl, timestamp, signature });
}

export async function callMarket<D = unknown>(
  url: string,
  method: string,
  target: string,
  { body, headers = {} }: { readonly body?: string; readonly headers?: Record<string, string> } = {},
): Promise<MarketAnswer<D>> {
  const given = body === undefined ? {} : { body };
  const response = await fetch(`${url}${target}`, {
    method,
    ...given,
    headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
  });
  const answer = (await response.json()) as Omit<MarketAnswer<D>, 'status' | 'headers'>;
  return { status: response.status, headers: response.headers, ...answer };
}

export class MarketClient {
  readonly account: MarketAccount;
  readonly merchantId: number;
  url: string;
  readonly #nowMs: () => number;
  #lastMs = 0;

  constructor(url: string, account: MarketAccount, merchantId: number, nowMs: () => number = Date.now) {
    this.url = url;
    this.account = account;
    this.merchantId = merchantId;
    this.#nowMs = nowMs;
  }

  /** No two alike: the same call in the same millisecond would be the same signature. */
  timestamp(): number {
    this.#lastMs = Math.max(this.#lastMs + 1, this.#nowMs());
    return this.#lastMs;
  }

  get<D = unknown>(target: string): Promise<MarketAnswer<D>> {
    const headers = signedHeaders(this.account, 'GET', target, '', this.timestamp());
    return callMarket(this.url, 'GET', target, { headers });
  }

  post<D = unknown>(target: string, body: unknown = {}, more: Record<string, string> = {}): Promise<MarketAnswer<D>> {
    const text = JSON.stringify(body);
    const headers = { ...signedHeaders(this.account, 'POST', target, text, this.timestamp()), ...more };
    return callMarket(this.url, 'POST', target, { body: text, headers });
  }

  bind(serviceUrl = 'https://data.example/source', timestamp = this.timestamp()): Promise<MarketAnswer> {
    const body = bindBody(this.account, { merchantId: this.merchantId, serviceUrl, timestamp });
    return callMarket(this.url, 'POST', '/market/account/bind', { body });
  }
}

export interface VoteBegun {
  readonly voteId: number;
  readonly expireAt: number;
}

export const product = (more: object = {}): object => ({
  productName: 'Weather of yesterday',
  brieDesc: 'What it was like',
  voteThrehold: 0.7,
  categoryId: 1,
  price: { amount: 1000, assetId: '1.3.1' },
  privacy: false,
  input: { city: { type: 'string', desc: 'where', required: true, sample: 'Hangzhou' } },
  output: { degrees: { type: 'number', desc: 'how warm', sample: 21.5 } },
  ...more,
});
