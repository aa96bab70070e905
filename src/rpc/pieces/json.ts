import { check, fail } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import {
  JSON_ERRORS,
  JSON_NUMBER,
  type Json,
  type JsonObject,
  jsonNumber,
  losesDigits,
  parseJson,
} from '../../codec/json.js';
import { RPC_ERRORS } from '../errors.js';
import type { Pieces } from './pieces.js';

/** Texts up to this length are read in one go: that takes a few milliseconds, whatever they hold. */
const READ_AT_ONCE = 65_536;
/** Integers that a double cannot hold need our own parser, which is slower. */
const READ_EXACTLY_AT_ONCE = 16_384;

const decoder = new TextDecoder();

const textOf = (given: string | Uint8Array): string => (typeof given === 'string' ? given : decoder.decode(given));

/** A document that is read in one go whatever it holds, as nearly all are. */
export const isSmallJson = (given: string | Uint8Array): boolean => given.length <= READ_EXACTLY_AT_ONCE;

export function readSmallJson(given: string | Uint8Array): Json {
  const text = textOf(given);
  check(text.trim() !== '', RPC_ERRORS.rpc_empty);
  return parseJson(text);
}

/** A document as text or as its bytes: a small one at once, a large one in pieces. */
export function* readJson(given: string | Uint8Array, limits: JsonWeights = JSON_WEIGHTS): Pieces<Json> {
  if (isSmallJson(given)) return readSmallJson(given);
  if (given.length <= READ_AT_ONCE) {
    const text = textOf(given);
    check(text.trim() !== '', RPC_ERRORS.rpc_empty);
    if (text.length <= READ_EXACTLY_AT_ONCE || !losesDigits(text)) return parseJson(text);
  }
  const parser = new Parser(typeof given === 'string' ? Buffer.from(given, 'utf8') : given, limits);
  check(!(yield* parser.isBlank()), RPC_ERRORS.rpc_empty);
  return yield* parser.document();
}

/**
 * Parses a large JSON text in pieces, straight from its bytes, and counts what comes out: the built-in parser would
 * hold everything up until it is done, and a text made of empty objects takes a hundred times its size in memory.
 * Accepts exactly what `parseJson` accepts; a test compares. Positions in its errors count bytes.
 */
export function* parseJsonPieces(bytes: Uint8Array, limits: JsonWeights): Pieces<Json> {
  return yield* new Parser(bytes, limits).document();
}

export interface JsonWeights {
  /** Values in one document, members and elements all counted. */
  readonly nodes_max: number;
  /** Members of one object. */
  readonly members_max: number;
}

export const JSON_WEIGHTS: JsonWeights = { nodes_max: 1_000_000, members_max: 10_000 };

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

const NODES_PER_PIECE = 256;
const BYTES_PER_PIECE = 65_536;
/** No character goes on for more than three bytes: more that could be part of one are part of none. */
const LONGEST_PIECE = BYTES_PER_PIECE + 3;
/** A container whose end is within so many bytes goes to the built-in parser, which is five times faster. */
const SMALL_CONTAINER = 4096;
/** A member takes no less: its quotes, a colon and a comma or bracket, and its value. */
const MEMBER_BYTES_MIN = 5;

const WORDS: readonly (readonly [string, Json])[] = [
  ['true', true],
  ['false', false],
  ['null', null],
];

const WHOLE_NUMBER = new RegExp(`^${JSON_NUMBER.source}$`);

interface Open {
  readonly container: Json[] | JsonObject;
  /** Name of the member whose value comes next. */
  key: string;
  members: number;
}

class Parser {
  readonly #bytes: Buffer;
  readonly #limits: JsonWeights;
  #at = 0;
  #nodes = 0;
  /** Before it, no end of a small container is looked for: nobody makes us look through the same bytes twice. */
  #lookAgainAt = 0;

  constructor(bytes: Uint8Array, limits: JsonWeights) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#limits = limits;
    // A byte order mark does not count, as in every decoder of UTF-8.
    if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) this.#at = 3;
  }

  *isBlank(): Pieces<boolean> {
    yield* this.#skip();
    return this.#at >= this.#bytes.length;
  }

  *document(): Pieces<Json> {
    const open: Open[] = [];
    let turn = NODES_PER_PIECE;
    for (;;) {
      if (++this.#nodes >= turn) {
        turn = this.#nodes + NODES_PER_PIECE;
        yield;
      }
      check(this.#nodes <= this.#limits.nodes_max, RPC_ERRORS.rpc_json_nodes, { limit: this.#limits.nodes_max });
      check(open.length < LIMITS.json_depth_max, JSON_ERRORS.json_too_deep, { limit: LIMITS.json_depth_max });
      yield* this.#skip();
      const first = this.#bytes[this.#at];
      let value: Json;
      const small = first === OPEN_OBJECT || first === OPEN_ARRAY ? this.#smallContainer(open.length) : undefined;
      if (small !== undefined) value = small;
      else if (first === OPEN_OBJECT || first === OPEN_ARRAY) {
        this.#at++;
        yield* this.#skip();
        const isArray = first === OPEN_ARRAY;
        const container: Json[] | JsonObject = isArray ? [] : {};
        if (this.#bytes[this.#at] !== (isArray ? CLOSE_ARRAY : CLOSE_OBJECT)) {
          open.push({ container, key: isArray ? '' : yield* this.#member(), members: 1 });
          continue;
        }
        this.#at++;
        value = container;
      } else value = first === QUOTE ? yield* this.#string() : this.#word();
      // The value is whole; so are perhaps the containers that it ends.
      for (;;) {
        yield* this.#skip();
        const top = open[open.length - 1];
        if (top === undefined) {
          if (this.#at < this.#bytes.length) this.#refuse('end of text');
          return value;
        }
        put(top, value);
        const close = Array.isArray(top.container) ? CLOSE_ARRAY : CLOSE_OBJECT;
        const next = this.#bytes[this.#at];
        if (next === close) {
          this.#at++;
          open.pop();
          value = top.container;
          continue;
        }
        if (next !== COMMA) this.#refuse(`',' or '${String.fromCharCode(close)}'`);
        this.#at++;
        if (close === CLOSE_OBJECT) {
          const limit = this.#limits.members_max;
          check(++top.members <= limit, RPC_ERRORS.rpc_json_members, { limit });
          yield* this.#skip();
          top.key = yield* this.#member();
        }
        break;
      }
    }
  }

  /**
   * The container that begins here, if it ends soon. Undefined, and nothing is read, where it does not, and where
   * anything about it is for the exact way to say: a fault, a limit, a number that a double cannot hold.
   */
  #smallContainer(depth: number): Json | undefined {
    const from = this.#at;
    if (from < this.#lookAgainAt || this.#limits.members_max < SMALL_CONTAINER / MEMBER_BYTES_MIN) return undefined;
    const bytes = this.#bytes;
    const until = Math.min(bytes.length, from + SMALL_CONTAINER);
    let [level, deepest, nodes, at] = [0, 0, 0, from];
    let isBehindOpening = false;
    for (; at < until; at++) {
      const byte = bytes[at] as number;
      if (byte <= 0x20) continue;
      const isClosing = byte === CLOSE_ARRAY || byte === CLOSE_OBJECT;
      // Whatever follows an opening bracket, other than its end, is a first value or its name.
      if (isBehindOpening && !isClosing) nodes++;
      isBehindOpening = false;
      if (byte === QUOTE) {
        for (at++; at < until && bytes[at] !== QUOTE; at++) if (bytes[at] === BACKSLASH) at++;
      } else if (byte === COMMA) nodes++;
      else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
        isBehindOpening = true;
        if (++level > deepest) deepest = level;
      } else if (isClosing && --level === 0) break;
    }
    // A fault, too, is looked at once.
    this.#lookAgainAt = Math.min(at + 1, until);
    if (level !== 0 || at >= until) return undefined;
    if (depth + deepest >= LIMITS.json_depth_max || this.#nodes + nodes > this.#limits.nodes_max) return undefined;
    const text = bytes.toString('utf8', from, at + 1);
    if (losesDigits(text)) return undefined;
    try {
      const value = JSON.parse(text) as Json;
      this.#at = at + 1;
      this.#nodes += nodes;
      return value;
    } catch {
      return undefined;
    }
  }

  #refuse(expected: string): never {
    fail(JSON_ERRORS.json_syntax, { expected, position: this.#at });
  }

  *#skip(): Pieces<void> {
    for (;;) {
      const byte = this.#bytes[this.#at];
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return;
      if (++this.#at % BYTES_PER_PIECE === 0) yield;
    }
  }

  *#member(): Pieces<string> {
    if (this.#bytes[this.#at] !== QUOTE) this.#refuse('a member name');
    const key = yield* this.#string();
    yield* this.#skip();
    if (this.#bytes[this.#at] !== COLON) this.#refuse("':'");
    this.#at++;
    return key;
  }

  *#string(): Pieces<string> {
    const bytes = this.#bytes;
    const parts: string[] = [];
    let from = ++this.#at;
    let hasEscape = false;
    for (;;) {
      const byte = bytes[this.#at] as number;
      if (byte === QUOTE) break;
      // Not a byte at the end of the text: no comparison holds.
      if (!(byte >= 0x20)) this.#refuse('a string without control characters, closed by a quote');
      if (this.#at - from >= BYTES_PER_PIECE && (isBeginning(byte) || this.#at - from >= LONGEST_PIECE)) {
        const limit = LIMITS.rpc_text_bytes_max;
        check((parts.length + 1) * BYTES_PER_PIECE <= limit, RPC_ERRORS.rpc_json_text, { limit });
        parts.push(this.#decode(from, hasEscape));
        from = this.#at;
        hasEscape = false;
        yield;
      }
      if (byte === BACKSLASH) {
        hasEscape = true;
        this.#at += bytes[this.#at + 1] === 0x75 ? 6 : 2;
      } else this.#at++;
    }
    const last = this.#decode(from, hasEscape);
    this.#at++;
    if (parts.length === 0) return last;
    parts.push(last);
    return parts.join('');
  }

  #decode(from: number, hasEscape: boolean): string {
    const text = this.#bytes.toString('utf8', from, this.#at);
    if (!hasEscape) return text;
    try {
      return JSON.parse(`"${text}"`) as string;
    } catch {
      this.#refuse('an escape sequence');
    }
  }

  #word(): Json {
    for (const [text, value] of WORDS) {
      if (this.#bytes.toString('latin1', this.#at, this.#at + text.length) === text) {
        this.#at += text.length;
        return value;
      }
    }
    const from = this.#at;
    while (isNumeric(this.#bytes[this.#at])) {
      check(++this.#at - from <= LIMITS.json_number_chars_max, JSON_ERRORS.json_number_length, { position: from });
    }
    const number = this.#bytes.toString('latin1', from, this.#at);
    if (!WHOLE_NUMBER.test(number)) {
      this.#at = from;
      this.#refuse('a value');
    }
    return jsonNumber(number);
  }
}

/** Whether a character begins with this byte: a piece ends between two, never inside of one. */
const isBeginning = (byte: number): boolean => (byte & 0xc0) !== 0x80;

function isNumeric(byte: number | undefined): boolean {
  if (byte === undefined) return false;
  if (byte >= 0x30 && byte <= 0x39) return true;
  return byte === 0x2d || byte === 0x2b || byte === 0x2e || byte === 0x65 || byte === 0x45;
}

function put({ container, key }: Open, value: Json): void {
  if (Array.isArray(container)) container.push(value);
  // An own property even for `__proto__`.
  else if (key !== '__proto__') container[key] = value;
  else Object.defineProperty(container, key, { value, enumerable: true, writable: true, configurable: true });
}
