import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import t from 'tap';
import { eventually } from '../support/eventually.js';
import { projectPath } from '../support/paths.js';
import { NamespaceLinks, removeLeftovers, whyNoNamespaces } from './namespaces.js';

/** What a network whose program was killed has left behind goes when the next one begins; one that runs stays. */

const whyNot = whyNoNamespaces();

const spaces = (of: ChildProcess): string[] =>
  execFileSync('ip', ['netns', 'list'], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.startsWith(`tn${of.pid}x`));
const bridges = (of: ChildProcess): string[] =>
  execFileSync('ip', ['-o', 'link', 'show', 'type', 'bridge'], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(` tn${of.pid}x`));

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** With the process that runs in its namespace. */
async function startNetwork(): Promise<{ worker: ChildProcess; inside: number }> {
  const worker = spawn(process.execPath, [projectPath('dist', 'test', 'network', 'namespace-worker.js')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(worker.stdout as NonNullable<typeof worker.stdout>, 'data')) as [Buffer];
  return { worker, inside: Number(line.toString()) };
}

t.test('a killed network is cleared away by the next one', async (t) => {
  if (whyNot !== undefined) {
    t.pass(`no network namespaces here: ${whyNot}`);
    return;
  }
  const [dead, living] = [await startNetwork(), await startNetwork()];
  t.teardown(async () => {
    living.worker.kill('SIGKILL');
    await once(living.worker, 'exit');
    removeLeftovers();
  });
  dead.worker.kill('SIGKILL');
  await once(dead.worker, 'exit');
  t.equal(spaces(dead.worker).length, 1, 'it has left its namespace');
  t.equal(bridges(dead.worker).length, 1, 'and its bridge');
  t.equal(isAlive(dead.inside), true, 'and a program inside');

  await new NamespaceLinks(1).close();
  t.same([spaces(dead.worker), bridges(dead.worker)], [[], []]);
  await eventually('the program has ended', () => !isAlive(dead.inside));
  t.equal(spaces(living.worker).length, 1, 'another one that runs is left alone');
  t.equal(isAlive(living.inside), true);
});
