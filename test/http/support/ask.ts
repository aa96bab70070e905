import { once } from 'node:events';
import { type Agent, type IncomingHttpHeaders, request } from 'node:http';
import { connect, type Socket } from 'node:net';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly text: string;
  readonly reused: boolean;
}

export interface Ask {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string>;
  /** Pieces are sent as chunks. */
  readonly body?: string | Buffer | readonly (string | Buffer)[];
  readonly agent?: Agent;
}

/** One request over a connection of its own, or of the agent. */
export function ask(
  port: number,
  { method = 'POST', path = '/', headers = {}, body = '', agent }: Ask,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const call = request({ host: '127.0.0.1', port, method, path, headers, agent: agent ?? false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const whole = Buffer.concat(chunks);
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: whole,
          text: whole.toString('utf8'),
          reused: call.reusedSocket,
        });
      });
    });
    call.on('error', reject);
    if (typeof body === 'string' || Buffer.isBuffer(body)) call.end(body);
    else {
      for (const part of body) call.write(part);
      call.end();
    }
  });
}

/** A connection on which everything is written by hand; what comes back is collected. */
export class RawClient {
  readonly socket: Socket;
  readonly closed: Promise<void>;
  readonly #pieces: Buffer[] = [];

  constructor(port: number) {
    this.socket = connect(port, '127.0.0.1').setNoDelay();
    this.socket.on('error', () => undefined);
    this.socket.on('data', (piece: Buffer) => void this.#pieces.push(piece));
    this.closed = new Promise((resolve) => this.socket.once('close', () => resolve()));
  }

  static async open(port: number): Promise<RawClient> {
    const client = new RawClient(port);
    await once(client.socket, 'connect');
    return client;
  }

  write(...parts: (string | Buffer)[]): void {
    for (const part of parts) this.socket.write(part);
  }

  get received(): Buffer {
    const whole = Buffer.concat(this.#pieces);
    this.#pieces.splice(0, this.#pieces.length, whole);
    return whole;
  }

  get text(): string {
    return this.received.toString('latin1');
  }
}
