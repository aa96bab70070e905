import { PrivateKey } from '../../../src/crypto/private-key.js';
import { systemClock } from '../../../src/node/runtime/clock.js';
import { Answerer, type AnswererParts } from '../../../src/services/datasource/answerer.js';
import { md5OfText, sealPacket } from '../../../src/trade/packets.js';
import type { Question } from '../../../src/trade/seller.js';
import { MemoryLog } from '../../support/memory-log.js';

/** A data source without its servers, and what a buyer asks it. */

export const seller = PrivateKey.fromSeed('seller');
export const buyer = PrivateKey.fromSeed('buyer');

export function question(nonce: string, params: object, productId = 1): Question {
  const text = JSON.stringify({ params, timestamp: Date.now() });
  return {
    params: sealPacket(buyer, seller.publicKey, nonce, text),
    buyerKey: buyer.publicKey,
    productId,
    nonce,
    buyer: '1.2.17',
    requestId: 'x',
    memo: md5OfText(text),
  };
}

export function answererWith(knows: AnswererParts['knows'], more: Partial<AnswererParts> = {}): Answerer {
  const product = async () => ({ input: { name: { type: 'string', required: true }, age: { type: 'integer' } } });
  return new Answerer({
    key: seller,
    knows,
    products: new Set([1]),
    product,
    productNow: product,
    asksMax: 10,
    timeoutMs: 60_000,
    clock: systemClock,
    log: new MemoryLog(),
    ...more,
  });
}
