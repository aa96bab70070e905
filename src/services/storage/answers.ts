import { ChainError, type ErrorRow } from '../../base/errors.js';
import { HTTP_ERRORS } from '../../http/errors.js';
import type { Header, HttpAnswer, HttpRequest } from '../../http/handler.js';
import { CHAIN_ERRORS, toldOfChain } from '../chain/errors.js';
import { isOneOf } from '../common/error-rows.js';
import { SCHEMA_ERRORS } from '../common/schema.js';
import { BLOCK_FILE_ERRORS } from '../content/block-files.js';
import { STORAGE_ERRORS } from './errors.js';

/**
 * How paid storage answers: a number and a name in the body. Calls that are about money answer with status 200 whatever
 * the result, because clients look at the body alone, and 401, 402, 407 and 408 have meanings of their own to what stands
 * in between.
 */

export const PREFIXES = ['/storage', '/api', '/api/storage'] as const;

const JSON_TYPE: Header = ['Content-Type', 'application/json'];
const RETRY_SEC = 1;

export const ok = (data: object): HttpAnswer => ({
  status: 200,
  headers: [JSON_TYPE, ['Cache-Control', 'no-store']],
  body: JSON.stringify({ code: 200, msg: 'ok', data }),
});

/** The trouble of other rooms in the words of this service. */
function inOwnWords(error: ChainError, isStore: boolean, dataMax: number): ChainError {
  const { row } = error;
  if (isOneOf(row, CHAIN_ERRORS)) return new ChainError(STORAGE_ERRORS.storage_chain, { why: toldOfChain(error) });
  if (isOneOf(row, BLOCK_FILE_ERRORS)) return new ChainError(STORAGE_ERRORS.storage_store);
  if (row === HTTP_ERRORS.http_rate) return new ChainError(STORAGE_ERRORS.storage_rate, { whom: 'this address' });
  if (isStore && row === HTTP_ERRORS.http_request_size) {
    return new ChainError(STORAGE_ERRORS.storage_size, { limit: dataMax });
  }
  const isForm = row === HTTP_ERRORS.http_form || row === HTTP_ERRORS.http_media_type;
  if (isOneOf(row, SCHEMA_ERRORS) || isForm || row === HTTP_ERRORS.http_query_twice) {
    return new ChainError(STORAGE_ERRORS.storage_param, { why: error.message });
  }
  return error;
}

/** Where the body says something, and the status is only that of HTTP. */
const STATUS: ReadonlyMap<ErrorRow, number> = new Map([
  [STORAGE_ERRORS.storage_rate, 429],
  [STORAGE_ERRORS.storage_no_data, 404],
  [STORAGE_ERRORS.storage_format, 406],
]);

const isMoney = (path: string): boolean => /^(?:\/api)?(?:\/storage)?\/(?:store|provider)$/.test(path);

export function refusalAnswer(dataMax: number, { path }: HttpRequest, status: number, given: ChainError): HttpAnswer {
  const error = inOwnWords(given, isMoney(path), dataMax);
  const isOwn = isOneOf(error.row, STORAGE_ERRORS);
  const body = isOwn
    ? { code: error.code, msg: error.row.name, data: null, hint: error.message }
    : { code: status, msg: error.key.toUpperCase(), data: null, hint: error.message };
  const isAnswer = isOwn && isMoney(path) && error.row !== STORAGE_ERRORS.storage_rate;
  const retry: Header[] = error.row === STORAGE_ERRORS.storage_rate ? [['Retry-After', String(RETRY_SEC)]] : [];
  return {
    status: isAnswer ? 200 : (STATUS.get(error.row) ?? status),
    headers: [JSON_TYPE, ['Cache-Control', 'no-store'], ...retry],
    body: JSON.stringify(body),
  };
}
