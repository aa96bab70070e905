import { statSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { STORAGE_FOLDERS } from '../../src/storage/storage.js';
import { startDevNode } from '../support/dev-node.js';
import { eventually } from '../support/eventually.js';
import { FakeClock } from '../support/fake-clock.js';
import { NodeProcess } from '../support/node-process.js';
import { rpcCall } from '../support/rpc-call.js';

/** A process that is killed while it catches up goes on from where it was. */

const BLOCKS = 2400;
const SLOT_MS = 3000;
const LOOK_MS = 1;
/** Shares of the chain that are to lie on the disk when it is killed. */
const KILLED_AT = [0.1, 0.4, 0.7];

const logBytes = (dataDir: string): number =>
  statSync(join(dataDir, STORAGE_FOLDERS.blockLog, 'blocks'), { throwIfNoEntry: false })?.size ?? 0;

/** Head when it had started. */
function beganAt({ stderr }: NodeProcess): number {
  const line = /(?:a new chain from the genesis file|at the end of the block log).*?block=(\d+)/.exec(stderr);
  return Number(line?.[1] ?? Number.NaN);
}

/** A chain that was made in the past as fast as this machine can. */
async function makeChain(folder: string): Promise<string> {
  const clock = new FakeClock(Date.now() - (BLOCKS + 20) * SLOT_MS);
  const { node } = await startDevNode(folder, {}, clock);
  while (node.chain.queries.head.number < BLOCKS) {
    clock.advance(SLOT_MS);
    await new Promise(setImmediate);
  }
  const { id } = node.chain.queries.head;
  await node.stop();
  return id;
}

t.test('a sync that is killed three times goes on each time, and ends where the peer is', async (t) => {
  const folder = t.testdir({ a: {}, b: {} });
  const head = await makeChain(join(folder, 'a'));
  const [from, to] = [join(folder, 'a', 'data'), join(folder, 'b', 'data')];
  const common = ['--dev', 'true', '--verify-threads', '0', '--p2p-private-addresses', 'true', '--plugins', 'none'];
  const start = (dataDir: string, ...more: string[]): NodeProcess => {
    const process = new NodeProcess([
      'start',
      '--data-dir',
      dataDir,
      '--rpc-endpoint',
      '127.0.0.1:0',
      ...common,
      ...more,
    ]);
    t.teardown(() => process.kill('SIGKILL'));
    return process;
  };
  const source = start(from, '--p2p-endpoint', '127.0.0.1:0');
  const [, listening] = await source.until(/the network is open +listening=(\S+)/);

  const whole = logBytes(from);
  const reached: number[] = [];
  for (const share of KILLED_AT) {
    const process = start(to, '--seed-node', listening as string);
    await eventually(`${share} of the chain is on the disk`, () => logBytes(to) >= share * whole, LOOK_MS);
    process.kill('SIGKILL');
    await process.finished;
    reached.push(beganAt(process));
  }
  const last = start(to, '--seed-node', listening as string);
  const [, plain] = await last.until(/rpc listens +plain=(\S+)/);
  await eventually('it has caught up', async () => {
    const { head_block_id } = await rpcCall<{ head_block_id: string }>(
      plain as string,
      'get_dynamic_global_properties',
      [],
    );
    return head_block_id === head;
  });
  reached.push(beganAt(last));
  t.equal(reached[0], 0, 'it begins with nothing');
  for (let i = 1; i < reached.length; i++) {
    const [before, now] = [reached[i - 1] as number, reached[i] as number];
    // Where this process had to wait for its turn, the node may have finished before it was killed.
    t.ok(now > before || now === BLOCKS, `it goes on at ${reached.join(', ')}`);
  }
  for (const process of [last, source]) {
    process.kill('SIGTERM');
    t.equal((await process.finished).code, 0);
  }
});
