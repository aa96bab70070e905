import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { YOUNG_SPACE } from '../runner/young-space.js';
import { projectPath } from '../support/paths.js';
import { TRUSTNODE } from '../support/run-trustnode.js';

/** `npm start` as it stands in package.json, through npm and whatever shell it takes. */

const { scripts } = JSON.parse(readFileSync(projectPath('package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};
const PROGRAM = 'dist/src/bin/trustnode.js';

t.test('the script means the same to every shell', async (t) => {
  t.match(scripts.start, /^node [\w=/. -]+$/, 'a program and its arguments, nothing for a shell to read');
  t.ok(scripts.start?.includes(PROGRAM));
  const [first] = readFileSync(projectPath('src', 'bin', 'trustnode.ts'), 'utf8').split('\n');
  for (const flag of scripts.start?.match(/--\S+-size=\d+/g) ?? []) t.ok(first?.includes(flag), `${flag} as installed`);
  t.match(scripts.start, /--stack-size=6500 --max-semi-space-size=32 /);
  t.ok(scripts.start?.includes(YOUNG_SPACE), 'tests and benches run with the same room');
});

interface Running {
  readonly npm: ChildProcess;
  output(): string;
  until(pattern: RegExp): Promise<void>;
  /** When nobody holds the output any more, the node above all. */
  readonly ended: Promise<void>;
}

/** In a process group of its own, as a terminal starts it. The package is a copy: the tests' own build is to run. */
const nodeOptions = (folder: string): string[] => [
  ...['--data-dir', join(folder, 'data'), '--rpc-endpoint', '127.0.0.1:0', '--verify-threads', '0'],
];

function npmStart(t: Test, folder: string): Running {
  const script = scripts.start?.replace(PROGRAM, TRUSTNODE) ?? '';
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'trustnode', scripts: { start: script } }));
  return running(t, folder, 'npm', ['start', '--silent', '--', ...nodeOptions(folder)]);
}

/** As in a project that has the package. */
function npxStart(t: Test, folder: string): Running {
  const commands = join(folder, 'node_modules/.bin');
  mkdirSync(commands, { recursive: true });
  // With the flags of the program's first line, which npm's link to it keeps.
  const script = `#!/bin/sh\nexec '${process.execPath}' --stack-size=6500 '${TRUSTNODE}' "$@"\n`;
  writeFileSync(join(commands, 'trustnode'), script, { mode: 0o755 });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'somebody', private: true }));
  return running(t, folder, 'npx', ['--no-install', 'trustnode', 'start', '--dev', ...nodeOptions(folder)]);
}

function running(t: Test, folder: string, command: string, args: readonly string[]): Running {
  const npm = spawn(command, args, {
    cwd: folder,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let watch = (): void => undefined;
  for (const stream of [npm.stdout, npm.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      watch();
    });
  }
  let hasEnded = false;
  const ended = new Promise<void>((resolve) =>
    npm.on('close', () => {
      hasEnded = true;
      watch();
      resolve();
    }),
  );
  t.teardown(() => {
    try {
      process.kill(-(npm.pid as number), 'SIGKILL');
    } catch {
      // It has ended, as it should.
    }
  });
  const until = async (pattern: RegExp): Promise<void> => {
    while (!pattern.test(output)) {
      if (hasEnded) throw new Error(`npm start ended without ${pattern}: ${output}`);
      await new Promise<void>((resolve) => (watch = resolve));
    }
  };
  return { npm, output: () => output, until, ended };
}

const notPosix = process.platform === 'win32' ? 'signals to groups of processes are a thing of POSIX' : false;

t.test('Ctrl-C stops the node in order, once', { skip: notPosix }, async (t) => {
  const running = npmStart(t, t.testdir());
  await running.until(/the node is running/);
  // What a terminal does: everybody in its foreground gets the signal, and npm hands its own on.
  process.kill(-(running.npm.pid as number), 'SIGINT');
  await running.ended;
  t.match(running.output(), /caught a signal.*SIGINT/);
  t.match(running.output(), /part=storage.*the node has stopped/s);
  t.equal(running.output().split('caught a signal').length, 2);
  t.notMatch(running.output(), /second signal/);
});

t.test('whoever ends npm ends the node, in order', { skip: notPosix }, async (t) => {
  const running = npmStart(t, t.testdir());
  await running.until(/the node is running/);
  running.npm.kill('SIGTERM');
  await running.ended;
  t.match(running.output(), /(caught a signal.*SIGTERM|npm has gone).*part=storage.*the node has stopped/s);
  t.notMatch(running.output(), /second signal/);
});

t.test('whoever ends npx ends the node, in order', { skip: notPosix }, async (t) => {
  const running = npxStart(t, t.testdir());
  await running.until(/the node is running/);
  running.npm.kill('SIGTERM');
  await running.ended;
  t.match(running.output(), /(caught a signal.*SIGTERM|npm has gone).*part=storage.*the node has stopped/s);
});
