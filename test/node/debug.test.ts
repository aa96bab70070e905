import { existsSync, mkdirSync, readFileSync, rmdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { WebSocket } from 'ws';
import { NULL_PUBLIC_KEY, publicKeyToText } from '../../src/crypto/public-key.js';
import { DEBUG_FILE_ERRORS } from '../../src/node/chain/debug-updates-file.js';
import { DEV_SIGNING_KEYS } from '../../src/node/dev/dev-network.js';
import { STREAM_FOLDER } from '../../src/node/ports/object-stream.js';
import { stateHash } from '../../src/state/state-hash.js';
import { type DevNode, startDevNode } from '../support/dev-node.js';
import { NETWORK } from '../support/network.js';
import { NodeProcess } from '../support/node-process.js';
import { refusedLater } from '../support/refused.js';
import { rpcCall } from '../support/rpc-call.js';

/** The debug API as tests of others use it: over the wire, on a node that is stopped, killed and started again. */

const WIF = DEV_SIGNING_KEYS[0]?.toWif();
const DEBUG = { 'enable-debug-api': 'true', plugins: 'none' };

const debug = (endpoint: string | undefined, method: string, ...params: unknown[]) =>
  rpcCall(endpoint, 'call', ['debug', `debug_${method}`, params]);

const objectOf = async (endpoint: string | undefined, id: string): Promise<Record<string, unknown> | null> =>
  (await rpcCall<(Record<string, unknown> | null)[]>(endpoint, 'get_objects', [[id]]))[0] ?? null;

const hashOf = ({ node }: DevNode): string => node.chain.snapshots.withHeadState(stateHash);

t.test('objects changed by hand stay changed: stop, start, replay, tools', async (t) => {
  const folder = t.testdir();
  const dev = await startDevNode(folder, DEBUG);
  const { plain } = dev.node.endpoints;
  await t.rejects(debug(plain, 'update_object', { id: '1.6.1', url: 'x' }), /there is none yet/);
  await debug(plain, 'generate_blocks', WIF, 3);
  await debug(plain, 'update_object', { id: '2.5.0', _action: 'update', balance: '99999999999999999' });
  t.match(await objectOf(plain, '2.5.0'), { balance: '99999999999999999', owner: '1.2.0' });
  await debug(plain, 'update_object', { id: '1.6.2', _action: 'update', url: 'first' });
  await debug(plain, 'update_object', { id: '1.6.2', _action: 'update', url: 'second' });
  await debug(plain, 'generate_blocks', WIF, 60);
  await debug(plain, 'update_object', { id: '1.6.3', _action: 'update', url: 'third' });
  await t.rejects(debug(plain, 'update_object', { id: '1.6.1', _action: 'create' }), /_action create/);
  const hash = hashOf(dev);
  await dev.node.stop();
  for (const more of [{}, { 'replay-blockchain': 'true' }, {}]) {
    const again = await startDevNode(folder, { ...DEBUG, ...more }, dev.clock);
    t.match(await objectOf(again.node.endpoints.plain, '1.6.2'), { url: 'second' });
    t.equal(hashOf(again), hash);
    await again.node.stop();
  }

  const file = join(folder, 'data', 'blockchain', 'debug_updates');
  const text = readFileSync(file, 'utf8');
  t.equal(text.split('\n').length, 5);
  writeFileSync(file, `${text}{"block":"0000`);
  const torn = await startDevNode(folder, DEBUG, dev.clock);
  t.equal(hashOf(torn), hash, 'a line that was cut off was never said to be there');
  await debug(torn.node.endpoints.plain, 'update_object', { id: '1.6.3', _action: 'update', url: 'fourth' });
  const later = hashOf(torn);
  await torn.node.stop();
  const last = await startDevNode(folder, DEBUG, dev.clock);
  t.equal(hashOf(last), later);
  await last.node.stop();

  writeFileSync(file, `nonsense\n${text}`);
  await refusedLater(t, DEBUG_FILE_ERRORS.debug_updates_corrupt, startDevNode(folder, DEBUG, dev.clock));
  const fresh = await startDevNode(folder, { ...DEBUG, 'resync-blockchain': 'true' }, dev.clock);
  t.notOk(existsSync(file), 'a new chain has none');
  await fresh.node.stop();
});

t.test('a change that cannot be kept is not made', async (t) => {
  const folder = t.testdir();
  const dev = await startDevNode(folder, DEBUG);
  t.teardown(() => dev.node.stop());
  const { plain } = dev.node.endpoints;
  await debug(plain, 'generate_blocks', WIF, 1);
  const hash = hashOf(dev);
  // A folder in the place of the file cannot be written.
  const file = join(folder, 'data', 'blockchain', 'debug_updates');
  mkdirSync(file);
  const update = { id: '1.6.2', _action: 'update', url: 'kept' };
  await t.rejects(debug(plain, 'update_object', update), /EISDIR/);
  t.equal(hashOf(dev), hash);
  rmdirSync(file);
  await debug(plain, 'update_object', update);
  t.match(await objectOf(plain, '1.6.2'), { url: 'kept' });
});

t.test('a changed object survives kill -9', async (t) => {
  const folder = t.testdir();
  const args = ['start', '--dev', '--data-dir', join(folder, 'data'), '--rpc-endpoint', '127.0.0.1:0'];
  args.push('--enable-debug-api', '--plugins', 'none', '--verify-threads', '0', '--debug-private-key', WIF as string);
  const open = async (): Promise<{ node: NodeProcess; plain: string }> => {
    const node = new NodeProcess(args);
    t.teardown(() => node.kill('SIGKILL'));
    const plain = (await node.until(/rpc listens +plain=(\S+)/))[1] as string;
    return { node, plain };
  };
  const first = await open();
  // Enough for the state to be stored beyond the first change.
  await debug(first.plain, 'generate_blocks', '', 2);
  await debug(first.plain, 'update_object', { id: '1.6.2', _action: 'update', url: 'early' });
  await debug(first.plain, 'generate_blocks', '', 100);
  await debug(first.plain, 'update_object', { id: '1.6.3', _action: 'update', url: 'late' });
  first.node.kill('SIGKILL');
  await first.node.finished;

  const second = await open();
  t.match(await objectOf(second.plain, '1.6.2'), { url: 'early' });
  t.match(await objectOf(second.plain, '1.6.3'), { url: 'late' });
  await debug(second.plain, 'generate_blocks', '', 2);
  t.match(await rpcCall(second.plain, 'get_dynamic_global_properties', []), { head_block_number: 104 });
  second.node.kill('SIGTERM');
  t.equal((await second.node.finished).code, 0);
});

t.test('subscribers hear of a change by hand', async (t) => {
  const dev = await startDevNode(t.testdir(), DEBUG);
  t.teardown(() => dev.node.stop());
  const { plain } = dev.node.endpoints;
  await debug(plain, 'generate_blocks', WIF, 1);
  const socket = new WebSocket(`ws://${plain}`);
  t.teardown(() => socket.terminate());
  const got: { id?: number; method?: string; params?: [number, [{ id: string; url: string }[]]] }[] = [];
  let wake = (): void => undefined;
  socket.on('message', (data) => {
    got.push(JSON.parse(String(data)));
    wake();
  });
  const until = async (count: number): Promise<void> => {
    while (got.length < count) await new Promise<void>((resolve) => (wake = resolve));
  };
  await new Promise((resolve) => socket.once('open', resolve));
  socket.send(JSON.stringify({ id: 1, method: 'set_subscribe_callback', params: [5, false] }));
  socket.send(JSON.stringify({ id: 2, method: 'get_objects', params: [['1.6.2']] }));
  await until(2);
  await debug(plain, 'update_object', { id: '1.6.2', _action: 'update', url: 'seen' });
  await until(3);
  t.equal(got[2]?.params?.[0], 5);
  t.match(got[2]?.params?.[1][0], [{ id: '1.6.2', url: 'seen' }]);
});

t.test('the stream of changed objects', async (t) => {
  const folder = t.testdir();
  const dev = await startDevNode(folder, DEBUG);
  t.teardown(() => dev.node.stop());
  const { plain } = dev.node.endpoints;
  for (const bad of ['../config.ini', '/etc/passwd', '..', 'a/../../b', '.']) {
    await t.rejects(debug(plain, 'stream_json_objects', bad), /does not name a file below/, bad);
  }
  t.match(readFileSync(join(folder, 'data', 'config.ini'), 'utf8'), /Configuration of a trustnode/);
  await debug(plain, 'generate_blocks', WIF, 1);
  await debug(plain, 'stream_json_objects', 'run/one.json');
  await debug(plain, 'generate_blocks', WIF, 2);
  await debug(plain, 'update_object', { id: '1.6.2', _action: 'update', url: 'streamed' });
  await debug(plain, 'update_object', { id: '2.5.0' });
  await debug(plain, 'stream_json_objects_flush');
  const linesOf = (name: string) =>
    readFileSync(join(folder, 'data', STREAM_FOLDER, name), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { id?: string; bn?: number; url?: string; head_block_number?: number });
  const lines = linesOf('run/one.json');
  t.same(
    lines.filter(({ bn }) => bn !== undefined),
    [{ bn: 2 }, { bn: 3 }],
  );
  t.same(lines[0], { bn: 2 }, 'the block stands in front of its changes');
  t.equal(lines.find(({ id }) => id === '2.1.0')?.head_block_number, 2, 'whole objects');
  t.ok(
    lines.some(({ id }) => id?.startsWith('2.8.')),
    'created ones too',
  );
  t.match(lines.at(-2), { id: '1.6.2', url: 'streamed' });
  t.same(lines.at(-1), { id: '2.5.0' }, 'of what is gone the id');

  await debug(plain, 'stream_json_objects', 'two.json');
  await debug(plain, 'generate_blocks', WIF, 1);
  await debug(plain, 'stream_json_objects', '');
  await debug(plain, 'generate_blocks', WIF, 1);
  t.equal(linesOf('run/one.json').length, lines.length, 'another file takes over');
  const lastBlock = (name: string): number | undefined => linesOf(name).findLast(({ bn }) => bn !== undefined)?.bn;
  t.equal(lastBlock('two.json'), 4, 'until an empty name ends it');
  await debug(plain, 'stream_json_objects', 'three.json');
  await debug(plain, 'generate_blocks', WIF, 1);
  await dev.node.stop();
  t.equal(lastBlock('three.json'), 6, 'a stop writes what was kept back');
});

t.test('the same stream file again begins anew', async (t) => {
  const folder = t.testdir();
  const dev = await startDevNode(folder, DEBUG);
  t.teardown(() => dev.node.stop());
  const { plain } = dev.node.endpoints;
  for (const count of [3, 1]) {
    await debug(plain, 'stream_json_objects', 'same.json');
    await debug(plain, 'generate_blocks', WIF, count);
  }
  await debug(plain, 'stream_json_objects', '');
  const lines = readFileSync(join(folder, 'data', STREAM_FOLDER, 'same.json'), 'utf8')
    .trimEnd()
    .split('\n');
  const blocks = lines.map((line) => (JSON.parse(line) as { bn?: number }).bn).filter((bn) => bn !== undefined);
  t.same(blocks, [4]);
});

const FULL_DISK = '/dev/full';
const NO_FULL_DISK = existsSync(FULL_DISK) ? false : `there is no ${FULL_DISK}, as Linux has it`;

t.test('a stream that cannot be written ends, and the chain goes on', { skip: NO_FULL_DISK }, async (t) => {
  const folder = t.testdir();
  const dev = await startDevNode(folder, DEBUG);
  t.teardown(() => dev.node.stop());
  const { plain } = dev.node.endpoints;
  mkdirSync(join(folder, 'data', STREAM_FOLDER), { recursive: true });
  symlinkSync(FULL_DISK, join(folder, 'data', STREAM_FOLDER, 'full.json'));
  await debug(plain, 'stream_json_objects', 'full.json');
  await debug(plain, 'generate_blocks', WIF, 120);
  t.equal(dev.node.chain.queries.head.number, 120);
  const said = dev.log.texts('error').filter((text) => /stream of changed objects ends/.test(text));
  t.equal(said.length, 1, 'once');
  await debug(plain, 'stream_json_objects', 'good.json');
  await debug(plain, 'generate_blocks', WIF, 1);
  await debug(plain, 'stream_json_objects_flush');
  t.match(readFileSync(join(folder, 'data', STREAM_FOLDER, 'good.json'), 'utf8'), /^\{"bn":121\}$/m);

  await debug(plain, 'stream_json_objects', 'full.json');
  await debug(plain, 'generate_blocks', WIF, 1);
  await t.rejects(debug(plain, 'stream_json_objects_flush'), /disk is full/);
  await debug(plain, 'stream_json_objects_flush');
});

t.test('without a key of its own the node makes no blocks for nobody', async (t) => {
  const dev = await startDevNode(t.testdir(), DEBUG);
  t.teardown(() => dev.node.stop());
  const { plain } = dev.node.endpoints;
  // The default is the public test key: not the witnesses' own, so the blocks stay unsigned.
  await debug(plain, 'generate_blocks', '', 2);
  t.match(await rpcCall(plain, 'get_block', [2]), {
    witness_signature: '00'.repeat(65),
    signing_key: publicKeyToText(NULL_PUBLIC_KEY, NETWORK.keyPrefix),
  });
});

t.test('the standstill after blocks on demand is told, where there is one', async (t) => {
  // With block production, which sets the chain to the clock.
  const dev = await startDevNode(t.testdir(), { 'enable-debug-api': 'true' });
  t.teardown(() => dev.node.stop());
  const { plain } = dev.node.endpoints;
  const told = () => dev.log.entries.filter(({ text }) => text.startsWith('the chain is ahead of the clock'));
  // The first slots lie years back.
  await debug(plain, 'generate_blocks', WIF, 1);
  t.same(told(), []);
  dev.clock.advance(6000);
  const { number } = dev.node.chain.queries.head;
  t.ok(number > 1);
  await debug(plain, 'generate_blocks', WIF, 20);
  t.match(told(), [{ level: 'warn', values: { num: number + 20 } }]);
  t.ok(Number(told()[0]?.values.aheadSec) > 50);
});
