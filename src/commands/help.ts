import type { Argv, Options } from 'yargs';
import { type CommandEntry, wordOf } from './command.js';

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
  return helpText('trustnode <command> [options]', [], { prefix: 'trustnode', entries, options: [] }, columns);
}

/** `trustnode keys --help`; undefined where the parser is to do it. */
export async function groupHelp(entry: CommandEntry, columns = WIDTH_MAX): Promise<string | undefined> {
  const group = await entry.load();
  if ('handler' in group) return undefined;
  const options: OptionLine[] = [];
  const notes = {
    option(name: string, { type, default: initial, describe = '', ...others }: Options): unknown {
      if (Object.keys(others).length > 0) options.push({ flags: name, describe, notes: undefined });
      else
        options.push({ flags: `      --${name}`, describe, notes: `[${type}] [default: ${JSON.stringify(initial)}]` });
      return notes;
    },
  };
  group.options?.(notes as unknown as Argv);
  const word = `trustnode ${wordOf(entry)}`;
  const list = { prefix: word, entries: group.members, options };
  return helpText(`trustnode ${entry.command}`, [entry.describe, ''], list, columns);
}

interface OptionLine {
  readonly flags: string;
  readonly describe: string;
  /** Undefined for what is not understood here. */
  readonly notes: string | undefined;
}

interface List {
  /** In front of each command. */
  readonly prefix: string;
  readonly entries: readonly CommandEntry[];
  readonly options: readonly OptionLine[];
}

function helpText(usage: string, about: readonly string[], list: List, columns: number): string | undefined {
  const width = Math.min(WIDTH_MAX, columns);
  if (width < WIDTH_MIN || about.some((line) => line.length > width)) return undefined;
  const left = list.entries.map(({ command }) => `  ${list.prefix} ${command}  `);
  const indent = Math.max(...left.map((text) => text.length));
  // The parser gives them half of a line at most.
  if (indent > Math.floor(width / 2)) return undefined;
  const commands = list.entries.flatMap(({ describe }, i) =>
    wrapped(describe, width - indent).map((line, row) => `${(row === 0 ? (left[i] ?? '') : '').padEnd(indent)}${line}`),
  );
  const options = optionLines(list.options, width);
  return options === undefined ? undefined : [usage, '', ...about, 'Commands:', ...commands, '', ...options].join('\n');
}

const COMMON_OPTIONS: readonly OptionLine[] = [
  { flags: '  -h, --help', describe: 'Show help', notes: '[boolean]' },
  { flags: '  -v, --version', describe: 'Show version number', notes: '[boolean]' },
];
/** What the parser leaves free in front of the notes. */
const NOTES_GAP = 10;

function optionLines(own: readonly OptionLine[], width: number): string[] | undefined {
  const options = [...own, ...COMMON_OPTIONS];
  const flagsWidth = Math.max(...options.map(({ flags }) => flags.length)) + 2;
  const column = Math.floor((width - flagsWidth) / 2);
  const lines: string[] = [];
  for (const { flags, describe, notes } of options) {
    // The parser would begin new lines.
    if (notes === undefined || describe.length > column || notes.length > column - NOTES_GAP) return undefined;
    lines.push(`${`${flags.padEnd(flagsWidth)}${describe}`.padEnd(width - notes.length)}${notes}`);
  }
  return ['Options:', ...lines];
}
