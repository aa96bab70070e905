import t from 'tap';
import type { ArgumentsCamelCase } from 'yargs';
import type { Command, CommandEntry, CommandGroup } from '../../src/commands/command.js';
import { commandList, groupHelp } from '../../src/commands/help.js';
import { COMMANDS } from '../../src/commands/index.js';
import { parseCommandLine, UsageError } from '../../src/commands/parser.js';
import { parsePlain } from '../../src/commands/plain-line.js';
import type { Terminal } from '../../src/commands/terminal.js';

/** What is read without the parser is what the parser would have read. */

interface Parsed {
  readonly command: Command;
  readonly args: ArgumentsCamelCase;
}

function terminalOf(columns?: number): Terminal & { text: string } {
  return {
    isTTY: false,
    columns,
    exitCode: 0,
    text: '',
    out(text) {
      this.text += text;
    },
    err: () => undefined,
    input: () => new Uint8Array(),
  };
}

async function byParser(words: readonly string[]): Promise<Parsed | undefined> {
  let parsed: Parsed | undefined;
  try {
    await parseCommandLine(words, COMMANDS, terminalOf(), '1.2.3', async (command, _entry, args) => {
      parsed = { command, args };
    });
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
  }
  return parsed;
}

interface Leaf {
  readonly path: readonly string[];
  readonly entry: CommandEntry;
}

async function leaves(entries: readonly CommandEntry[], path: readonly string[] = []): Promise<Leaf[]> {
  const out: Leaf[] = [];
  for (const entry of entries) {
    const here = [...path, entry.command.split(' ')[0] ?? ''];
    const found: Command | CommandGroup = await entry.load();
    if ('handler' in found) out.push({ path: here, entry });
    else out.push(...(await leaves(found.members, here)));
  }
  return out;
}

const LEAVES = await leaves(COMMANDS);
/** Ends of lines: values of all kinds, mistakes, and what can be read in two ways. */
const ENDS: readonly (readonly string[])[] = [
  [],
  ['--json'],
  ['--json', 'true'],
  ['--json=true'],
  ['--no-json'],
  ['--prefix', 'ABC'],
  ['--prefix=ABC'],
  ['--prefix', 'A', '--prefix', 'B'],
  ['--prefix'],
  ['--prefix', '-x'],
  ['--prefix', '"quoted"'],
  ['--prefix='],
  ['--count', '3'],
  ['--count', '0x10'],
  ['--count', 'many'],
  ['--count', '007'],
  ['--form', 'client'],
  ['--form', 'other'],
  ['--sequence', '5', '--json'],
  ['-d', 'folder'],
  ['-d=folder'],
  ['-dfolder'],
  ['--data-dir', 'folder', '--stop-at', '7'],
  ['--dataDir', 'folder'],
  ['--at-block', '7'],
  ['--with-ids', '1.2', '2.0.0'],
  ['--with-ids', '1.2', '--json'],
  ['--wif', '5K', '--out', 'file', '--chain-id', '00'],
  ['--bogus'],
  ['--', 'word'],
  ['-'],
  ['--help'],
  ['17'],
  ['-5'],
];

t.test('every command: the parser finds the same, or is asked', async (t) => {
  let plain = 0;
  for (const { path, entry } of LEAVES) {
    const words = entry.command
      .split(' ')
      .slice(1)
      .filter((word) => word.startsWith('<'));
    for (const text of ['word', 'block']) {
      for (const end of ENDS) {
        for (const line of [
          [...path, ...words.map(() => text), ...end],
          [...path, ...end, ...words.map(() => text)],
        ]) {
          const quick = await parsePlain(line, COMMANDS);
          if (quick === undefined) continue;
          plain++;
          const whole = await byParser(line);
          if (whole === undefined) t.fail(`${line.join(' ')}: the parser refuses it`);
          else if (whole.command !== quick.command) t.fail(`${line.join(' ')}: another command`);
          // Undefined and not there are the same to a command.
          else t.same(JSON.parse(JSON.stringify(quick.args)), JSON.parse(JSON.stringify(whole.args)), line.join(' '));
        }
      }
    }
  }
  t.ok(plain > 100, `${plain} lines are plain`);
});

t.test('the plain lines of keys and genesis are read without the parser', async (t) => {
  for (const line of [
    ['keys', 'new'],
    ['keys', 'new', '--json', '--count', '3'],
    ['keys', 'show', '5K', '--prefix', 'ABC'],
    ['keys', 'derive', 'some words', '--form', 'client'],
    ['keys', 'sign-message', 'hello', '--wif', '5K'],
    ['genesis', 'check', 'file'],
    ['state-hash', '-d', 'folder'],
  ]) {
    t.not(await parsePlain(line, COMMANDS), undefined, line.join(' '));
  }
});

t.test('the list of commands is that of the parser, at every width', async (t) => {
  for (let columns = 60; columns <= 130; columns += 7) {
    const list = commandList(COMMANDS, columns);
    if (list === undefined) {
      t.ok(columns < 80, `${columns} columns`);
      continue;
    }
    const terminal = terminalOf(columns);
    await parseCommandLine(['--help'], COMMANDS, terminal, '1.2.3', () => Promise.reject(new Error('not a command')));
    t.equal(`${list}\n`, terminal.text, `${columns} columns`);
  }
});

t.test('so is the help of a group', async (t) => {
  let shown = 0;
  for (const entry of COMMANDS) {
    const [word = ''] = entry.command.split(' ');
    for (let columns = 60; columns <= 130; columns += 7) {
      const help = await groupHelp(entry, columns);
      if (help === undefined) continue;
      shown++;
      const terminal = terminalOf(columns);
      const none = () => Promise.reject(new Error('not a command'));
      await parseCommandLine([word, '--help'], COMMANDS, terminal, '1.2.3', none);
      t.equal(`${help}\n`, terminal.text, `${word}, ${columns} columns`);
    }
    if (word === 'keys')
      t.type(await groupHelp(entry), 'string', 'on a terminal of the usual width without the parser');
  }
  t.ok(shown >= 10, `${shown} shown`);
});
