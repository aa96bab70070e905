import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { openClient } from '../../src/client/open-client.js';
import { commandLine } from '../support/command-line.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { NodeProcess } from '../support/node-process.js';

/** What `genesis create FOLDER` makes is a network: started as its page says, as processes of their own. */

const BLOCK_INTERVAL_SEC = 1;
const MISSED_SLOTS = 2;
const ANY_PORT = ['--rpc-endpoint', '127.0.0.1:0', '--monitor-endpoint', '127.0.0.1:0'];

function start(t: Test, dataDir: string, ...more: string[]): NodeProcess {
  const node = new NodeProcess(['start', '--data-dir', dataDir, '--verify-threads', '0', ...ANY_PORT, ...more]);
  t.teardown(() => node.kill('SIGKILL'));
  return node;
}

async function make(t: Test, nodes: number): Promise<string> {
  const folder = join(t.testdir(), 'net');
  const hosts: string[] = [];
  for (let i = 0; i < nodes; i++) hosts.push('--host', `127.0.0.1:${await freePort()}`);
  const made = await commandLine([
    'genesis',
    'create',
    folder,
    '--block-interval',
    `${BLOCK_INTERVAL_SEC}`,
    '--name',
    'ours',
    ...hosts,
  ]);
  t.equal(made.code, 0, made.stderr);
  t.match(made.stdout, /read_next: +.*README\.md/);
  return folder;
}

const rpcOf = async (node: NodeProcess): Promise<string> =>
  `ws://${(await node.until(/rpc listens +plain=(127\.0\.0\.1:\d+)/))[1]}`;

/** The treasury's money is there, and some of it gets to somebody else. */
async function pay(t: Test, folder: string, url: string): Promise<void> {
  const keys = JSON.parse(readFileSync(join(folder, 'keys.json'), 'utf8')) as {
    readonly name: string;
    readonly purpose: string;
    readonly wif: string;
  }[];
  const wif = keys.find(({ name, purpose }) => name === 'treasury' && purpose === 'account')?.wif as string;
  const client = await openClient(url, { keys: [wif] });
  const paid = await client.transfer({ from: 'treasury', to: 'init0', amount: '5 GXS' });
  t.match(paid.state, /^(included|irreversible)$/);
  t.equal(await client.amountText((await client.balances('init0'))[0] as never), '5 GXS');
  client.close();
}

t.test('one node: block 1 by itself, money that can be spent, and on after kill -9', async (t) => {
  const folder = await make(t, 1);
  for (const name of ['keys.json', 'node1/config.ini', 'node1/first-transactions.json']) {
    t.equal(statSync(join(folder, name)).mode & 0o777, 0o600, name);
  }
  const config = readFileSync(join(folder, 'node1', 'config.ini'), 'utf8');
  t.notMatch(config, /p2p-/, 'nobody to connect to');
  const node = start(t, join(folder, 'node1'), '--required-participation', '33');
  await node.until(/this node begins the chain/);
  await node.until(/chain +block +num=3 /);
  t.match(node.stderr, /block +num=1 .*txs=2/, 'claim and price are in block 1');
  await pay(t, folder, await rpcOf(node));
  node.kill('SIGKILL');
  await node.finished;
  const killedMs = Date.now();
  // A start within the slot behind the last block would find nothing to resume.
  await eventually('slots without a block', () => Date.now() - killedMs > MISSED_SLOTS * BLOCK_INTERVAL_SEC * 1000);
  const again = start(t, join(folder, 'node1'), '--required-participation', '33');
  await again.until(/nobody else can have made a block since/);
  await again.until(/chain +block +num=\d+ /);
  t.match(readFileSync(join(folder, 'README.md'), 'utf8'), /trustnode start --data-dir node1\n/);
});

t.test('three nodes: all witnesses take turns, and every node can spend', async (t) => {
  const folder = await make(t, 3);
  const nodes = [1, 2, 3].map((number) => start(t, join(folder, `node${number}`)));
  for (const node of nodes) {
    for (const witness of ['init0', 'init1', 'init2']) {
      await node.until(new RegExp(`chain +block +num=\\d+ .*witness=${witness} `));
    }
  }
  t.notMatch(nodes[1]?.stderr, /begins the chain/);
  await pay(t, folder, await rpcOf(nodes[2] as NodeProcess));
});

t.test('what cannot be made leaves nothing behind', async (t) => {
  const folder = join(t.testdir({ there: {} }), 'net');
  const cases: [words: string[], message: RegExp][] = [
    [[join(folder, '..', 'there')], /genesis_folder_exists/],
    [[folder, '--nodes', '0'], /option nodes: 0 is not a whole number from 1 to 100/],
    [[folder, '--nodes', '3', '--witnesses', '2'], /option witnesses: 2 is not a whole number from 3/],
    [[folder, '--nodes', '2', '--host', 'one.example'], /option host: is given 1 times for 2 nodes/],
    [[folder, '--host', 'one.example', '--host', 'one.example'], /two nodes have one address/],
    [[folder, '--host', 'no host'], /no host is neither a host nor host:port/],
    [[folder, '--supply', '5000'], /--supply 100000 is the least for 1 account/],
    [[folder, '--supply', '150000', '--account', 'a', '--account', 'b'], /--supply 200000 is the least for 2 account/],
    [[`${folder}.json`, '--nodes', '3'], /option nodes: is for a folder/],
  ];
  for (const [words, message] of cases) {
    t.match(await commandLine(['genesis', 'create', ...words]), { code: 1, stderr: message }, words.join(' '));
    t.notOk(existsSync(folder) || existsSync(`${folder}.json`));
  }
});
