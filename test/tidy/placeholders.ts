import type { ErrorRow } from '../../src/base/errors.js';
import type { SourceFile } from './layers.js';

/**
 * Placeholders of a refusal that the data beside it does not fill. Looked at are all places that write the data out
 * behind the row's name; what hands rows on or takes data from elsewhere is not seen, nor what is spread into it.
 */
export interface Unfilled {
  readonly path: string;
  readonly line: number;
  readonly key: string;
  readonly missing: readonly string[];
}

const ROW_WITH_DATA = /\w+_ERRORS\.(\w+),\s*(?:\(\)\s*=>\s*\(?\s*)?\{/g;
const COMMENT = /\/\/.*/g;
const MEMBER = /^['"]?([\w.]+)['"]?\s*(?:[:(]|$)/;

/** Names of the object that begins at `from`, and whether it may have others. */
function membersAt(text: string, from: number): { names: Set<string>; isOpen: boolean } {
  const names = new Set<string>();
  let isOpen = false;
  let depth = 0;
  let start = from + 1;
  const take = (end: number): void => {
    const part = text.slice(start, end).replace(COMMENT, '').trim();
    if (part.startsWith('...')) isOpen = true;
    const name = MEMBER.exec(part)?.[1];
    if (name !== undefined) names.add(name);
    start = end + 1;
  };
  for (let i = from; i < text.length; i++) {
    const char = text[i] as string;
    if ('`\'"'.includes(char)) i = text.indexOf(char, i + 1);
    else if ('{[('.includes(char)) depth++;
    else if ('}])'.includes(char)) {
      depth--;
      if (depth > 0) continue;
      take(i);
      return { names, isOpen };
    } else if (char === ',' && depth === 1) take(i);
  }
  throw new Error(`an object without an end: ${text.slice(from, from + 80)}`);
}

const placeholdersOf = ({ text, hint }: ErrorRow): Set<string> =>
  new Set([...`${text} ${hint ?? ''}`.matchAll(/\$\{([^}]*)\}/g)].map((match) => match[1] as string));

export function unfilledIn({ path, text }: SourceFile, rows: ReadonlyMap<string, ErrorRow>): Unfilled[] {
  return [...text.matchAll(ROW_WITH_DATA)].flatMap((match): Unfilled[] => {
    const key = match[1] as string;
    const row = rows.get(key);
    if (row === undefined) return [];
    const { names, isOpen } = membersAt(text, match.index + match[0].length - 1);
    const missing = [...placeholdersOf(row)].filter((name) => !names.has(name));
    const line = text.slice(0, match.index).split('\n').length;
    return missing.length === 0 || isOpen ? [] : [{ path, line, key, missing }];
  });
}
