import { ChainError, type ErrorRow } from '../../base/errors.js';
import { JSON_ERRORS } from '../../codec/json.js';
import { jsonAnswer } from '../../http/answers.js';
import { HTTP_ERRORS } from '../../http/errors.js';
import type { Header, HttpAnswer, HttpRequest } from '../../http/handler.js';
import { CHAIN_ERRORS, toldOfChain } from '../chain/errors.js';
import { isOneOf } from '../common/error-rows.js';
import { SCHEMA_ERRORS } from '../common/schema.js';
import { MARKET_ERRORS } from './errors.js';
import { jsonText } from './json-text.js';

/** How the market answers: an envelope with a number, 1 for success. */

export interface Result {
  readonly data?: unknown;
  readonly total?: number;
}

const NO_STORE: Header = ['Cache-Control', 'no-store'];
const RETRY_SEC = 1;

/** Writes say `success`, reads nothing. */
export function textOf({ data, total }: Result, isWrite: boolean): string {
  return jsonText({ code: 1, msg: isWrite ? 'success' : '', data: data ?? null, total: total ?? null });
}

export function readAnswer(request: HttpRequest, result: Result): HttpAnswer | Promise<HttpAnswer> {
  return jsonAnswer(request, textOf(result, false), 200, [NO_STORE]);
}

export const writeAnswer = (text: string): HttpAnswer => ({
  status: 200,
  headers: [['Content-Type', 'application/json'], NO_STORE],
  body: text,
});

const STATUS: ReadonlyMap<ErrorRow, number> = new Map([
  [MARKET_ERRORS.market_params, 400],
  [MARKET_ERRORS.market_signature, 401],
  [MARKET_ERRORS.market_timestamp, 401],
  [MARKET_ERRORS.market_forbidden, 403],
  [MARKET_ERRORS.market_not_bound, 403],
  [MARKET_ERRORS.market_not_found, 404],
  [MARKET_ERRORS.market_duplicate, 409],
  [MARKET_ERRORS.market_vote_closed, 409],
  [MARKET_ERRORS.market_voted, 409],
  [MARKET_ERRORS.market_banned, 403],
  [MARKET_ERRORS.market_size, 413],
  [MARKET_ERRORS.market_rate, 429],
  [MARKET_ERRORS.market_chain, 503],
  [MARKET_ERRORS.market_replayed, 409],
  [MARKET_ERRORS.market_internal, 500],
]);

/** The trouble of other rooms in the words of the market. */
function inOwnWords(error: ChainError): ChainError {
  const { row } = error;
  if (isOneOf(row, MARKET_ERRORS)) return error;
  if (isOneOf(row, CHAIN_ERRORS)) return new ChainError(MARKET_ERRORS.market_chain, { why: toldOfChain(error) });
  if (row === HTTP_ERRORS.http_rate) return new ChainError(MARKET_ERRORS.market_rate, { whom: 'this address' });
  if (row === HTTP_ERRORS.http_request_size) return new ChainError(MARKET_ERRORS.market_size, { why: error.message });
  if (row === HTTP_ERRORS.http_path) return new ChainError(MARKET_ERRORS.market_not_found, { what: 'such call' });
  const isGiven = isOneOf(row, SCHEMA_ERRORS) || isOneOf(row, JSON_ERRORS) || row === HTTP_ERRORS.http_media_type;
  if (isGiven || row === HTTP_ERRORS.http_query_twice || row === HTTP_ERRORS.http_path_encoding) {
    return new ChainError(MARKET_ERRORS.market_params, { why: error.message });
  }
  return error;
}

export function refusalAnswer(_: HttpRequest, status: number, given: ChainError): HttpAnswer {
  const error = inOwnWords(given);
  const { row, message } = error;
  const isOwn = isOneOf(row, MARKET_ERRORS);
  // What HTTP itself refuses keeps its status, and has no number of the market's.
  const code = isOwn ? row.code : MARKET_ERRORS.market_internal.code;
  const name = isOwn ? row.name : error.key.toUpperCase();
  const data = row === MARKET_ERRORS.market_banned ? { retryAt: error.data.retryAt } : null;
  const retry: Header[] = row === MARKET_ERRORS.market_rate ? [['Retry-After', String(RETRY_SEC)]] : [];
  return {
    status: STATUS.get(row) ?? status,
    headers: [['Content-Type', 'application/json'], NO_STORE, ...retry],
    // Clients compare the word; only where a field is to blame it goes on.
    body: jsonText({
      code,
      msg: row === MARKET_ERRORS.market_params ? `${name}: ${message}` : name,
      data,
      total: null,
      hint: message,
    }),
  };
}
