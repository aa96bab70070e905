import { once } from 'node:events';
import { request } from 'node:http';
import { WebSocket } from 'ws';
import { resolveOptions } from '../../src/config/load.js';
import { HTTP_ERRORS } from '../../src/http/errors.js';
import { RPC_ERRORS } from '../../src/rpc/errors.js';
import { rpcOptions } from '../../src/rpc/serving/options.js';
import { chooseTransport, type RunningRpc, SERVE_ERRORS, serveRpc } from '../../src/rpc/serving/serve.js';
import { goldenPorts } from '../rpc/support/golden-rpc.js';
import { assertion, type Refusal } from './define.js';

/** Refusals of what is before any request: sockets, sizes, options of the start. */

const ports = goldenPorts();

const serve = (given: Record<string, string>): Promise<RunningRpc> => {
  const commandLine = new Map(
    Object.entries({ 'rpc-transport': 'node-http', ...given }).map(([name, text]) => [name, [text]]),
  );
  return serveRpc(resolveOptions(rpcOptions, commandLine, new Map()), { node: ports });
};

/** What a node with these options answers to one HTTP request. */
async function answerTo(
  given: Record<string, string>,
  {
    headers,
    body,
    before,
  }: { headers: Record<string, string>; body: string; before?: (port: number) => Promise<void> },
): Promise<string> {
  const running = await serve({ 'rpc-endpoint': '127.0.0.1:0', ...given });
  try {
    const port = Number(running.plain?.split(':').at(-1));
    await before?.(port);
    const sent = request({ host: '127.0.0.1', port, method: 'POST', headers, setHost: headers.Host === undefined });
    sent.on('error', () => undefined);
    sent.write(body);
    const [response] = await once(sent, 'response');
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk);
    sent.destroy();
    return Buffer.concat(chunks).toString('utf8');
  } finally {
    await running.close();
  }
}

const SNAPSHOT = '{"id":1,"method":"create_snapshot","params":[]}';
const WHOLE = { 'Content-Length': String(SNAPSHOT.length) };

const UPGRADE = {
  Connection: 'Upgrade',
  Upgrade: 'websocket',
  'Sec-WebSocket-Version': '13',
  'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

async function connected(port: number): Promise<void> {
  await once(new WebSocket(`ws://127.0.0.1:${port}`), 'open');
}

async function onTakenPort(): Promise<void> {
  const here = { 'rpc-endpoint': TAKEN, 'rpc-transport': 'node-http' };
  const first = await serve(here);
  try {
    const second = await serve(here);
    await second.close();
  } finally {
    await first.close();
  }
}

const TAKEN = '127.0.0.1:45871';

const invalid = (row: Refusal['row'], text: string, raise: () => unknown): Refusal => ({
  row,
  code: 5,
  name: 'invalid_arg_exception',
  message: `Invalid Argument: ${text}`,
  raise,
});

export const refusals: readonly Refusal[] = [
  assertion(HTTP_ERRORS.http_request_size, 'a request may have at most 2000 bytes', () =>
    answerTo({ 'rpc-request-bytes-max': '2000' }, { headers: { 'Content-Length': '2001' }, body: 'x' }),
  ),
  assertion(
    HTTP_ERRORS.http_uploads,
    'this server has no room for another large request at the moment; try again later',
    () =>
      answerTo(
        { 'rpc-memory-max': '1000000' },
        { headers: { 'Content-Length': '2000000' }, body: 'x'.repeat(1_900_000) },
      ),
  ),
  assertion(
    HTTP_ERRORS.http_host,
    'this server is not known by the name in the Host header; the option rpc-host-name gives it names',
    () => answerTo({}, { headers: { Host: 'attacker.example' }, body: '' }),
  ),
  assertion(HTTP_ERRORS.http_host_missing, 'a request needs a Host header', () =>
    answerTo({}, { headers: { ...UPGRADE, Host: '' }, body: '' }),
  ),
  assertion(
    RPC_ERRORS.rpc_foreign_page,
    'create_snapshot is not for pages in a browser; the option rpc-origin names those that may use it',
    () => answerTo({}, { headers: { Origin: 'http://attacker.example', ...WHOLE }, body: SNAPSHOT }),
  ),
  assertion(
    RPC_ERRORS.rpc_operator,
    'create_snapshot is for the operator: over the socket in the data directory, from this machine itself, or as a user whom api-access lets use create_snapshot',
    () => answerTo({}, { headers: { 'X-Forwarded-For': '127.0.0.1', ...WHOLE }, body: SNAPSHOT }),
  ),
  assertion(HTTP_ERRORS.http_connections, 'this server has no room for another connection', () =>
    answerTo({ 'rpc-connections-max': '1' }, { headers: UPGRADE, body: '', before: connected }),
  ),
  assertion(HTTP_ERRORS.http_listen, `cannot listen on ${TAKEN}: another program has it`, onTakenPort),
  invalid(SERVE_ERRORS.serve_transport, 'rpc-transport uws: the native server does not load on this machine', () =>
    chooseTransport('uws', true, () => undefined),
  ),
  invalid(SERVE_ERRORS.serve_tls, 'rpc-tls-endpoint needs server-pem', () =>
    serve({ 'rpc-tls-endpoint': '127.0.0.1:0' }),
  ),
  invalid(SERVE_ERRORS.serve_file, 'option api-access: cannot read the file that it names', () =>
    serve({ 'rpc-endpoint': '127.0.0.1:0', 'api-access': '/no/such/file' }),
  ),
];
