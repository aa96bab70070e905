import { ChainError } from '../../base/errors.js';
import type { Json } from '../../codec/json.js';
import { JSON_ERRORS } from '../../codec/json.js';
import { HTTP_ERRORS } from '../../http/errors.js';
import type { Header, HttpAnswer } from '../../http/handler.js';
import { writeJson } from '../../trade/json.js';
import { CHAIN_ERRORS, toldOfChain } from '../chain/errors.js';
import { isDatabaseError } from '../common/database.js';
import { isOneOf } from '../common/error-rows.js';
import { SCHEMA_ERRORS } from '../common/schema.js';
import type { Budget } from './budget.js';
import { GATEWAY_ERRORS } from './errors.js';

/** How the gateway answers: what was asked for, or a status and the name of what is wrong. */

const HEADERS: readonly Header[] = [
  ['Content-Type', 'application/json'],
  ['Cache-Control', 'no-store'],
];
const RETRY_SEC = 1;

export const answer = (value: Json, status = 200): HttpAnswer => ({ status, headers: HEADERS, body: writeJson(value) });

/** The trouble of other rooms in the words of this service. */
function inOwnWords(error: ChainError): ChainError {
  const { row, message: why } = error;
  if (isOneOf(row, CHAIN_ERRORS)) return new ChainError(GATEWAY_ERRORS.gateway_chain, { why: toldOfChain(error) });
  if (row === HTTP_ERRORS.http_rate) return new ChainError(GATEWAY_ERRORS.gateway_rate);
  if (row === HTTP_ERRORS.http_path) return new ChainError(GATEWAY_ERRORS.gateway_not_found);
  const isGiven = isOneOf(row, SCHEMA_ERRORS) || isOneOf(row, JSON_ERRORS);
  return isGiven ? new ChainError(GATEWAY_ERRORS.gateway_params, { why }) : error;
}

export function refusalAnswer(status: number, given: ChainError, budget: Budget): HttpAnswer {
  const error = inOwnWords(given);
  const { row } = error;
  const isOwn = isOneOf(row, GATEWAY_ERRORS);
  const isTomorrow = row === GATEWAY_ERRORS.gateway_budget || row === GATEWAY_ERRORS.gateway_address;
  const retrySec = isTomorrow ? budget.untilTomorrowSec : row === GATEWAY_ERRORS.gateway_rate ? RETRY_SEC : undefined;
  const retry: Header[] = retrySec === undefined ? [] : [['Retry-After', String(retrySec)]];
  return {
    // What HTTP itself refuses keeps its status.
    status: isOwn ? error.code : status,
    headers: [...HEADERS, ...retry],
    body: writeJson({ code: isOwn ? row.name : error.key.toUpperCase(), msg: error.message }),
  };
}

/** A failure of the database is nobody's fault who asks. */
export async function inDatabase<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isDatabaseError(error)) {
      throw new ChainError(GATEWAY_ERRORS.gateway_database);
    }
    throw error;
  }
}
