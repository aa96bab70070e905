import { uwsTransport } from '../../src/http/uws-server.js';

/** Servers that this Node has, the fastest first: the native one is built for some versions alone. */
export const SERVERS: readonly string[] = uwsTransport() === undefined ? ['node-http'] : ['uws', 'node-http'];

/** Options of a node that is measured with the fastest of them. */
export const FASTEST_SERVER: readonly string[] = SERVERS.slice(0, 1).flatMap((name) => ['--rpc-transport', name]);
