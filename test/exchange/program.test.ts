import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import { eventually } from '../support/eventually.js';
import { projectPath } from '../support/paths.js';
import { DevChain } from './dev-chain.js';

/** Whoever started the programs of an exchange may be killed: the next one ends what is left, and goes on. */

const isThere = (pid: number): boolean => existsSync(`/proc/${pid}/stat`);

t.test('a starter that is killed', { skip: existsSync('/proc/self/stat') ? false : 'there is no /proc' }, async (t) => {
  const folder = t.testdir();
  const pidFile = join(folder, 'node.pid');
  const code = `
    import { DevChain } from ${JSON.stringify(pathToFileURL(projectPath('dist', 'test', 'exchange', 'dev-chain.js')).href)};
    await new DevChain(${JSON.stringify(folder)}).start();
    process.kill(process.pid, 'SIGKILL');`;
  const starter = spawn(process.execPath, ['--input-type=module', '--eval', code], { stdio: 'ignore' });
  const [, signal] = await once(starter, 'exit');
  t.equal(signal, 'SIGKILL');
  const pid = Number(readFileSync(pidFile, 'utf8'));
  t.ok(isThere(pid), 'its node runs on');
  const chain = new DevChain(folder);
  t.teardown(() => chain.close());
  await chain.start();
  t.not(chain.pid, pid);
  await eventually('the old one has ended', () => !isThere(pid));
  await chain.kill();

  const other = spawn(process.execPath, ['--eval', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  t.teardown(() => other.kill('SIGKILL'));
  writeFileSync(pidFile, String(other.pid));
  const again = new DevChain(folder);
  t.teardown(() => again.close());
  await again.start();
  t.ok(isThere(other.pid as number), 'a number that belongs to another program by now is left alone');
});
