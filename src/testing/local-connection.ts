import { Agent, request } from 'node:http';
import { type RpcConnection, RpcConnectionError, readAnswer } from '../client/connection.js';
import type { Json, JsonObject } from '../codec/json.js';

/** Calls to a node of this machine. To load `fetch` takes a quarter of a start of a chain; this is there already. */
export class LocalConnection implements RpcConnection {
  readonly #url: string;
  readonly #agent = new Agent({ keepAlive: true });
  #id = 0;

  constructor(url: string) {
    this.#url = url;
  }

  async request(method: string, params: Json[]): Promise<Json> {
    const text = await this.#post(JSON.stringify({ jsonrpc: '2.0', id: ++this.#id, method, params }));
    return readAnswer(JSON.parse(text) as JsonObject);
  }

  #post(body: string): Promise<string> {
    const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
    return new Promise((resolve, reject) => {
      const lost = (cause: unknown): void => reject(new RpcConnectionError(`${this.#url} does not answer`, { cause }));
      const call = request(this.#url, { method: 'POST', agent: this.#agent, headers }, (answer) => {
        const parts: Buffer[] = [];
        answer.on('data', (part: Buffer) => parts.push(part));
        answer.on('end', () => resolve(Buffer.concat(parts).toString()));
        answer.on('error', lost);
      });
      call.on('error', lost);
      call.end(body);
    });
  }

  subscribe(): never {
    throw new RpcConnectionError('notices need a WebSocket');
  }

  close(): void {
    this.#agent.destroy();
  }
}
