import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { ChainError, defineErrors, invariant } from '../base/errors.js';
import { listenReason } from '../base/listening.js';
import type { Link, LinkEvents, NetworkDriver } from './driver.js';
import type { PacedTraffic } from './paced-traffic.js';
import type { Connected } from './ports.js';
import { type EndpointText, endpointOf, splitEndpoint } from './wire/endpoint.js';

/** Sockets under the network. Nothing is decided here. */

export const TCP_ERRORS = defineErrors(
  {
    listen_failed: { text: 'this node cannot listen for peers on ${endpoint}: ${reason}' },
  },
  'environment',
);

/** A socket that came from an IPv6 listener writes IPv4 addresses in its own way. */
const plainIp = (address: string | undefined): string => (address ?? '').replace(/^::ffff:/, '');

function linkOf(socket: Socket, traffic: PacedTraffic): Link {
  return {
    write: (bytes, taken) => {
      // An error of writing closes the socket, and that is told elsewhere.
      socket.write(bytes, (error) => {
        if (error === undefined || error === null) traffic.taken(taken);
      });
    },
    end: () => {
      socket.end();
    },
    destroy: () => {
      socket.destroy();
    },
  };
}

function endsOf(socket: Socket): Connected {
  return {
    remote: endpointOf(plainIp(socket.remoteAddress), socket.remotePort ?? 0),
    local: endpointOf(plainIp(socket.localAddress), socket.localPort ?? 0),
  };
}

function follow(socket: Socket, events: LinkEvents, traffic: PacedTraffic): void {
  const stream = traffic.stream(socket, (bytes) => events.data(bytes));
  socket.on('data', (bytes) => stream.came(bytes));
  // Whoever has said all closes: half-open connections are of no use here.
  socket.on('end', () => socket.destroy());
  let why: string | undefined;
  // 'close' comes after it.
  socket.on('error', ({ code }: NodeJS.ErrnoException) => {
    why = code;
  });
  socket.on('close', () => {
    stream.ended();
    events.closed(why);
  });
}

export function dialTcp(endpoint: EndpointText, events: LinkEvents, traffic: PacedTraffic): Link {
  const { ip, port } = splitEndpoint(endpoint);
  const socket = createConnection({ host: ip, port, family: 4, noDelay: true });
  socket.on('connect', () => events.opened(endsOf(socket)));
  follow(socket, events, traffic);
  return linkOf(socket, traffic);
}

export interface Listener {
  readonly endpoint: EndpointText;
  readonly port: number;
  /** Hands over what was accepted before too. */
  serve(driver: NetworkDriver): void;
  close(): Promise<void>;
}

/** Refuses an address where nobody could listen, as `listenTcp` would: for a start that will come to that much later. */
export async function checkTcpListens(wanted: EndpointText): Promise<void> {
  const { ip, port } = splitEndpoint(wanted);
  if (port === 0) return;
  const server = createServer((socket) => socket.destroy());
  await startListening(server, wanted, { ip, port });
  await new Promise<void>((resolve) => server.close(() => resolve()));
}

function startListening(
  server: Server,
  wanted: EndpointText,
  { ip, port }: { readonly ip: string; readonly port: number },
): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) =>
      reject(new ChainError(TCP_ERRORS.listen_failed, { endpoint: wanted, reason: listenReason(error) })),
    );
    server.listen({ host: ip, port }, resolve);
  });
}

/** Port 0 means any free one. Connections that come before `serve` wait. */
export async function listenTcp(wanted: EndpointText, traffic: PacedTraffic): Promise<Listener> {
  const { ip, port } = splitEndpoint(wanted);
  let driver: NetworkDriver | undefined;
  const early: Socket[] = [];
  const take = (socket: Socket): void => {
    if (driver === undefined) {
      early.push(socket);
      return;
    }
    const events =
      socket.remoteAddress === undefined ? undefined : driver.accept(linkOf(socket, traffic), endsOf(socket));
    if (events === undefined) socket.destroy();
    else follow(socket, events, traffic);
  };
  const server: Server = createServer({ noDelay: true, allowHalfOpen: false }, take);
  await startListening(server, wanted, { ip, port });
  const address = server.address();
  invariant(address !== null && typeof address === 'object', 'a server that listens on a port has one');
  return {
    endpoint: endpointOf(ip, address.port),
    port: address.port,
    serve: (one) => {
      driver = one;
      for (const socket of early.splice(0)) take(socket);
    },
    close: () =>
      new Promise((resolve) => {
        for (const socket of early.splice(0)) socket.destroy();
        server.close(() => resolve());
      }),
  };
}
