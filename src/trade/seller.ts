import { ChainError, check, defineErrors } from '../base/errors.js';
import { type Json, type JsonObject, parseJson } from '../codec/json.js';
import { isJsonObject } from '../codec/struct.js';
import type { PrivateKey } from '../crypto/private-key.js';
import { DEFAULT_KEY_PREFIX, type PublicKey, publicKeyFromText } from '../crypto/public-key.js';
import { heartbeatText, signText } from './authorization.js';
import { writeJson } from './json.js';
import { md5, openSealed, sealPacket } from './packets.js';

/** A seller's side of the exchange: heartbeats, and questions that come encrypted and go back as encrypted answers. */

export const SELLER_ERRORS = defineErrors({
  seller_question: { text: 'the question is not as agreed upon: ${why}' },
  seller_memo: { text: 'the memo is not the MD5 of the question' },
  seller_stale: { text: 'the question was asked too long ago, or in the future' },
});

/** What the exchange asks, still encrypted. */
export interface Question {
  readonly params: string;
  readonly buyerKey: PublicKey;
  readonly productId: number;
  /** Its digits. */
  readonly nonce: string;
  readonly buyer: string;
  readonly requestId: string;
  readonly memo: string | undefined;
}

const STALE_MS = 600_000;
/** Smaller ones are seconds. */
const MILLISECONDS_FROM = 1e11;
const TEXT_CHARS_MAX = 100;

const bad = (why: string): ChainError => new ChainError(SELLER_ERRORS.seller_question, { why });

export function heartbeat(
  account: string,
  key: PrivateKey,
  products: readonly number[],
  timestamp: number,
  queryUrl?: string,
): JsonObject {
  const signature = signText(heartbeatText(account, products, timestamp, queryUrl), key);
  const url = queryUrl === undefined ? {} : { queryUrl };
  return { account, products: [...products], timestamp, signature, ...url };
}

/** Members that the oldest exchanges do not send are empty. */
export function readQuestion(value: Json, keyPrefix = DEFAULT_KEY_PREFIX): Question {
  if (!isJsonObject(value)) throw bad('it is no object');
  const { params, publicKey, productId, nonce, merchantAccountId, requestId, memo } = value;
  if (typeof params !== 'string' || params === '') throw bad('params');
  if (typeof publicKey !== 'string') throw bad('publicKey');
  if (typeof productId !== 'number') throw bad('productId');
  const digits =
    typeof nonce === 'string' || typeof nonce === 'number' || typeof nonce === 'bigint' ? String(nonce) : '';
  if (!/^\d{1,20}$/.test(digits)) throw bad('nonce');
  const textOf = (one: Json | undefined): string => (typeof one === 'string' ? one.slice(0, TEXT_CHARS_MAX) : '');
  return {
    params,
    buyerKey: publicKeyFromText(publicKey, keyPrefix),
    productId,
    nonce: digits,
    buyer: textOf(merchantAccountId),
    requestId: textOf(requestId),
    memo: typeof memo === 'string' ? memo : undefined,
  };
}

/** The parameters, once it is sure that they are what the buyer has asked and paid for just now. */
export function openQuestion({ params, buyerKey, nonce, memo }: Question, key: PrivateKey, nowMs: number): JsonObject {
  const bytes = openSealed(key, buyerKey, nonce, params);
  const isAsSigned = memo === undefined || memo.replace(/^memo /, '').toLowerCase() === md5(bytes);
  check(isAsSigned, SELLER_ERRORS.seller_memo);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw bad('it is no text');
  }
  const plain = parseJson(text);
  if (!isJsonObject(plain)) throw bad('it is no object');
  const { params: given, timestamp } = plain;
  if (!isJsonObject(given)) throw bad('params');
  if (typeof timestamp !== 'number') throw bad('timestamp');
  const atMs = timestamp < MILLISECONDS_FROM ? timestamp * 1000 : timestamp;
  check(Math.abs(nowMs - atMs) <= STALE_MS, SELLER_ERRORS.seller_stale);
  return given;
}

/** What goes back: under the nonce of the question, which every buyer can read. */
export function sealAnswer({ buyerKey, nonce }: Question, key: PrivateKey, result: Json): JsonObject {
  return { success: true, data: sealPacket(key, buyerKey, nonce, writeJson(result)) };
}
