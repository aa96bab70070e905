import { ChainError } from '../../base/errors.js';
import type { Json } from '../../codec/json.js';
import { HTTP_ERRORS } from '../../http/errors.js';
import type { Header, HttpAnswer } from '../../http/handler.js';
import { writeJson } from '../../trade/json.js';
import { CHAIN_ERRORS } from '../chain/errors.js';
import { isDatabaseError } from '../common/database.js';
import { isOneOf } from '../common/error-rows.js';
import { SCHEMA_ERRORS } from '../common/schema.js';
import { DES_ERRORS } from './errors.js';

/** How the exchange answers: what was asked for, or a status and the name of what is wrong. */

const HEADERS: readonly Header[] = [
  ['Content-Type', 'application/json'],
  ['Cache-Control', 'no-store'],
];
const RETRY_SEC = 1;

export const answer = (value: Json): HttpAnswer => ({ status: 200, headers: HEADERS, body: writeJson(value) });

/** The trouble of other rooms in the words of this service. */
function inOwnWords(error: ChainError): ChainError {
  const { row, message: why } = error;
  // Where the node is, and what else its URL may have in it, is the operator's alone: the log says it.
  if (row === CHAIN_ERRORS.chain_unreachable) return new ChainError(DES_ERRORS.des_time_out);
  if (isOneOf(row, CHAIN_ERRORS)) return new ChainError(DES_ERRORS.des_unknown, { why });
  if (row === HTTP_ERRORS.http_rate) return new ChainError(DES_ERRORS.des_rate, { whom: 'this address' });
  if (row === HTTP_ERRORS.http_path) return new ChainError(DES_ERRORS.des_not_found, { what: 'path' });
  const isWrong = isOneOf(row, SCHEMA_ERRORS) || row === HTTP_ERRORS.http_request_size || error.kind === 'invalid';
  if (isWrong) return new ChainError(DES_ERRORS.des_params, { why });
  return error;
}

export function refusalAnswer(status: number, given: ChainError): HttpAnswer {
  const error = isOneOf(given.row, DES_ERRORS) ? given : inOwnWords(given);
  const isOwn = isOneOf(error.row, DES_ERRORS);
  // What HTTP itself refuses keeps its status.
  const isTransport = isOneOf(given.row, HTTP_ERRORS) && error.row === DES_ERRORS.des_params;
  const retry: Header[] = error.row === DES_ERRORS.des_rate ? [['Retry-After', String(RETRY_SEC)]] : [];
  return {
    status: isOwn && !isTransport ? error.code : status,
    headers: [...HEADERS, ...retry],
    body: writeJson({ code: isOwn ? error.row.name : 'UNKNOWN_ERROR', message: error.message }),
  };
}

/** A failure of the database is nobody's fault who asks. */
export async function inDatabase<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isDatabaseError(error)) throw new ChainError(DES_ERRORS.des_unknown, { why: 'its database took no change' });
    throw error;
  }
}
