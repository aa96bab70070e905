import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { InstalledBeside } from '../support/installed-beside.js';
import { NodeProcess } from '../support/node-process.js';
import { projectPath } from '../support/paths.js';
import { rpcCall } from '../support/rpc-call.js';
import { TRUSTNODE } from '../support/run-trustnode.js';

/**
 * The built program on other versions of Node, which npm brings: a node, its clients, commands beside it, and the tests of
 * what leans on Node the most: its server, and a service with its database.
 */

const run = promisify(execFile);
const VERSIONS = ['22', '24', '26'];
const BODY_MAX = 100_000;
const SUITES = ['http/', 'rpc/transport', 'rpc/socket-session', 'services/market/market'];
/** Other files run beside this one. */
const FEW_AT_ONCE = ['--jobs', '2'];
const RUNNER = join(import.meta.dirname, '..', 'run.js');

const example = (name: string): string => projectPath('docs', 'examples', name);

function start(t: Test, program: string, dataDir: string, ...more: readonly string[]): NodeProcess {
  const line = ['start', '--data-dir', dataDir, '--rpc-endpoint', '127.0.0.1:0', '--verify-threads', '1', ...more];
  const node = new NodeProcess(line, undefined, [], program);
  t.teardown(() => node.kill('SIGKILL'));
  return node;
}

for (const version of VERSIONS) {
  const installed = new InstalledBeside(projectPath('test', 'versions', version), `node-${version}`, `Node ${version}`);
  const skip = await installed.isMissing();
  t.test(`Node ${version}`, { skip }, async (t) => {
    const program = join(installed.folder, 'node_modules', 'node', 'bin', 'node');
    const folder = mkdtempSync(join(tmpdir(), 'trustnode-version-'));
    t.teardown(() => rmSync(folder, { recursive: true, force: true }));
    const data = join(folder, 'data');
    const tried = async (...args: readonly string[]): Promise<string> => (await run(program, [...args])).stdout;
    t.match(await tried('--version'), new RegExp(`^v${version}\\.`));

    const limit = ['--rpc-request-bytes-max', String(BODY_MAX)];
    const node = start(t, program, data, '--dev', '--dev-block-ms', '500', ...limit);
    const [, endpoint = ''] = await node.until(/RPC +http:\/\/(127\.0\.0\.1:\d+)/);
    await node.until(/chain +block +num=3 /);
    const url = `http://${endpoint}`;
    t.match(await tried(example('typed-client.mjs'), data, url), /3 GXC from carol to bob are in block \d+/);
    t.match(await tried(example('watch-blocks.mjs'), data, url), /(block [0-9a-f]{40}: number \d+.*\n){3}/, 'pushed');
    const tooLarge = await fetch(url, { method: 'POST', body: 'x'.repeat(BODY_MAX + 1) });
    t.equal(tooLarge.status, 413, 'answered, not cut off');
    t.match(await tooLarge.json(), { error: { data: { key: 'http_request_size' } } });

    const { head_block_number } = await rpcCall<{ head_block_number: number }>(
      endpoint,
      'get_dynamic_global_properties',
      [],
    );
    t.match(await tried(TRUSTNODE, 'status', '-d', data), /ready/);
    t.match(
      await tried(TRUSTNODE, 'state-hash', '-d', data),
      /^[0-9a-f]{64} block \d+ /,
      'over its socket and a thread',
    );
    node.kill('SIGTERM');
    t.equal((await node.finished).code, 0, node.stderr);

    const again = start(t, program, data);
    await again.until(/RPC is served by the slower server .*is not installed or not built for this version of Node/);
    const [, blocks = ''] = await again.until(/the node is running +blocks=(\d+)/);
    t.ok(Number(blocks) >= head_block_number, 'nothing was lost');
    again.kill('SIGTERM');
    t.equal((await again.finished).code, 0);
  });

  t.test(`the server and a service with its database on Node ${version}`, { skip }, async (t) => {
    const packages = join(installed.folder, 'node_modules');
    const program = join(packages, 'node', 'bin', 'node');
    // The library for SQLite that this Node loads is not in what an older one has installed.
    const options = { env: { ...process.env, NODE_PATH: packages } };
    const tried = run(program, [RUNNER, '--once', ...FEW_AT_ONCE, '--beside', `node-${version}`, ...SUITES], options);
    const { stdout } = await tried.catch((error: { stdout: string }) => error);
    t.match(stdout, /\n\d+ files, \d+ passed, 0 failed, /, stdout);
  });
}
