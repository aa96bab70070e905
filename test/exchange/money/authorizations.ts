import { toHex } from '../../../src/base/bytes.js';
import { PrivateKey } from '../../../src/crypto/private-key.js';
import { publicKeyFromText } from '../../../src/crypto/public-key.js';
import { accountId } from '../../../src/protocol/ids.js';
import { authorize } from '../../../src/trade/authorization.js';
import { writeJson } from '../../../src/trade/json.js';
import { md5OfText, sealPacket } from '../../../src/trade/packets.js';

/** Bodies of requests by our own code: the public library takes a hundred times as long, and is tried elsewhere. */

export interface Asker {
  readonly id: string;
  readonly wif: string;
}

export interface Asked {
  readonly id: string;
  readonly publicKey: string;
}

interface Terms {
  readonly exchange: string;
  readonly percent: number;
  readonly price: bigint;
  readonly expiration: number;
}

const NONCE_STEP = 1000;
let turn = 0;

/** The parameters each source is to get, in the order of the sources. */
export function requestBody(
  buyer: Asker,
  sources: readonly Asked[],
  params: readonly object[],
  { exchange, percent, price, expiration }: Terms,
): { readonly body: string; readonly signatures: readonly string[] } {
  const key = PrivateKey.fromWif(buyer.wif);
  const signatures: string[] = [];
  const elements = sources.map(({ id, publicKey }, i) => {
    const text = writeJson({ params: { ...params[i] }, timestamp: Date.now() });
    const nonce = String(Date.now() * NONCE_STEP + (turn++ % NONCE_STEP));
    const request = authorize(
      {
        from: accountId.fromJson(buyer.id),
        to: accountId.fromJson(id),
        proxy_account: accountId.fromJson(exchange),
        amount: { amount: price, asset_id: 1 },
        percentage: percent,
        memo: md5OfText(text),
        expiration,
      },
      key,
    );
    const signature = toHex(request.signatures[0] as Uint8Array);
    signatures.push(signature);
    return {
      params: sealPacket(key, publicKeyFromText(publicKey, 'GXC'), nonce, text),
      nonce,
      requestParams: {
        from: buyer.id,
        to: id,
        proxy_account: exchange,
        percent,
        amount: { amount: price, asset_id: '1.3.1' },
        memo: request.memo,
        expiration,
        signatures: [signature],
      },
    };
  });
  return { body: writeJson(elements), signatures };
}
