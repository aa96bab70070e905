import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import t from 'tap';
import { ChainError } from '../../src/base/errors.js';
import { RpcConnectionError } from '../../src/client/connection.js';
import { systemClock } from '../../src/node/runtime/clock.js';
import { CHAIN_ERRORS } from '../../src/services/chain/errors.js';
import { ChainNode } from '../../src/services/chain/node.js';

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
