import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { P2P_LIMITS } from '../../src/p2p/limits.js';
import { startDevNode } from '../support/dev-node.js';

/** The folder in which a node keeps the addresses of others. */

t.test('addresses that cannot be kept stop no node', async (t) => {
  const folder = t.testdir();
  const { node, clock, log } = await startDevNode(folder, { 'p2p-endpoint': '127.0.0.1:0', plugins: 'none' });
  t.teardown(() => node.stop());
  let failure: unknown;
  void node.failed.then((error) => {
    failure = error;
  });
  const place = join(folder, 'data', 'p2p');
  const laterStill = async (): Promise<void> => {
    clock.advance(P2P_LIMITS.addresses_ms + P2P_LIMITS.watch_ms);
    await new Promise((resolve) => setImmediate(resolve));
  };
  rmSync(place, { recursive: true });
  writeFileSync(place, 'in the way');
  await laterStill();
  t.equal(failure, undefined);
  t.match(
    log.entries.filter(({ text }) => text === 'known peers cannot be kept'),
    [{ level: 'warn', module: 'p2p', values: { file: join(place, 'peers.json'), error: String } }],
  );
  rmSync(place);
  await laterStill();
  t.ok(existsSync(join(place, 'peers.json')), 'the folder is made again');
  t.same(JSON.parse(readFileSync(join(place, 'peers.json'), 'utf8')), []);
  t.equal(await node.stop(), true);
});
