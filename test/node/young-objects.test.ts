import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import t from 'tap';
import { STACK_SIZE } from '../runner/stack-size.js';
import { TRUSTNODE } from '../support/run-trustnode.js';

const asModule = (text: string): string => `data:text/javascript,${encodeURIComponent(text)}`;

/** Says what the engine is told, among the lines of the log. */
const SAYS_FLAGS = asModule(`
  import { syncBuiltinESMExports } from 'node:module';
  import v8 from 'node:v8';
  const { setFlagsFromString } = v8;
  v8.setFlagsFromString = (flag) => {
    console.error('flag ' + flag);
    setFlagsFromString(flag);
  };
  syncBuiltinESMExports();`);

const DIE_YOUNG = '--no-allocation-site-pretenuring';
const GROWS = { '--semi-space-growth-factor=1': 'held', '--semi-space-growth-factor=2': 'grows' };

/** What the engine was told last of the room of young objects before the node ran, and everything afterwards. */
async function flagsOfStart(dataDir: string): Promise<{ before: string | undefined; after: string[]; end: unknown }> {
  const options = ['--rpc-endpoint', '127.0.0.1:0', '--verify-threads', '0'];
  const args = ['start', '--dev', '--data-dir', dataDir, ...options];
  const node = spawn(process.execPath, [STACK_SIZE, '--import', SAYS_FLAGS, TRUSTNODE, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(node, 'close');
  let before: string | undefined;
  let isRunning = false;
  const after: string[] = [];
  for await (const line of createInterface({ input: node.stderr })) {
    const flag = /^flag (\S+)$/.exec(line)?.[1];
    if (line.includes('the node is running')) isRunning = true;
    else if (flag === DIE_YOUNG || (isRunning && flag !== undefined && flag in GROWS)) after.push(flag);
    else if (flag !== undefined) before = GROWS[flag as keyof typeof GROWS] ?? before;
    else if (/ block +num=/.test(line) && after.length > 0) node.kill('SIGTERM');
  }
  return { before, after, end: await ended };
}

t.test('a node is loaded as the engine does it by itself, and runs so that objects die young', async (t) => {
  const dataDir = join(t.testdir({}), 'data');
  const after = ['--semi-space-growth-factor=2', DIE_YOUNG];
  t.same(await flagsOfStart(dataDir), { before: 'held', after, end: [0, null] }, 'an empty one takes no room for it');
  t.same(await flagsOfStart(dataDir), { before: 'grows', after, end: [0, null] }, 'one with a state does');
});
