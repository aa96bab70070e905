import type { Json } from '../../codec/json.js';

/**
 * JSON as the family's wallet prints it at its prompt and writes its file: two blanks per level, a line for every member
 * and scalar, but lists and objects begin where the line stands.
 */
export function prettyJson(value: Json): string {
  const out: string[] = [];
  write(out, value, 0, false);
  return out.join('');
}

const newLine = (level: number): string => `\n${'  '.repeat(level)}`;

function write(out: string[], value: Json, level: number, onNewLine: boolean): void {
  if (Array.isArray(value)) {
    out.push('[');
    value.forEach((item, i) => {
      if (i > 0) out.push(',');
      write(out, item, level + 1, true);
    });
    out.push(value.length === 0 ? ']' : `${newLine(level)}]`);
    return;
  }
  if (value !== null && typeof value === 'object') {
    const members = Object.entries(value);
    out.push('{');
    members.forEach(([name, member], i) => {
      out.push(i > 0 ? ',' : '', newLine(level + 1), JSON.stringify(name), ': ');
      write(out, member, level + 1, false);
    });
    out.push(members.length === 0 ? '}' : `${newLine(level)}}`);
    return;
  }
  if (onNewLine) out.push(newLine(level));
  out.push(typeof value === 'bigint' ? value.toString() : JSON.stringify(value));
}
