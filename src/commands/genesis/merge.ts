import type { Json } from '../../codec/json.js';
import { isJsonObject } from '../../codec/struct.js';

/**
 * `given` with the members that only `known` has, at every depth. What is given is kept as it is written; without
 * anything to add the answer is `given` itself.
 */
export function completedJson(given: Json, known: Json): Json {
  if (Array.isArray(given) && Array.isArray(known) && given.length === known.length) {
    const items = given.map((item, i) => completedJson(item, known[i] as Json));
    return items.some((item, i) => item !== given[i]) ? items : given;
  }
  if (!isJsonObject(given) || !isJsonObject(known)) return given;
  const kept = Object.entries(given).map(([name, value]): [string, Json] => {
    const ours = Object.hasOwn(known, name) ? known[name] : undefined;
    return [name, ours === undefined ? value : completedJson(value, ours)];
  });
  const added = Object.entries(known).filter(([name, value]) => value !== undefined && !Object.hasOwn(given, name));
  if (added.length === 0 && kept.every(([name, value]) => value === given[name])) return given;
  return Object.fromEntries([...kept, ...added]);
}

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

const quoted = (text: string): string => `"${text.replace(/["\\\n\r\t]/g, (char) => ESCAPES[char] as string)}"`;

/**
 * JSON that the parser of genesis files reads back as what it was: integers of any length are numbers, and only what it
 * knows to unescape is escaped.
 */
export function referenceText(json: Json, indent = '\n'): string {
  if (typeof json === 'string') return quoted(json);
  if (json === null || typeof json !== 'object') return String(json);
  const inner = `${indent}  `;
  const items = Array.isArray(json)
    ? json.map((item) => referenceText(item, inner))
    : Object.entries(json)
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => `${quoted(name)}: ${referenceText(value, inner)}`);
  const [open, close] = Array.isArray(json) ? ['[', ']'] : ['{', '}'];
  return items.length === 0 ? `${open}${close}` : `${open}${inner}${items.join(`,${inner}`)}${indent}${close}`;
}
