import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import t from 'tap';
import { ChainError } from '../../src/base/errors.js';
import { RpcConnectionError } from '../../src/client/connection.js';
import { systemClock } from '../../src/node/runtime/clock.js';
import { CHAIN_ERRORS } from '../../src/services/chain/errors.js';
import { ChainNode, type Head } from '../../src/services/chain/node.js';
import { FakeClock } from '../support/fake-clock.js';

/** A node that goes away in the middle of an answer is one that does not answer, for whoever asks and whoever sends. */

const half = (response: ServerResponse): void => {
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '1000' });
  response.write('{"jsonrpc":"2.0",');
};

const halfAndAway = (response: ServerResponse): void => {
  half(response);
  response.socket?.end();
};

for (const [what, answer] of [
  ['hangs up', halfAndAway],
  ['falls silent', half],
] as const) {
  t.test(`in the middle of its answer it ${what}`, async (t) => {
    const server = createServer((_, response) => void answer(response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.teardown(() => {
      server.closeAllConnections();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    const node = new ChainNode(`http://127.0.0.1:${port}`, 500, systemClock);
    const asked = await node.freshHead().catch((error: unknown) => error);
    t.equal(asked instanceof ChainError && asked.row, CHAIN_ERRORS.chain_unreachable, String(asked));
    const told = await node.client.database.get_chain_id().catch((error: unknown) => error);
    t.ok(told instanceof RpcConnectionError, 'nobody knows what has come of it');
  });
}

t.test('a head serves those who ask at the same time, and nobody later; a failure serves nobody', async (t) => {
  const clock = new FakeClock(1000);
  let asked = 0;
  let isAway = false;
  class Counting extends ChainNode {
    override async freshHead(): Promise<Head> {
      asked++;
      if (isAway) throw new Error('away');
      return { head_block_number: asked } as unknown as Head;
    }
  }
  const node = new Counting('http://127.0.0.1:1', 500, clock);
  const numberOf = async () => (await node.head()).head_block_number;
  t.same(await Promise.all([numberOf(), numberOf()]), [1, 1]);
  clock.advance(1000);
  t.equal(await numberOf(), 2);
  clock.advance(1000);
  isAway = true;
  await t.rejects(node.head(), { message: 'away' });
  isAway = false;
  t.equal(await numberOf(), 4, 'asked anew at once');
});
