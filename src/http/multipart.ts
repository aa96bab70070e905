import { check, fail } from '../base/errors.js';
import { HTTP_ERRORS } from './errors.js';

/** `multipart/form-data` (RFC 7578), taken apart while it comes: no part is ever held as a whole here. */

export interface FormPart {
  /** A piece of its content; the memory is the receiver's. */
  write(piece: Uint8Array): void | Promise<void>;
  end(): void | Promise<void>;
}

/** Whatever the part says of its type: what its bytes are is known by its name alone. */
export type TakePart = (name: string) => FormPart;

const BOUNDARY_CHARS_MAX = 70;
const HEAD_BYTES_MAX = 8192;
const PARTS_MAX = 100;
/** White space that some put behind a boundary. */
const PADDING_MAX = 256;
const CRLF = '\r\n';

const refuse = (why: string): never => fail(HTTP_ERRORS.http_form, { why });

/** `; name=value; other="value"` behind the first word of a header. */
function parametersOf(header: string): Map<string, string> {
  const found = new Map<string, string>();
  const pattern = /;\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s"]*))\s*/y;
  pattern.lastIndex = /^[^;]*/.exec(header)?.[0].length ?? 0;
  for (let match = pattern.exec(header); match !== null; match = pattern.exec(header)) {
    const [, name = '', quoted, plain] = match;
    const key = name.toLowerCase();
    // Of two the first one: nobody may hide another name behind it.
    if (!found.has(key)) found.set(key, quoted === undefined ? (plain ?? '') : quoted.replace(/\\(.)/g, '$1'));
  }
  return found;
}

/** What separates the parts, as the header of the request says. */
export function boundaryOf(contentType: string): string {
  const boundary = parametersOf(contentType).get('boundary') ?? '';
  const isOne = /^multipart\/form-data\s*(?:;|$)/i.test(contentType) && boundary !== '';
  check(isOne && boundary.length <= BOUNDARY_CHARS_MAX, HTTP_ERRORS.http_media_type, {
    wanted: 'multipart/form-data with a boundary',
  });
  return boundary;
}

function nameOf(head: string): string {
  let name: string | undefined;
  for (const line of head.split(CRLF)) {
    const colon = line.indexOf(':');
    if (colon < 0) refuse('a header of a part has no colon');
    const value = line.slice(colon + 1).trim();
    switch (line.slice(0, colon).toLowerCase()) {
      case 'content-disposition':
        if (!/^form-data\s*(?:;|$)/i.test(value)) refuse('a part is not form-data');
        name = parametersOf(value).get('name');
        break;
      case 'content-transfer-encoding':
        // Everything else would have to be decoded, and no form of today does that.
        if (!/^(?:binary|8bit|7bit)$/i.test(value)) refuse('a part has an encoding of its own');
    }
  }
  return name ?? refuse('a part has no name');
}

class FormReader {
  readonly #take: TakePart;
  readonly #delimiter: Buffer;
  #state: 'preamble' | 'boundary' | 'head' | 'content' | 'end' = 'preamble';
  #part: FormPart | undefined;
  #parts = 0;
  /** The first boundary may stand at the very beginning, without an end of line before it. */
  #rest: Buffer = Buffer.from(CRLF);

  constructor(boundary: string, take: TakePart) {
    this.#delimiter = Buffer.from(`${CRLF}--${boundary}`, 'latin1');
    this.#take = take;
  }

  async got(piece: Uint8Array): Promise<void> {
    this.#rest = this.#rest.length === 0 ? Buffer.from(piece) : Buffer.concat([this.#rest, piece]);
    for (;;) {
      switch (this.#state) {
        case 'preamble':
        case 'content':
          if (!(await this.#content())) return;
          break;
        case 'boundary':
          if (!this.#boundary()) return;
          break;
        case 'head':
          if (!this.#head()) return;
          break;
        case 'end':
          // What stands behind the last boundary means nothing.
          this.#rest = Buffer.alloc(0);
          return;
      }
    }
  }

  end(): void {
    if (this.#state !== 'end') refuse('it ends before its last boundary');
  }

  /** False: the next boundary has not come yet. */
  async #content(): Promise<boolean> {
    const at = this.#rest.indexOf(this.#delimiter);
    // The beginning of a boundary may be at the end of what is here.
    const known = at < 0 ? Math.max(0, this.#rest.length - this.#delimiter.length + 1) : at;
    const content = this.#rest.subarray(0, known);
    this.#rest = this.#rest.subarray(at < 0 ? known : known + this.#delimiter.length);
    if (content.length > 0) await this.#part?.write(content);
    if (at < 0) return false;
    await this.#part?.end();
    this.#part = undefined;
    this.#state = 'boundary';
    return true;
  }

  #boundary(): boolean {
    if (this.#rest.length < 2) return false;
    if (this.#rest.toString('latin1', 0, 2) === '--') {
      this.#state = 'end';
      return true;
    }
    const at = this.#rest.indexOf(CRLF);
    const padding = this.#rest.toString('latin1', 0, at < 0 ? this.#rest.length : at);
    if (padding.length > PADDING_MAX || !/^[ \t]*\r?$/.test(padding)) refuse('a boundary does not end its line');
    if (at < 0) return false;
    // The end of this line is kept: a head without lines is nothing but an empty one.
    this.#rest = this.#rest.subarray(at);
    this.#state = 'head';
    return true;
  }

  #head(): boolean {
    const at = this.#rest.indexOf(CRLF + CRLF);
    if (at < 0) {
      if (this.#rest.length > HEAD_BYTES_MAX) refuse('the head of a part is too long');
      return false;
    }
    if (at > HEAD_BYTES_MAX) refuse('the head of a part is too long');
    if (++this.#parts > PARTS_MAX) refuse(`it has more than ${PARTS_MAX} parts`);
    const head = this.#rest.toString('utf8', CRLF.length, at);
    this.#part = this.#take(head === '' ? refuse('a part has no name') : nameOf(head));
    this.#rest = this.#rest.subarray(at + 2 * CRLF.length);
    this.#state = 'content';
    return true;
  }
}

/** Reads the whole body; each part goes to whom `take` names for it. Throws `http_form` where it is none. */
export async function readForm(body: AsyncIterable<Uint8Array>, boundary: string, take: TakePart): Promise<void> {
  const reader = new FormReader(boundary, take);
  for await (const piece of body) await reader.got(piece);
  reader.end();
}
