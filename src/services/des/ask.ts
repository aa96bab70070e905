import { request as httpRequest } from 'node:http';
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
  | { readonly kind: 'fail'; readonly comment: 'QUERY_FAIL' | 'DATASOURCE_FAIL'; readonly why: string };

export interface AskLimits {
  readonly connectMs: number;
  readonly bytesMax: number;
  readonly allowPrivate: boolean;
}

const MS_MAX = 2_000_000_000;

const failed = (why: string): SourceAnswer => ({ kind: 'fail', comment: 'DATASOURCE_FAIL', why });

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
  if (value.success === false) return { kind: 'fail', comment: 'QUERY_FAIL', why: 'it could not find out' };
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

/** Redirects are answers like others: nobody follows them. */
export function askSource(
  target: string,
  body: string,
  headers: Readonly<Record<string, string>>,
  deadlineMs: number,
  { connectMs, bytesMax, allowPrivate }: AskLimits,
  stop: AbortSignal,
): Promise<SourceAnswer> {
  let url: URL;
  try {
    url = checkOutside(target, allowPrivate);
  } catch (error) {
    if (error instanceof ChainError) return Promise.resolve(failed(error.message));
    throw error;
  }
  return new Promise((resolve) => {
    const bytes = Buffer.from(body);
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const asked = send(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Content-Length': String(bytes.length), ...headers },
      lookup: outsideLookup(allowPrivate),
      // Each question is a connection of its own: nothing of one source waits for another one's.
      agent: false,
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
    const connecting = setTimeout(() => end(failed('it does not take the connection')), connectMs);
    stop.addEventListener('abort', onStop, { once: true });
    if (stop.aborted) onStop();
    asked.on('socket', (socket) => socket.once('connect', () => clearTimeout(connecting)));
    asked.on('error', (error) => end(failed(error.message)));
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
