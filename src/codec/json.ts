import { check, defineErrors, FAMILY, fail } from '../base/errors.js';
import { LIMITS } from '../base/limits.js';

/** A parsed JSON value. Integers beyond 2^53 are bigints, so no digit is lost. */
export type Json = null | boolean | number | bigint | string | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json;
}

export const JSON_ERRORS = defineErrors({
  json_syntax: { ...FAMILY.parse, text: 'JSON: ${expected} expected at character ${position}' },
  json_too_deep: { ...FAMILY.parse, text: 'JSON: nested deeper than ${limit} levels' },
  json_number_length: { ...FAMILY.parse, text: 'JSON: number at character ${position} is too long' },
});

/**
 * `standard` is RFC 8259. `reference` is the dialect of the reference node's parser, which decides what a genesis file
 * means: only \t \n \r \\ are decoded and any other escaped character stands for itself, words and exponents are
 * strings, commas are optional and repeatable, of two equal keys the first wins.
 */
export type JsonDialect = 'standard' | 'reference';

/**
 * A number that begins with sixteen digits may be an integer that a double cannot hold; without one the built-in parser
 * is exact. What stands before a number is looked at too: signatures are hex, and many have sixteen digits in a row.
 */
const DIGITS_MAX = 16;
const MAY_LOSE_DIGITS = new RegExp(`(?:^|[^\\w"]|[eE])\\d{${DIGITS_MAX}}`);

/** True when the built-in parser might round an integer of the text. */
export function losesDigits(text: string): boolean {
  // Of so many digits in a row one stands here, so all others need not be looked at.
  for (let at = DIGITS_MAX - 1; at < text.length; at += DIGITS_MAX) {
    if (!isDigit(text, at)) continue;
    let from = at;
    let to = at + 1;
    while (isDigit(text, from - 1)) from--;
    while (isDigit(text, to)) to++;
    if (to - from >= DIGITS_MAX) return MAY_LOSE_DIGITS.test(text);
  }
  return false;
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0x30 && code <= 0x39;
}

export function parseJson(text: string, dialect: JsonDialect = 'standard'): Json {
  if (dialect === 'reference' || losesDigits(text)) return new JsonParser(text, dialect).document();
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    // The built-in message differs between versions of the engine; ours says where.
    return new JsonParser(text, dialect).document();
  }
  checkDepth(value, 0);
  return value;
}

/** `depth`: arrays and objects around the value. Nothing stands inside of the last ones that are allowed. */
function checkDepth(value: Json, depth: number): void {
  if (depth >= LIMITS.json_depth_max) fail(JSON_ERRORS.json_too_deep, { limit: LIMITS.json_depth_max });
  if (value === null || typeof value !== 'object') return;
  if (Array.isArray(value)) for (const item of value) checkDepth(item, depth + 1);
  else for (const key in value) checkDepth(value[key] as Json, depth + 1);
}

const STANDARD_ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};
const REFERENCE_ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '\\': '\\' };

const WHITE_SPACE = /[ \t\n\r]*/y;
const REFERENCE_GAP = /[ \t\n\r,]*/y;
export const JSON_NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const REFERENCE_NUMBER = /-?\d*(?:\.\d*)?/y;
const REFERENCE_WORD = /[A-Za-z0-9_.+-]+/y;
const PLAIN_TEXT = /[^"\\\u0000-\u001f]*/y;
const REFERENCE_PLAIN_TEXT = /[^"\\]*/y;

class JsonParser {
  private readonly text: string;
  private readonly reference: boolean;
  private position = 0;

  constructor(text: string, dialect: JsonDialect) {
    this.text = text;
    this.reference = dialect === 'reference';
  }

  document(): Json {
    this.skip();
    const value = this.value(0);
    this.skip();
    // The reference stops after the first complete value.
    if (!this.reference && this.position < this.text.length) this.refuse('end of text');
    return value;
  }

  private refuse(expected: string): never {
    fail(JSON_ERRORS.json_syntax, { expected, position: this.position });
  }

  private match(pattern: RegExp): string {
    pattern.lastIndex = this.position;
    const found = pattern.exec(this.text)?.[0] ?? '';
    this.position += found.length;
    return found;
  }

  private skip(): void {
    this.match(WHITE_SPACE);
  }

  private value(depth: number): Json {
    if (depth >= LIMITS.json_depth_max) fail(JSON_ERRORS.json_too_deep, { limit: LIMITS.json_depth_max });
    const char = this.text[this.position];
    switch (char) {
      case '{':
        return this.object(depth);
      case '[':
        return this.array(depth);
      case '"':
        return this.string();
      case undefined:
        return this.refuse('a value');
      default:
        return this.reference ? this.referenceWord() : this.word();
    }
  }

  private enter(): void {
    this.position++;
    this.gap();
  }

  private gap(): void {
    this.match(this.reference ? REFERENCE_GAP : WHITE_SPACE);
  }

  /** Between two members: a comma, or in the reference's dialect any number of them. True when the container ends. */
  private next(close: string): boolean {
    this.gap();
    if (this.text[this.position] === close) {
      this.position++;
      return true;
    }
    if (this.reference) {
      if (this.position >= this.text.length) this.refuse(`'${close}'`);
      return false;
    }
    if (this.text[this.position] !== ',') this.refuse(`',' or '${close}'`);
    this.position++;
    this.skip();
    return false;
  }

  private array(depth: number): Json[] {
    const out: Json[] = [];
    this.enter();
    if (this.text[this.position] === ']') {
      this.position++;
      return out;
    }
    do out.push(this.value(depth + 1));
    while (!this.next(']'));
    return out;
  }

  private object(depth: number): JsonObject {
    const out: JsonObject = {};
    this.enter();
    if (this.text[this.position] === '}') {
      this.position++;
      return out;
    }
    do {
      if (this.text[this.position] !== '"') this.refuse('a member name');
      const key = this.string();
      this.skip();
      if (this.text[this.position] !== ':') this.refuse("':'");
      this.position++;
      this.skip();
      const value = this.value(depth + 1);
      // An own property even for `__proto__`; of two equal keys the standard takes the last, the reference the first.
      if (!(this.reference && Object.hasOwn(out, key))) {
        Object.defineProperty(out, key, { value, enumerable: true, writable: true, configurable: true });
      }
    } while (!this.next('}'));
    return out;
  }

  private string(): string {
    this.position++;
    let out = '';
    for (;;) {
      out += this.match(this.reference ? REFERENCE_PLAIN_TEXT : PLAIN_TEXT);
      const char = this.text[this.position++];
      if (char === '"') return out;
      if (char !== '\\') {
        this.position--;
        this.refuse('a string without control characters, closed by a quote');
      }
      out += this.escape();
    }
  }

  private escape(): string {
    const char = this.text[this.position++];
    if (char === undefined) this.refuse('an escaped character');
    if (this.reference) return REFERENCE_ESCAPES[char] ?? char;
    const plain = STANDARD_ESCAPES[char];
    if (plain !== undefined) return plain;
    const digits = this.text.slice(this.position, this.position + 4);
    if (char !== 'u' || !/^[0-9a-fA-F]{4}$/.test(digits)) this.refuse('an escape sequence');
    this.position += 4;
    return String.fromCharCode(Number.parseInt(digits, 16));
  }

  private word(): Json {
    for (const [text, value] of [
      ['true', true],
      ['false', false],
      ['null', null],
    ] as const) {
      if (this.text.startsWith(text, this.position)) {
        this.position += text.length;
        return value;
      }
    }
    const from = this.position;
    const number = this.match(JSON_NUMBER);
    if (number === '') this.refuse('a value');
    check(number.length <= LIMITS.json_number_chars_max, JSON_ERRORS.json_number_length, { position: from });
    return jsonNumber(number);
  }

  /** Digits followed by letters, and any word that is not true, false or null, are strings there. */
  private referenceWord(): Json {
    const from = this.position;
    const number = this.match(REFERENCE_NUMBER);
    const rest = this.match(REFERENCE_WORD);
    const word = number + rest;
    if (word === '') this.refuse('a value');
    check(word.length <= LIMITS.json_number_chars_max, JSON_ERRORS.json_number_length, { position: from });
    if (rest === '' && /\d/.test(number)) return jsonNumber(number);
    return word === 'true' ? true : word === 'false' ? false : word === 'null' ? null : word;
  }
}

/** A number of a JSON text without losing a digit of an integer. */
export function jsonNumber(text: string): number | bigint {
  if (/[.eE]/.test(text)) return Number(text);
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : BigInt(text);
}
