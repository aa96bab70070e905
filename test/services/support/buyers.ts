import { randomInt } from 'node:crypto';
import { createRequire } from 'node:module';
import { setTimeout as pause } from 'node:timers/promises';
import { md5Hex, open, seal } from './packets.js';

/**
 * Buyers as the public clients behave on the wire: `NodeBuyer` as the JavaScript one, with its own library, `PythonBuyer`
 * as the Python one. Neither knows any of our code that makes packets or signatures.
 */

interface Library {
  readonly PrivateKey: { fromWif(wif: string): unknown };
  readonly PublicKey: { fromPublicKeyString(text: string): unknown };
  readonly Aes: {
    encrypt_with_checksum(own: unknown, other: unknown, nonce: string, message: Buffer): Buffer;
    decrypt_with_checksum(own: unknown, other: unknown, nonce: string, hex: string): Buffer;
  };
  readonly Signature: { signBuffer(bytes: Buffer, key: unknown): { toHex(): string } };
  readonly ops: {
    readonly signed_proxy_transfer_params: { fromObject(value: object): unknown; toBuffer(value: unknown): Buffer };
  };
}
const library = createRequire(import.meta.url)('gxbjs') as Library;

export interface ProductInfo {
  readonly product: {
    readonly price: { readonly amount: number; readonly asset_id: string; readonly assetId: string };
    readonly input: Readonly<Record<string, unknown>>;
  };
  readonly des: { readonly account_id: string; readonly accountId: string; readonly percent: number };
  readonly onlineDatasources: readonly {
    readonly account_id: string;
    readonly accountId: string;
    readonly publicKey: string;
  }[];
}

export interface ResultLeg {
  readonly status: string;
  readonly comment: string;
  readonly datasource: string;
  readonly datasourcePublicKey: string;
  readonly nonce: number | string;
  readonly data: unknown;
  readonly txid: string | null;
}

export interface Result {
  readonly status: string;
  readonly total: number;
  readonly datasources: readonly ResultLeg[];
}

export interface Element {
  readonly params: string;
  readonly nonce: string | number | bigint;
  readonly requestParams: Readonly<Record<string, unknown>>;
}

interface Terms {
  readonly from: string;
  readonly to: string;
  readonly proxy: string;
  readonly percent: number;
  readonly amount: number;
  readonly asset: string;
  readonly memo: string;
  readonly expiration: number;
}

/** Signed with the public library. */
export function signTerms(terms: Terms, wif: string): string {
  const type = library.ops.signed_proxy_transfer_params;
  const value = type.fromObject({
    from: terms.from,
    to: terms.to,
    proxy_account: terms.proxy,
    percentage: terms.percent,
    amount: { amount: terms.amount, asset_id: terms.asset },
    memo: terms.memo,
    expiration: terms.expiration,
    signatures: [],
  });
  return library.Signature.signBuffer(type.toBuffer(value), library.PrivateKey.fromWif(wif)).toHex();
}

export interface Answered {
  readonly status: number;
  readonly body: unknown;
}

const POLL_MS = 60;
const LIFETIME_SEC = 1800;
let spread = 0;

/** Each authorization another one, though several are made within a second. */
export const expirationFrom = (nowSec: number): number => nowSec + LIFETIME_SEC + (spread++ % 10_000);

export interface Buyer {
  readonly id: string;
  readonly wif: string;
}

export class NodeBuyer {
  readonly #url: string;
  readonly #buyer: Buyer;
  #turn = 0;
  /** Calls for the last result. */
  polls = 0;

  constructor(url: string, buyer: Buyer) {
    this.#url = url;
    this.#buyer = buyer;
  }

  async product(id: number): Promise<ProductInfo> {
    return (await fetch(`${this.#url}/api/product/${id}`)).json() as Promise<ProductInfo>;
  }

  /** One for each source that is there, and an empty list for none. */
  elements(info: ProductInfo, params: object): Element[] {
    const text = JSON.stringify({ params, timestamp: Date.now() });
    const expiration = expirationFrom(Math.floor(Date.now() / 1000));
    return info.onlineDatasources.map(({ accountId, publicKey }) => {
      const nonce = String(Date.now() * 256 + (this.#turn++ % 256));
      const own = library.PrivateKey.fromWif(this.#buyer.wif);
      const other = library.PublicKey.fromPublicKeyString(publicKey);
      const terms = {
        from: this.#buyer.id,
        to: accountId,
        proxy: info.des.accountId,
        percent: info.des.percent,
        amount: info.product.price.amount,
        asset: info.product.price.assetId,
        memo: md5Hex(text),
        expiration,
      };
      return {
        params: library.Aes.encrypt_with_checksum(own, other, nonce, Buffer.from(text)).toString('hex'),
        nonce,
        requestParams: {
          from: terms.from,
          to: terms.to,
          proxyAccount: terms.proxy,
          percent: terms.percent,
          amount: { amount: terms.amount, assetId: terms.asset },
          expiration,
          memo: terms.memo,
          signatures: [signTerms(terms, this.#buyer.wif)],
        },
      };
    });
  }

  async create(productId: number, elements: readonly Element[]): Promise<Answered> {
    return postJson(`${this.#url}/api/request/create/${productId}`, JSON.stringify(elements));
  }

  /** Looks every 60 ms for 8 s, and gives the last answer; `patienceMs` is for slow machines. */
  async result(requestId: string, patienceMs = 8000): Promise<Result> {
    const endMs = Date.now() + patienceMs;
    this.polls = 0;
    for (;;) {
      const response = await fetch(`${this.#url}/api/request/${requestId}`);
      if (response.status !== 200) throw new Error(`status ${response.status}: ${await response.text()}`);
      const result = (await response.json()) as Result;
      this.polls++;
      if (result.status === 'FINISHED' || Date.now() > endMs) return result;
      await pause(POLL_MS);
    }
  }

  decrypt({ datasourcePublicKey, nonce, data }: ResultLeg): unknown {
    const own = library.PrivateKey.fromWif(this.#buyer.wif);
    const other = library.PublicKey.fromPublicKeyString(datasourcePublicKey);
    // What it makes of a bare number beyond 2^53 is no key any more.
    const text = library.Aes.decrypt_with_checksum(own, other, String(nonce), String(data)).toString('utf8');
    return JSON.parse(text);
  }
}

export async function postJson(url: string, body: string): Promise<Answered> {
  const response = await fetch(url, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
  return { status: response.status, body: await response.json() };
}

/** As Python prints it: a space after each comma and colon, and no letters beyond ASCII. */
export function pythonJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(pythonJson).join(', ')}]`;
  if (value !== null && typeof value === 'object') {
    return `{${Object.entries(value)
      .map(([name, member]) => `${pythonJson(name)}: ${pythonJson(member)}`)
      .join(', ')}}`;
  }
  if (typeof value === 'bigint') return String(value);
  return JSON.stringify(value).replace(
    /[\u0080-\uffff]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

export class PythonBuyer {
  readonly #url: string;
  readonly #buyer: Buyer;

  constructor(url: string, buyer: Buyer) {
    this.#url = url;
    this.#buyer = buyer;
  }

  plaintext(params: object): string {
    return pythonJson({ params, timestamp: Math.floor(Date.now() / 1000) });
  }

  /** A bare number of 63 bits, and no padding where whole blocks come out. */
  element(info: ProductInfo, at: number, text: string): Element {
    const source = info.onlineDatasources[at];
    if (source === undefined) throw new Error('nobody is there');
    const nonce = (BigInt(randomInt(2 ** 31, 2 ** 32)) << 31n) | BigInt(randomInt(2 ** 31));
    const expiration = expirationFrom(Math.floor(Date.now() / 1000));
    const terms = {
      from: this.#buyer.id,
      to: source.accountId,
      proxy: info.des.accountId,
      percent: info.des.percent,
      amount: info.product.price.amount,
      asset: info.product.price.assetId,
      memo: md5Hex(text),
      expiration,
    };
    return {
      params: seal(this.#buyer.wif, source.publicKey, String(nonce), text, 'not when whole'),
      nonce,
      requestParams: {
        from: terms.from,
        to: terms.to,
        proxyAccount: terms.proxy,
        percent: terms.percent,
        amount: { amount: terms.amount, assetId: terms.asset },
        expiration,
        memo: terms.memo,
        signatures: [signTerms(terms, this.#buyer.wif)],
      },
    };
  }

  /** The id, or nothing at all where it is refused. */
  async create(productId: number, elements: readonly Element[]): Promise<string | undefined> {
    const { body } = await postJson(`${this.#url}/api/request/create/${productId}`, pythonJson(elements));
    return (body as { request_id?: string }).request_id;
  }

  /** The answers that open; undefined where time is up. */
  async result(requestId: string, patienceMs = 8000): Promise<string[] | undefined> {
    const endMs = Date.now() + patienceMs;
    while (Date.now() < endMs) {
      const text = await (await fetch(`${this.#url}/api/request/${requestId}`)).text();
      const result = JSON.parse(text) as Result;
      if (result.status === 'FINISHED') {
        // Python reads integers of any size.
        const nonces = [...text.matchAll(/"nonce":(\d+)/g)].map(([, digits = '']) => digits);
        return result.datasources.map((leg, i) =>
          leg.status === 'SUCCESS'
            ? (open(this.#buyer.wif, leg.datasourcePublicKey, nonces[i] ?? '', String(leg.data)) ?? 'closed')
            : leg.status,
        );
      }
      await pause(POLL_MS);
    }
    return undefined;
  }
}
