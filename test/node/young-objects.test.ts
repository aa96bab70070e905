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

t.test('a node is loaded as the engine does it by itself, and runs so that they die young', async (t) => {
  const options = ['--rpc-endpoint', '127.0.0.1:0', '--verify-threads', '0'];
  const args = ['start', '--dev', '--data-dir', join(t.testdir({}), 'data'), ...options];
  const node = spawn(process.execPath, [STACK_SIZE, '--import', SAYS_FLAGS, TRUSTNODE, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(node, 'close');
  const said: string[] = [];
  for await (const line of createInterface({ input: node.stderr })) {
    if (line.includes('the node is running')) said.push('running');
    else if (line === 'flag --no-allocation-site-pretenuring') said.push('flag');
    else if (/ block +num=/.test(line)) node.kill('SIGTERM');
  }
  t.same(said, ['running', 'flag']);
  t.same(await ended, [0, null]);
});
