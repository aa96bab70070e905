import { check, defineErrors, FAMILY } from '../base/errors.js';
import { encodeText } from '../codec/text.js';

/**
 * The JSON texts in data products, as consensus reads them: strictly by RFC 8259, and by bytes. It differs from the
 * JSON of the codec in what only matters here: the literal text of a member counts, the first of several equal names,
 * and sequences of UTF-8 have to be whole but nothing more. Without recursion: a text may nest as deep as it is long.
 */

export const SCHEMA_JSON_ERRORS = defineErrors({
  schema_json: { ...FAMILY.standard, text: 'schema_context: ${expected} expected at byte ${position}' },
});

const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const BRACKET = 0x5b;
const BRACKET_END = 0x5d;
const BRACE = 0x7b;
const BRACE_END = 0x7d;
const SPACE = 0x20;
const PLUS = 0x2b;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const LETTER_A = 0x61;
const LETTER_E = 0x65;
const LETTER_F = 0x66;
const LETTER_U = 0x75;
const ASCII_END = 0x80;
/** The bit that makes a letter of ASCII a small one. */
const LOWER_CASE = 0x20;

/** What stands behind a backslash, by character code. */
const ESCAPES: ReadonlyMap<number, number> = new Map(
  [
    ['"', '"'],
    ['\\', '\\'],
    ['/', '/'],
    ['b', '\b'],
    ['f', '\f'],
    ['n', '\n'],
    ['r', '\r'],
    ['t', '\t'],
  ].map(([char, value]) => [(char as string).charCodeAt(0), (value as string).charCodeAt(0)]),
);
const WORDS = ['true', 'false', 'null'].map(encodeText);

const isDigit = (byte: number): boolean => byte >= ZERO && byte <= 0x39;

/** -1: none. */
function hexDigit(byte: number): number {
  if (isDigit(byte)) return byte - ZERO;
  const letter = byte | LOWER_CASE;
  return letter >= LETTER_A && letter <= LETTER_F ? letter - LETTER_A + 10 : -1;
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

class SchemaJsonReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    if (BYTE_ORDER_MARK.every((byte, i) => bytes[i] === byte)) this.#at = BYTE_ORDER_MARK.length;
  }

  /** Reads all of it. The text of the top-level member: empty for containers and where there is none. */
  member(name: string): string {
    const wanted = encodeText(name);
    /** The containers that are open, by their closing byte. */
    const open: number[] = [];
    let found: string | undefined;
    let isWanted = false;
    for (;;) {
      this.#skip();
      const first = this.#peek();
      if (first === BRACE || first === BRACKET) {
        this.#at++;
        if (isWanted) found = '';
        isWanted = false;
        this.#skip();
        const end = first === BRACE ? BRACE_END : BRACKET_END;
        if (this.#peek() !== end) {
          open.push(end);
          if (first === BRACE) isWanted = this.#key(wanted) && open.length === 1 && found === undefined;
          continue;
        }
        this.#at++;
      } else {
        const text = first === QUOTE ? this.#string(isWanted) : this.#literal();
        if (isWanted) found = Buffer.from(text).toString('latin1');
        isWanted = false;
      }
      // A value is complete. What follows is its neighbour, or the end of what it stands in.
      for (;;) {
        this.#skip();
        const end = open.at(-1);
        if (end === undefined) {
          this.#expect(this.#at === this.#bytes.length, 'the end of the text');
          return found ?? '';
        }
        const next = this.#peek();
        this.#expect(next === COMMA || next === end, `',' or '${String.fromCharCode(end)}'`);
        this.#at++;
        if (next === COMMA) {
          if (end === BRACE_END) {
            this.#skip();
            isWanted = this.#key(wanted) && open.length === 1 && found === undefined;
          }
          break;
        }
        open.pop();
      }
    }
  }

  #peek(): number {
    return this.#bytes[this.#at] ?? -1;
  }

  #expect(ok: boolean, expected: string): void {
    check(ok, SCHEMA_JSON_ERRORS.schema_json, { expected, position: this.#at });
  }

  #skip(): void {
    for (;;) {
      const byte = this.#peek();
      if (byte !== SPACE && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d) return;
      this.#at++;
    }
  }

  /** A name with its colon. True: it is the wanted one. */
  #key(wanted: Uint8Array): boolean {
    this.#expect(this.#peek() === QUOTE, 'a member name');
    const name = this.#string(true);
    this.#skip();
    this.#expect(this.#peek() === COLON, "':'");
    this.#at++;
    return name.length === wanted.length && name.every((byte, i) => byte === wanted[i]);
  }

  /** The bytes of the string, if somebody wants them. */
  #string(isWanted: boolean): readonly number[] {
    const out: number[] = [];
    this.#at++;
    for (;;) {
      const byte = this.#peek();
      this.#expect(byte >= SPACE, 'a character of a string');
      if (byte === QUOTE) {
        this.#at++;
        return out;
      }
      const from = this.#at;
      if (byte === BACKSLASH) {
        const escaped = this.#escape();
        if (isWanted) out.push(...escaped);
        continue;
      }
      this.#at += this.#sequenceLength(byte);
      if (isWanted) for (let i = from; i < this.#at; i++) out.push(this.#bytes[i] as number);
    }
  }

  /** By its first byte alone: forms that are too long, surrogates and numbers beyond Unicode pass. */
  #sequenceLength(lead: number): number {
    const length = lead < 0x80 ? 1 : lead < 0xc0 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf8 ? 4 : 0;
    this.#expect(length > 0, 'the first byte of a character');
    for (let i = 1; i < length; i++) {
      const byte = this.#bytes[this.#at + i] ?? 0;
      this.#expect((byte & 0xc0) === 0x80, 'the rest of a character');
    }
    return length;
  }

  #escape(): readonly number[] {
    this.#at++;
    const char = this.#peek();
    const plain = ESCAPES.get(char);
    if (plain !== undefined) {
      this.#at++;
      return [plain];
    }
    this.#expect(char === LETTER_U, 'an escaped character');
    this.#at++;
    const unit = this.#hexUnit();
    this.#expect(!isLowSurrogate(unit), 'a first half of a pair');
    if (unit < ASCII_END) return [unit];
    if (!isHighSurrogate(unit)) return [...encodeText(String.fromCharCode(unit))];
    this.#expect(this.#peek() === BACKSLASH && this.#bytes[this.#at + 1] === LETTER_U, 'the other half of a pair');
    this.#at += 2;
    const other = this.#hexUnit();
    this.#expect(isLowSurrogate(other), 'the other half of a pair');
    return [...encodeText(String.fromCharCode(unit, other))];
  }

  #hexUnit(): number {
    let unit = 0;
    for (let i = 0; i < 4; i++) {
      const digit = hexDigit(this.#peek());
      this.#expect(digit >= 0, 'a hexadecimal digit');
      unit = unit * 16 + digit;
      this.#at++;
    }
    return unit;
  }

  /** The bytes of a word or a number, as they stand there. */
  #literal(): Uint8Array {
    const from = this.#at;
    const isLetter = this.#peek() >= LETTER_A;
    const word = isLetter
      ? WORDS.find((letters) => letters.every((letter, i) => this.#bytes[from + i] === letter))
      : undefined;
    if (word === undefined) this.#number();
    else this.#at += word.length;
    return this.#bytes.subarray(from, this.#at);
  }

  #number(): void {
    if (this.#peek() === MINUS) this.#at++;
    if (this.#peek() === ZERO) this.#at++;
    else this.#digits('a value');
    if (this.#peek() === POINT) {
      this.#at++;
      this.#digits('a digit');
    }
    if ((this.#peek() | LOWER_CASE) !== LETTER_E) return;
    this.#at++;
    const sign = this.#peek();
    if (sign === PLUS || sign === MINUS) this.#at++;
    this.#digits('a digit');
  }

  #digits(expected: string): void {
    this.#expect(isDigit(this.#peek()), expected);
    while (isDigit(this.#peek())) this.#at++;
  }
}

/** Bytes of the text of a top-level member, one character for each. Refuses a text that is not JSON. */
export function schemaMember(text: string, name: string): string {
  return new SchemaJsonReader(encodeText(text)).member(name);
}

/** Quirk: the word `true` and the string `"true"` are the same. */
export function isSchemaFlag(text: string, name: string): boolean {
  return schemaMember(text, name) === 'true';
}
