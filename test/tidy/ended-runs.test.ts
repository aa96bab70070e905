import { execFile, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import { eventually } from '../support/eventually.js';
import { projectPath } from '../support/paths.js';

/** Whoever ends a long run in the middle finds the machine as it was. */

/** Processes that work in the folder. */
function workingIn(folder: string): readonly string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(folder);
    } catch {
      // It has ended meanwhile.
      return false;
    }
  });
}

const skip = existsSync('/proc/self/cmdline') ? false : 'this system has no /proc to look for processes in';

t.test('a bench that a signal ends takes its node and its folders along', { skip }, async (t) => {
  const folder = t.testdir();
  const bench = spawn(process.execPath, [projectPath('dist', 'bench', 'run.js'), 'ingest', '--small'], {
    stdio: 'ignore',
    env: { ...process.env, TMPDIR: folder },
  });
  t.teardown(() => bench.kill('SIGKILL'));
  const ended = new Promise((done) => bench.once('exit', done));
  const hasNode = (): boolean =>
    readdirSync(folder, { recursive: true }).some((path) => /dev-accounts/.test(String(path)));
  await eventually('its node is there', hasNode);
  t.not(workingIn(folder).length, 0);
  bench.kill('SIGTERM');
  t.equal(await ended, 143);
  await eventually('its node has ended', () => workingIn(folder).length === 0);
  t.same(readdirSync(folder), []);
});

t.test('a run that waits for what nobody brings any more does not end in silence', async (t) => {
  const module = pathToFileURL(projectPath('dist', 'test', 'runner', 'lost-work.js')).href;
  const text = `import { tellLostWork } from ${JSON.stringify(module)}; tellLostWork(); await new Promise(() => undefined);`;
  const stderr = await new Promise<string>((done) => {
    execFile(process.execPath, ['--input-type=module', '-e', text], (_error, _stdout, said) => done(said));
  });
  t.match(stderr, /waits for something that nobody is left to bring/);
});
