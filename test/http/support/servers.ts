import t from 'tap';
import { nodeTransport } from '../../../src/http/node-server.js';
import type { Transport } from '../../../src/http/transport.js';
import { uwsTransport } from '../../../src/http/uws-server.js';

/** Every server that loads here. */
export const transports: Transport[] = [nodeTransport];
const fast = uwsTransport();
if (fast !== undefined) transports.push(fast);
else t.comment('uWebSockets.js does not load here: its half of this suite is left out');
