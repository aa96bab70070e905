import { once } from 'node:events';
import { request as overHttp } from 'node:http';
import { request as overTls } from 'node:https';
import { WebSocket } from 'ws';
import type { Json, JsonObject } from '../../../src/codec/json.js';
import type { TlsFiles } from '../../../src/http/transport.js';
import { runCommand } from '../../../src/wallet/commands/index.js';
import { serveWallet } from '../../../src/wallet/server.js';
import type { ErrorForm } from '../../../src/wallet/text/detail.js';
import type { Wallet } from '../../../src/wallet/wallet.js';
import { FakeClock } from '../../support/fake-clock.js';
import { MemoryLog } from '../../support/memory-log.js';
import { projectPath } from '../../support/paths.js';

/** A wallet of this process behind a real server, and programs that talk to it. */

export type Ask = (method: string, params: Json[]) => Promise<JsonObject>;

export interface Served {
  readonly port: number;
  close(): Promise<void>;
}

export const TLS: TlsFiles = { pem: projectPath('test', 'rpc', 'support', 'server.pem'), password: '' };

export function serve(wallet: Wallet, form: ErrorForm, tls: TlsFiles | undefined = undefined): Promise<Served> {
  return serveWallet(
    { host: '127.0.0.1', port: 0, tls, form },
    { allow: undefined, user: '', password: '', origins: [], hostNames: [] },
    async (method, params) => (await runCommand(wallet, method, params)).result,
    { clock: new FakeClock(), log: new MemoryLog() },
  );
}

/** Each question over a request of its own. */
export function askOverHttp(port: number, isSecure = false): Ask {
  return (method, params) =>
    new Promise((done, failed) => {
      const request = isSecure ? overTls : overHttp;
      const options = { host: '127.0.0.1', port, path: '/rpc', method: 'POST', agent: false };
      const asked = request({ ...options, rejectUnauthorized: false }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (more: string) => {
          text += more;
        });
        response.on('end', () => done(JSON.parse(text) as JsonObject));
      });
      asked.on('error', failed).end(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
    });
}

/** All questions over one WebSocket. */
export async function askOverSocket(port: number, isSecure = false): Promise<{ readonly ask: Ask; close(): void }> {
  const socket = new WebSocket(`${isSecure ? 'wss' : 'ws'}://127.0.0.1:${port}`, { rejectUnauthorized: false });
  await once(socket, 'open');
  let id = 0;
  return {
    ask: async (method, params) => {
      const answer = once(socket, 'message');
      socket.send(JSON.stringify({ id: ++id, method: 'call', params: [0, method, params] }));
      const [data] = (await answer) as [Buffer];
      return JSON.parse(data.toString()) as JsonObject;
    },
    close: () => socket.terminate(),
  };
}
