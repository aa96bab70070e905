import { type ClientRequest, request as httpRequest } from 'node:http';
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

/** Not sent before it is written to. Each is a connection of its own: nothing of one source waits for another one's. */
function begin(url: URL, headers: Readonly<Record<string, string>>, allowPrivate: boolean): ClientRequest {
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return send(url, { method: 'POST', headers, lookup: outsideLookup(allowPrivate), agent: false });
}

/** Once somebody has taken the connection, and is who he has to be. */
function onReached(asked: ClientRequest, url: URL, reached: () => void): void {
  asked.on('socket', (socket) => socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', reached));
}

/** Whether a question would get there, by the same rules and with as much patience. Nothing is asked. */
export function isReached(
  target: string,
  deadlineMs: number,
  { connectMs, allowPrivate }: Pick<AskLimits, 'connectMs' | 'allowPrivate'>,
  stop: AbortSignal,
): Promise<boolean> {
  const url = allowed(target, allowPrivate);
  if (typeof url === 'string' || stop.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    const asked = begin(url, {}, allowPrivate);
    const end = (is: boolean): void => {
      clearTimeout(connecting);
      clearTimeout(deadline);
      stop.removeEventListener('abort', onStop);
      asked.destroy();
      resolve(is);
    };
    const onStop = (): void => end(false);
    const deadline = setTimeout(() => end(false), deadlineMs);
    const connecting = setTimeout(() => end(false), connectMs);
    stop.addEventListener('abort', onStop, { once: true });
    asked.on('socket', (socket) => socket.once('connect', () => clearTimeout(connecting)));
    asked.on('error', () => end(false));
    onReached(asked, url, () => end(true));
  });
}

/** Redirects are answers like others: nobody follows them. */
export function askSource(
  target: string,
  body: string,
  headers: Readonly<Record<string, string>>,
  deadlineMs: number,
  { connectMs, bytesMax, allowPrivate }: AskLimits,
  stop: AbortSignal,
): Promise<SourceAnswer> {
  const url = allowed(target, allowPrivate);
  if (typeof url === 'string') return Promise.resolve(failed(url, false));
  return new Promise((resolve) => {
    const bytes = Buffer.from(body);
    const own = { 'Content-Type': 'application/json', 'Content-Length': String(bytes.length) };
    const asked = begin(url, { ...own, ...headers }, allowPrivate);
    let isThere = false;
    onReached(asked, url, () => {
      isThere = true;
    });
    const end = (answer: SourceAnswer): void => {
      clearTimeout(connecting);
      clearTimeout(deadline);
      stop.removeEventListener('abort', onStop);
      asked.destroy();
      resolve(answer);
    };
    const onStop = (): void => end({ kind: 'stopped' });
    const deadline = setTimeout(() => end({ kind: 'timeout' }), Math.min(MS_MAX, Math.max(0, deadlineMs)));
    const connecting = setTimeout(() => end(failed('it does not take the connection', false)), connectMs);
    stop.addEventListener('abort', onStop, { once: true });
    if (stop.aborted) onStop();
    asked.on('socket', (socket) => socket.once('connect', () => clearTimeout(connecting)));
    asked.on('error', (error) => end(failed(error.message, isThere)));
    asked.on('response', (response) => {
      const pieces: Buffer[] = [];
      let size = 0;
      response.on('data', (piece: Buffer) => {
        size += piece.length;
        pieces.push(piece);
        if (size > bytesMax) end(failed('its answer is too long'));
      });
      response.on('error', (error) => end(failed(error.message)));
      response.on('aborted', () => end(failed('its answer ends in the middle')));
      response.on('end', () => end(readStatus(response.statusCode ?? 0, Buffer.concat(pieces).toString('utf8'))));
    });
    asked.end(bytes);
  });
}
