import t from 'tap';
import { systemRandom } from '../../src/node/runtime/random.js';
import { ID_SALT_BYTES } from '../../src/state/id-hash.js';
import { startDevNode } from '../support/dev-node.js';

t.test('each start has random bytes of its own for the places of waiting transactions', async (t) => {
  const given: number[] = [];
  const random = {
    bytes: (count: number): Uint8Array => {
      given.push(count);
      return systemRandom.bytes(count);
    },
  };
  const { node } = await startDevNode(t.testdir({}), {}, undefined, undefined, { random });
  t.equal(given.filter((count) => count === ID_SALT_BYTES).length, 1);
  await node.stop();
});
