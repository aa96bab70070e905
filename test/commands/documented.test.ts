import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { commandLine } from '../support/command-line.js';
import { projectPath } from '../support/paths.js';

/** Command lines that pages show are understood: there is such a command, and it has such options. */

const PAGES = readdirSync(projectPath('docs')).filter((name) => name.endsWith('.md'));
const BLOCK = /^ *```(?:sh)?\n(.*?)^ *```/gms;
const LINE = /^ *(?:npx |\S*\/)?trustnode ((?:(?!#|\|).)*)/gm;

interface Shown {
  readonly command: readonly string[];
  readonly options: readonly string[];
}

function shownIn(page: string): Shown[] {
  const text = readFileSync(join(projectPath('docs'), page), 'utf8').replace(/\\\n/g, ' ');
  const lines = [...text.matchAll(BLOCK)].flatMap(([, block = '']) => [...block.matchAll(LINE)]);
  return lines.map(([, line = '']) => {
    const words = line.trim().split(/\s+/);
    const end = words.findIndex((word) => !/^[a-z][a-z-]*$/.test(word));
    const options = words.flatMap((word) => /^(--[a-z-]+)/.exec(word)?.[1] ?? []);
    return { command: words.slice(0, end < 0 ? undefined : end), options };
  });
}

for (const page of PAGES) {
  const shown = shownIn(page);
  if (shown.length === 0) continue;
  t.test(page, async (t) => {
    for (const { command, options } of shown) {
      const { code, stdout, stderr } = await commandLine([...command, '--help']);
      t.equal(code, 0, `${command.join(' ')}: ${stderr}`);
      for (const option of options) t.ok(stdout.includes(option), `${command.join(' ')} ${option}`);
    }
  });
}

t.ok(shownIn('tools.md').length >= 15, 'lines are found');
