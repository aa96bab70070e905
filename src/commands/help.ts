import type { CommandEntry } from './command.js';

/** Wider lines are hard to read. */
export const WIDTH_MAX = 110;
/** The parser lays narrower terminals out in another way. */
const WIDTH_MIN = 72;

function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + 1 + word.length <= width) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** `trustnode --help`, as the parser would print it; undefined where it is to do it. */
export function commandList(entries: readonly CommandEntry[], columns = WIDTH_MAX): string | undefined {
  const width = Math.min(WIDTH_MAX, columns);
  if (width < WIDTH_MIN) return undefined;
  const left = entries.map(({ command }) => `  trustnode ${command}  `);
  const indent = Math.max(...left.map((text) => text.length));
  const commands = entries.flatMap(({ describe }, i) =>
    wrapped(describe, width - indent).map((line, row) => `${(row === 0 ? (left[i] ?? '') : '').padEnd(indent)}${line}`),
  );
  const options = ['  -h, --help     Show help', '  -v, --version  Show version number'];
  return [
    'trustnode <command> [options]',
    '',
    'Commands:',
    ...commands,
    '',
    'Options:',
    ...options.map((line) => `${line.padEnd(width - '[boolean]'.length)}[boolean]`),
  ].join('\n');
}
