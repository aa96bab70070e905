import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { freePort } from '../support/free-port.js';
import { NodeProcess } from '../support/node-process.js';

/** A process that may open few files keeps some for itself, however many connect. */

const FEW_FILES = ['sh', '-c', 'ulimit -n 160; exec "$@"', 'sh'];
const CONNECTIONS = 250;

async function flood(t: Test, port: number): Promise<void> {
  const all = Array.from({ length: CONNECTIONS }, async () => {
    const socket = createConnection(port, '127.0.0.1');
    t.teardown(() => socket.destroy());
    socket.on('error', () => undefined);
    await Promise.race([once(socket, 'connect').catch(() => undefined), once(socket, 'close')]);
  });
  await Promise.all(all);
}

t.test(
  'floods of clients and peers leave files for the node and for whoever watches it',
  { skip: existsSync('/proc/self/limits') ? false : 'the system does not say how many files may be open' },
  async (t) => {
    const [rpc, monitor, p2p] = [await freePort(), await freePort(), await freePort()];
    const at = (port: number): string => `127.0.0.1:${port}`;
    const args = ['start', '--dev', '--data-dir', join(t.testdir(), 'data'), '--verify-threads', '1'];
    const endpoints = ['--rpc-endpoint', at(rpc), '--monitor-endpoint', at(monitor), '--p2p-endpoint', at(p2p)];
    const node = new NodeProcess([...args, ...endpoints], undefined, FEW_FILES);
    t.teardown(() => node.kill('SIGKILL'));
    await node.until(/fewer connections are taken .*clients=48 peers=24/);
    await node.until(/chain +block +num=1 /);
    await flood(t, rpc);
    await flood(t, p2p);
    await node.until(/connections are refused: .* max=48/);
    const ready = await fetch(`http://${at(monitor)}/readyz`);
    t.equal(ready.status, 200);
    await node.until(/chain +block +num=3 /);
    node.kill('SIGTERM');
    t.equal((await node.finished).code, 0);
  },
);
