import { readFileSync } from 'node:fs';
import t from 'tap';
import { devApi } from '../../src/api/dev.js';
import { startDevNode } from '../support/dev-node.js';
import { projectPath } from '../support/paths.js';
import { rpcCall, rpcText } from '../support/rpc-call.js';

/** The documents and the methods of a development chain name each other. */

const METHODS = Object.keys(devApi.methods);
const DOCUMENTS = ['docs/dev-chain.md', 'docs/decisions/compared.md', 'docs/decisions/dev-network.md', 'CHANGELOG.md'];
/** Names of refusals, which look alike. */
const REFUSALS = new Set(['dev_only']);

const named = (text: string): string[] => [...new Set(text.match(/\bdev_[A-Za-z]+\b/g) ?? [])];

t.test('every word with dev_ in the documents is a method, and dev-chain.md has all of them', async (t) => {
  const [ofUsers = [], ...others] = DOCUMENTS.map((path) => named(readFileSync(projectPath(path), 'utf8')));
  t.same(
    [...ofUsers, ...others.flat()].filter((name) => !METHODS.includes(name) && !REFUSALS.has(name)),
    [],
  );
  t.same(
    METHODS.filter((name) => !ofUsers.includes(name)),
    [],
  );
});

t.test('all of them are there by their bare names on a development chain, and by these alone', async (t) => {
  const { node } = await startDevNode(t.testdir(), { plugins: 'none' });
  t.teardown(() => node.stop());
  const { plain } = node.endpoints;
  for (const name of METHODS) {
    const answer = JSON.parse(await rpcText(plain, name, [])) as { error?: { data: { key: string } } };
    const key = answer.error?.data.key ?? 'done';
    t.ok(key === 'done' || key === 'rpc_arguments_missing', `${name}: ${key}`);
  }
  t.match(await rpcText(plain, 'dev_none', []), /dev_none/);
});

t.test('the page that the node itself serves to its machine may call them, and no other one', async (t) => {
  const { node } = await startDevNode(t.testdir(), { plugins: 'none' });
  t.teardown(() => node.stop());
  const { plain } = node.endpoints;
  const port = plain?.split(':').at(-1);
  const keyOf = async (method: string, headers: Record<string, string>): Promise<string> => {
    const body = JSON.stringify({ id: 1, method, params: [] });
    const answer = await fetch(`http://${plain}/`, { method: 'POST', headers, body });
    return ((await answer.json()) as { error?: { data: { key: string } } }).error?.data.key ?? 'done';
  };
  t.equal(await keyOf('dev_status', { Origin: `http://${plain}` }), 'done');
  t.equal(
    await keyOf('create_snapshot', { Origin: `http://${plain}` }),
    'rpc_foreign_page',
    'what is the operator’s is not',
  );
  for (const origin of [`http://localhost:${port}`, 'http://127.0.0.1:1', 'http://shop.example', 'null']) {
    t.equal(await keyOf('dev_status', { Origin: origin }), 'rpc_foreign_page', origin);
  }
  const forwarded = { Origin: `http://${plain}`, 'X-Forwarded-For': '10.0.0.1' };
  t.equal(await keyOf('dev_status', forwarded), 'rpc_foreign_page', 'somebody in between');
});

t.test('the commands of the page do what it says, one after another', async (t) => {
  const { node } = await startDevNode(t.testdir(), { plugins: 'none' });
  t.teardown(() => node.stop());
  const text = readFileSync(projectPath('docs/dev-chain.md'), 'utf8');
  const commands = [...text.matchAll(/^rpc (dev_\w+) ?(?:'([^'\n]*)'|([^#'\s]*))/gm)];
  t.ok(commands.length >= 11);
  for (const [line, method = '', quoted, bare = ''] of commands) {
    const params = JSON.parse(`[${quoted ?? bare}]`) as unknown[];
    const answer = JSON.parse(await rpcText(node.endpoints.plain, method, params)) as object;
    t.ok('result' in answer, `${line}: ${JSON.stringify(answer).slice(0, 200)}`);
  }
});

t.test('dev_mine: what is left out is one block, in the next slot', async (t) => {
  const { node } = await startDevNode(t.testdir(), { plugins: 'none' });
  t.teardown(() => node.stop());
  const { plain } = node.endpoints;
  const mine = (params: unknown) => rpcCall<{ head_block_number: number }>(plain, 'dev_mine', params as unknown[]);
  t.equal((await mine([])).head_block_number, 1);
  t.equal((await mine([2])).head_block_number, 3);
  t.equal((await mine([2, 60])).head_block_number, 5);
  t.equal((await mine({ seconds_between: 60 })).head_block_number, 6);
  t.equal((await mine({})).head_block_number, 7);
});

t.test('numbers that would wrap around or lose a part are refused as such', async (t) => {
  const { node } = await startDevNode(t.testdir(), { plugins: 'none' });
  t.teardown(() => node.stop());
  const { plain } = node.endpoints;
  const status = (method: string, ...params: unknown[]) =>
    rpcCall<{ now: string; head_block_number: number }>(plain, method, params);
  const before = await status('dev_setProducing', false);
  for (const [method, params, named] of [
    ['dev_mine', [-3], '-3'],
    ['dev_mine', [1, -60], '-60'],
    ['dev_mine', [1.5], '1.5'],
    ['dev_increaseTime', [-10], '-10'],
    ['dev_increaseTime', [2 ** 32 + 60], '4294967356'],
  ] as const) {
    const answer = await rpcText(plain, method, [...params]);
    t.match(answer, `${named} is not such a number`, `${method} ${params}`);
  }
  t.equal((await status('dev_status')).head_block_number, before.head_block_number);
});
