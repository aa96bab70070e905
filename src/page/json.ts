import type { Json } from '../codec/json.js';
import { writeJson } from '../trade/json.js';

/** What sources have answered, one member on each line; integers of any size keep their digits. */
export function jsonLines(value: Json | undefined, indent = ''): string {
  if (value === null || typeof value !== 'object') return writeJson(value);
  const isList = Array.isArray(value);
  const inner = `${indent}  `;
  const lines = isList
    ? value.map((one) => inner + jsonLines(one, inner))
    : Object.entries(value).map(([name, one]) => `${inner}${JSON.stringify(name)}: ${jsonLines(one, inner)}`);
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  return lines.length === 0 ? `${open}${close}` : `${open}\n${lines.join(',\n')}\n${indent}${close}`;
}
