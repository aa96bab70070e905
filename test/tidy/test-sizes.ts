import type { SourceFile } from './layers.js';

/** How long the functions of tests are: a test of more than a hundred lines tests several things at once. */

export interface LongFunction {
  readonly path: string;
  readonly line: number;
  readonly lines: number;
}

const OPENS = /(?:=>|\bfunction\b.*) \{$/;
const STATEMENT = /^\s*(?:if|for|while|switch|else|\} else)\b/;
/** A test inside of a test is one by itself. */
const IS_TEST = /\.test\(/;

const indentOf = (line: string): string => /^\s*/.exec(line)?.[0] ?? '';

/** Its last line, by the indentation that the formatter gives it. */
function endOf(lines: readonly string[], start: number): number {
  const closing = `${indentOf(lines[start] as string)}}`;
  const end = lines.findIndex((line, i) => i > start && line.startsWith(closing));
  return end < 0 ? lines.length - 1 : end;
}

export function longFunctions({ path, text }: SourceFile, max: number): LongFunction[] {
  const lines = text.split('\n');
  const found: LongFunction[] = [];
  for (const [start, line] of lines.entries()) {
    if (!OPENS.test(line) || STATEMENT.test(line)) continue;
    const end = endOf(lines, start);
    let own = 0;
    for (let at = start; at <= end; at++) {
      own++;
      const inner = lines[at] as string;
      if (at > start && IS_TEST.test(inner) && OPENS.test(inner)) at = endOf(lines, at);
    }
    if (own > max) found.push({ path, line: start + 1, lines: own });
  }
  return found;
}
