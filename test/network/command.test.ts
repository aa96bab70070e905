import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { PseudoTerminal } from '../support/pseudo-terminal.js';

/** `npm run network`: what it prints, and what lines on its input or keys at a terminal do. */

const PROGRAM = fileURLToPath(new URL('./run.js', import.meta.url));

t.test('a network in one command, by lines', async (t) => {
  const args = ['--nodes', '3', '--witnesses', '3', '--interval', '1'];
  const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: 'pipe' });
  t.teardown(() => child.kill('SIGKILL'));
  let output = '';
  let watch = (): void => undefined;
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      watch();
    });
  }
  let code: number | null | undefined;
  const ended = new Promise<void>((resolve) =>
    child.on('close', (found) => {
      code = found;
      watch();
      resolve();
    }),
  );
  const until = async (pattern: RegExp): Promise<RegExpExecArray> => {
    for (;;) {
      const found = pattern.exec(output);
      if (found !== null) return found;
      if (code !== undefined) throw new Error(`it ended without ${pattern}: ${output}`);
      await new Promise<void>((resolve) => (watch = resolve));
    }
  };
  const type = async (line: string, answer: RegExp): Promise<RegExpExecArray> => {
    output = '';
    child.stdin.write(`${line}\n`);
    return until(answer);
  };

  const [, folder] = await until(/3 nodes, 3 witnesses, data in (\S+)/);
  await until(/node 2: rpc http:\/\/127\.0\.0\.1:\d+ ws:\/\/127\.0\.0\.1:\d+, p2p 127\.0\.0\.1:\d+, metrics http/);
  await until(/account treasury has the money, its key is 5\w+/);
  await until(/lines: status/);
  await type('status', /2 +up +\d+ +[0-9a-f]{12} +\d+ +\d+ +1 +127\.0\.0\.1:\d+ +127\.0\.0\.1:\d+/);
  await type('kill 2', /kill 2: done/);
  await type('status', /2 +down +- +- +- +- /);
  await type('start 2', /start 2: done/);
  await type('cut 1', /cut 1: done/);
  await type('status', /1 +up, cut off /);
  await type('join', /join: done/);
  await type('pause 0', /pause 0: done/);
  await type('status', /0 +paused +- /);
  await type('resume 0', /resume 0: done/);
  await type('stop 9', /there is no node 9/);
  await type('what', /lines: status/);
  await type('quit', /ending all nodes/);
  await ended;
  t.equal(code, 0);
  t.notOk(existsSync(folder as string), 'nothing is left');
});

/** For what a machine of any speed must have shown. */
const SHOWN_MS = 540_000;

t.test('a network in one command, by keys at a terminal', async (t) => {
  const args = ['--nodes', '3', '--witnesses', '3', '--interval', '1'];
  const terminal = new PseudoTerminal(args, {}, [process.execPath, PROGRAM]);
  t.teardown(() => terminal.stop());
  const shows = (what: RegExp): Promise<string> => terminal.until(what, SHOWN_MS);
  /** The row of a node in a table that is drawn after the key. */
  const press = async (key: string, ...rows: readonly RegExp[]): Promise<void> => {
    terminal.type(key);
    for (const row of rows) await shows(row);
    t.pass(`${JSON.stringify(key)} shows ${rows.join(', ')}`);
  };

  const folder = /data in (\S+)/.exec(await shows(/data in \S+\r?\n/))?.[1] as string;
  await shows(/account treasury has the money/);
  await shows(/up, down or 0-9: choose/);
  await press('2', />.*2 +up/);
  await press('k', /kill 2: done/, /2 +down/);
  await press('s', /start 2: done/, /2 +up/);
  await press('\u001b[A', />.*1 +up/);
  await press('c', /cut 1: done/, /1 +up, cut off/);
  await press('c', /join: done/);
  await press('\u001b[A', />.*0 +up/);
  await press('p', /pause 0: done/, /0 +paused/);
  await press('p', /resume 0: done/, /0 +up/);
  await press('\u001b[B', />.*1 +up/);
  await press('s', /stop 1: done/, /1 +down/);
  terminal.type('\u0003');
  await shows(/ending all nodes/);
  t.equal(await terminal.ended, 0, 'Ctrl-C ends all');
  t.notOk(existsSync(folder), 'nothing is left');
});
