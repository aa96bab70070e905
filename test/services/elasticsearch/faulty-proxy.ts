import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';

/** A status is answered in place of the server; the other faults let the request through or not, and spoil the answer. */
export type Fault = 'none' | 'cut before' | 'cut after' | 'half' | 'delay' | number;

export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

export interface ProxySettings {
  /** What happens to this request. */
  readonly fault?: (seen: Seen) => Fault | Promise<Fault>;
  readonly tls?: { readonly key: Buffer; readonly cert: Buffer };
}

const DELAY_MS = 50;

/** Stands before a real server and does to requests what networks and busy servers do. */
export class FaultyProxy {
  readonly url: string;
  readonly #close: () => Promise<void>;

  private constructor(url: string, close: () => Promise<void>) {
    this.url = url;
    this.#close = close;
  }

  static async start(target: string, settings: ProxySettings): Promise<FaultyProxy> {
    const listener = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
      pass(target, settings, incoming, outgoing).catch(() => outgoing.destroy());
    };
    const { tls } = settings;
    const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
    const sockets = new Set<Socket>();
    server.on('connection', (socket: Socket) => {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    return new FaultyProxy(`${tls === undefined ? 'http://127.0.0.1' : 'https://localhost'}:${port}/`, async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    });
  }

  close(): Promise<void> {
    return this.#close();
  }
}

async function pass(
  target: string,
  { fault = () => 'none' }: ProxySettings,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const body = await bodyOf(incoming);
  const { method = 'GET', url: path = '/', headers } = incoming;
  const what = await fault({ method, path, headers, body });
  if (typeof what === 'number') {
    outgoing.writeHead(what, { 'content-type': 'application/json', 'x-elastic-product': 'Elasticsearch' });
    outgoing.end('{"error":"as the test wants it"}');
    return;
  }
  if (what === 'cut before') {
    outgoing.destroy();
    return;
  }
  const answer = await forward(target, { method, path, headers, body });
  if (what === 'delay') await new Promise((resolve) => setTimeout(resolve, DELAY_MS));
  if (what === 'cut after') {
    outgoing.destroy();
    return;
  }
  outgoing.writeHead(answer.status, answer.headers);
  if (what === 'none' || what === 'delay') {
    outgoing.end(answer.body);
    return;
  }
  outgoing.write(answer.body.subarray(0, answer.body.length / 2), () => outgoing.destroy());
}

async function bodyOf(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

interface Forwarded {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

function forward(target: string, { method, path, headers, body }: Seen): Promise<Forwarded> {
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, target), { method, headers: { ...headers, connection: 'close' } }, (answer) => {
      bodyOf(answer).then(
        (whole) =>
          resolve({
            status: answer.statusCode ?? 0,
            headers: { ...answer.headers, connection: 'keep-alive' },
            body: whole,
          }),
        reject,
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
