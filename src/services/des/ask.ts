import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { ChainError } from '../../base/errors.js';
import { parseJson } from '../../codec/json.js';
import { isJsonObject } from '../../codec/struct.js';
import { checkOutside, outsideLookup } from '../common/outside.js';
import { nonceValue } from './declared.js';

/** One question to one source, over whatever address it has named, in bounded time and memory. */

export type SourceAnswer =
  | { readonly kind: 'data'; readonly data: string; readonly nonce: string | undefined }
  | { readonly kind: 'none' }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'stopped' }
  /** `isReached`: somebody has taken the connection; whatever came of it then may be due to the question. */
  | {
      readonly kind: 'fail';
      readonly comment: 'QUERY_FAIL' | 'DATASOURCE_FAIL';
      readonly why: string;
      readonly isReached: boolean;
    };

export interface AskLimits {
  readonly connectMs: number;
  readonly bytesMax: number;
  readonly allowPrivate: boolean;
}

const MS_MAX = 2_000_000_000;

const failed = (why: string, isReached = true): SourceAnswer => ({
  kind: 'fail',
  comment: 'DATASOURCE_FAIL',
  why,
  isReached,
});

/** What the answer's body means. */
export function readAnswer(text: string): SourceAnswer {
  let value: ReturnType<typeof parseJson>;
  try {
    value = parseJson(text);
  } catch (error) {
    if (error instanceof ChainError) return failed('its answer is no JSON');
    throw error;
  }
  if (!isJsonObject(value)) return failed('its answer is no object');
  if (value.success === false)
    return { kind: 'fail', comment: 'QUERY_FAIL', why: 'it could not find out', isReached: true };
  const { data, nonce } = value;
  if (data === undefined || data === null || data === '') return { kind: 'none' };
  const isHex = typeof data === 'string' && /^(?:[0-9a-fA-F]{2})+$/.test(data);
  if (!isHex) return failed('its data is not hex');
  if (nonce === undefined || nonce === null) return { kind: 'data', data, nonce: undefined };
  try {
    return { kind: 'data', data, nonce: nonceValue.fromJson(nonce).digits };
  } catch (error) {
    if (error instanceof ChainError) return failed('its nonce is no number');
    throw error;
  }
}

const readStatus = (status: number, text: string): SourceAnswer =>
  status === 404 ? { kind: 'none' } : status === 200 ? readAnswer(text) : failed(`it answers with status ${status}`);

/** Where it is allowed to ask; otherwise why not. */
function allowed(target: string, allowPrivate: boolean): URL | string {
  try {
    return checkOutside(target, allowPrivate);
  } catch (error) {
    if (error instanceof ChainError) return error.message;
    throw error;
  }
}

interface Question {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined: nothing is asked. */
  readonly body: Uint8Array | undefined;
  readonly deadlineMs: number;
  readonly limits: Pick<AskLimits, 'connectMs' | 'allowPrivate'>;
  readonly stop: AbortSignal;
}

/** What becomes of it if there is no answer. */
interface Ends<T> {
  readonly stopped: T;
  readonly late: T;
  /** `isReached`: somebody has taken the connection, and is who he has to be. */
  failed(why: string, isReached: boolean): T;
  /** Where that is all that was wanted. */
  readonly reached?: T;
}

/** Each is a connection of its own: nothing of one source waits for another one's. What comes first ends it. */
function send<T>(
  { url, headers, body, deadlineMs, limits: { connectMs, allowPrivate }, stop }: Question,
  ends: Ends<T>,
  onResponse?: (response: IncomingMessage, end: (answer: T) => void) => void,
): Promise<T> {
  return new Promise((resolve) => {
    const isSecure = url.protocol === 'https:';
    const options = { method: 'POST', headers, lookup: outsideLookup(allowPrivate), agent: false };
    const asked = (isSecure ? httpsRequest : httpRequest)(url, options);
    let isReached = false;
    const end = (answer: T): void => {
      clearTimeout(connecting);
      clearTimeout(deadline);
      stop.removeEventListener('abort', onStop);
      asked.destroy();
      resolve(answer);
    };
    const onStop = (): void => end(ends.stopped);
    const deadline = setTimeout(() => end(ends.late), Math.min(MS_MAX, Math.max(0, deadlineMs)));
    const connecting = setTimeout(() => end(ends.failed('it does not take the connection', false)), connectMs);
    stop.addEventListener('abort', onStop, { once: true });
    if (stop.aborted) onStop();
    asked.on('socket', (socket) => {
      socket.once('connect', () => clearTimeout(connecting));
      socket.once(isSecure ? 'secureConnect' : 'connect', () => {
        isReached = true;
        if (ends.reached !== undefined) end(ends.reached);
      });
    });
    asked.on('error', (error) => end(ends.failed(error.message, isReached)));
    asked.on('response', (response) => onResponse?.(response, end));
    if (body !== undefined) asked.end(body);
  });
}

/** Whether a question would get there, by the same rules and with as much patience. Nothing is asked. */
export function isReached(
  target: string,
  deadlineMs: number,
  limits: Pick<AskLimits, 'connectMs' | 'allowPrivate'>,
  stop: AbortSignal,
): Promise<boolean> {
  const url = allowed(target, limits.allowPrivate);
  if (typeof url === 'string') return Promise.resolve(false);
  const ends = { stopped: false, late: false, failed: () => false, reached: true };
  return send({ url, headers: {}, body: undefined, deadlineMs, limits, stop }, ends);
}

/** Redirects are answers like others: nobody follows them. */
export function askSource(
  target: string,
  text: string,
  headers: Readonly<Record<string, string>>,
  deadlineMs: number,
  limits: AskLimits,
  stop: AbortSignal,
): Promise<SourceAnswer> {
  const url = allowed(target, limits.allowPrivate);
  if (typeof url === 'string') return Promise.resolve(failed(url, false));
  const body = Buffer.from(text);
  const all = { 'Content-Type': 'application/json', 'Content-Length': String(body.length), ...headers };
  const ends: Ends<SourceAnswer> = { stopped: { kind: 'stopped' }, late: { kind: 'timeout' }, failed };
  return send({ url, headers: all, body, deadlineMs, limits, stop }, ends, (response, end) => {
    const pieces: Buffer[] = [];
    let size = 0;
    response.on('data', (piece: Buffer) => {
      size += piece.length;
      pieces.push(piece);
      if (size > limits.bytesMax) end(failed('its answer is too long'));
    });
    response.on('error', (error) => end(failed(error.message)));
    response.on('aborted', () => end(failed('its answer ends in the middle')));
    response.on('end', () => end(readStatus(response.statusCode ?? 0, Buffer.concat(pieces).toString('utf8'))));
  });
}
