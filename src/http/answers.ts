import { ChainError } from '../base/errors.js';
import { textAnswer } from './compress.js';
import { HTTP_ERRORS } from './errors.js';
import type { Header, HttpAnswer, HttpRequest } from './handler.js';

/** Answers that every service gives. */

/** `text` is JSON. */
export function jsonAnswer(
  request: HttpRequest,
  text: string,
  status = 200,
  headers: readonly Header[] = [],
): HttpAnswer | Promise<HttpAnswer> {
  return textAnswer(request, status, [['Content-Type', 'application/json'], ...headers], text);
}

/** Something of which any part can be read. */
export interface Content {
  readonly bytes: number;
  readonly type: string;
  /** Names this very content: the same tag, the same bytes. */
  readonly tag: string;
  /** From one byte up to but without another. */
  read(from: number, to: number): AsyncIterable<Uint8Array>;
}

/** The content or the one part of it that is asked for, or that the client has it already. Throws `http_range`. */
export function contentAnswer(request: HttpRequest, content: Content, headers: readonly Header[] = []): HttpAnswer {
  const tag = `"${content.tag}"`;
  const all: Header[] = [...headers, ['ETag', tag], ['Accept-Ranges', 'bytes']];
  if (namesTag(request.header('if-none-match'), tag)) return { status: 304, headers: all, body: '' };
  all.push(['Content-Type', content.type]);
  const condition = request.header('if-range');
  const isWanted = condition === '' || condition === tag;
  const part = isWanted ? partOf(request.header('range'), content.bytes) : undefined;
  const [from, to] = part ?? [0, content.bytes];
  const body = { bytes: to - from, read: () => (to > from ? content.read(from, to) : nothing()) };
  if (part === undefined) return { status: 200, headers: all, body };
  return { status: 206, headers: [...all, ['Content-Range', `bytes ${from}-${to - 1}/${content.bytes}`]], body };
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

function namesTag(header: string, tag: string): boolean {
  return header.split(',').some((one) => one.trim().replace(/^W\//, '') === tag || one.trim() === '*');
}

/** Of a header with one range; what is no range of bytes, or several of them, is passed over. */
function partOf(header: string, bytes: number): [from: number, to: number] | undefined {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header.trim());
  if (match === null || (match[1] === '' && match[2] === '')) return undefined;
  const [first, last] = [match[1] as string, match[2] as string];
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined;
  const from = first === '' ? Math.max(0, bytes - Number(last)) : Number(first);
  const to = first === '' || last === '' ? bytes : Math.min(bytes, Number(last) + 1);
  if (from >= to) throw new ChainError(HTTP_ERRORS.http_range, { bytes });
  return [from, to];
}
