import { ChainError, fail } from '../../base/errors.js';
import { type Json, jsonNumber, parseJson } from '../../codec/json.js';
import { LINE_ERRORS } from '../errors.js';

/**
 * What people type at the prompt: a command and its arguments, JSON values with spaces between them. A bare word is a
 * text; numbers without a point are numbers, `1.5` and `1.2.17` stay texts, so that no digit of an amount is lost.
 */
const GAP = /[\s,]*/y;
const WORD = /[A-Za-z0-9_.+\-/:\\~$%&*?=!|<>^()"]+/y;

export function parseLine(line: string): Json[] {
  const values: Json[] = [];
  let at = 0;
  const skip = (): void => {
    GAP.lastIndex = at;
    at += GAP.exec(line)?.[0].length ?? 0;
  };
  for (skip(); at < line.length; skip()) {
    const char = line[at] as string;
    if (char === '"' || char === '[' || char === '{') {
      const end = endOfValue(line, at);
      values.push(parseTyped(line.slice(at, end)));
      at = end;
      continue;
    }
    WORD.lastIndex = at;
    const word = WORD.exec(line)?.[0];
    if (word === undefined) return fail(LINE_ERRORS.line_character, { c: char.charCodeAt(0), s: '', character: char });
    values.push(wordValue(word));
    at += word.length;
  }
  return values;
}

const LITERALS: Readonly<Record<string, Json>> = { null: null, true: true, false: false };

function wordValue(word: string): Json {
  // Quirk: a quote inside of a word is not there.
  const plain = word.replaceAll('"', '');
  if (Object.hasOwn(LITERALS, plain)) return LITERALS[plain] as Json;
  return /^-?(?:0|[1-9]\d*)$/.test(plain) ? jsonNumber(plain) : plain;
}

/** Behind the quote or bracket that closes what begins at `from`. */
function endOfValue(line: string, from: number): number {
  let depth = 0;
  let inText = false;
  for (let at = from; at < line.length; at++) {
    const char = line[at];
    if (inText) {
      if (char === '\\') at++;
      else if (char === '"') inText = false;
    } else if (char === '"') inText = true;
    else if (char === '[' || char === '{') depth++;
    else if (char === ']' || char === '}') depth--;
    if (depth === 0 && !inText) return at + 1;
  }
  return fail(LINE_ERRORS.line_open, { part: line.slice(from, from + 20) });
}

/** True while a bracket or a quote is still open: the next line belongs to it. */
export function isUnfinished(line: string): boolean {
  try {
    parseLine(line);
    return false;
  } catch (error) {
    return error instanceof ChainError && error.row === LINE_ERRORS.line_open;
  }
}

/** JSON, or what is nearly JSON: words without quotes, as the family's wallet takes them. */
function parseTyped(text: string): Json {
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    return parseJson(text, 'reference');
  }
}
