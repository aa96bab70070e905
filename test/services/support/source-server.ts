import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { md5Hex, open, seal } from './packets.js';

/** A source of data as any seller could write it, from what is known of the wire alone; tests say how it answers. */

export interface Question {
  readonly params: string;
  readonly publicKey: string;
  readonly productId: number;
  /** Its digits. */
  readonly nonce: string;
  readonly merchantAccountId: string;
  readonly memo: string;
  readonly requestId: string;
  /** What was encrypted; undefined where it does not open. */
  readonly plain: string | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
}

export type Behaviour = (question: Question, answer: ServerResponse, source: SourceServer) => void | Promise<void>;

interface Library {
  readonly PrivateKey: { fromWif(wif: string): unknown };
  readonly Signature: { signBuffer(bytes: Buffer, key: unknown): { toHex(): string } };
}
const library = createRequire(import.meta.url)('gxbjs') as Library;

export const signWithLibrary = (text: string, wif: string): string =>
  library.Signature.signBuffer(Buffer.from(text, 'utf8'), library.PrivateKey.fromWif(wif)).toHex();

/** Data for everybody who asks. */
export const honest: Behaviour = ({ plain, nonce, publicKey }, answer, source) => {
  const { params } = JSON.parse(plain ?? '{}') as { params: unknown };
  answer.setHeader('Content-Type', 'application/json');
  answer.end(JSON.stringify({ data: seal(source.wif, publicKey, nonce, JSON.stringify({ echo: params })) }));
};

async function textOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString('utf8');
}

export class SourceServer {
  readonly id: string;
  readonly wif: string;
  readonly questions: Question[] = [];
  behaviour: Behaviour = honest;
  readonly #server: Server;

  private constructor(account: { readonly id: string; readonly wif: string }, server: Server) {
    this.id = account.id;
    this.wif = account.wif;
    this.#server = server;
  }

  static async start(account: { readonly id: string; readonly wif: string }, port = 0): Promise<SourceServer> {
    const server = createServer((request, answer) => {
      void textOf(request).then((text) => source.#asked(text, request, answer));
    });
    const source = new SourceServer(account, server);
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return source;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  #asked(text: string, request: IncomingMessage, answer: ServerResponse): void {
    // Bare digits: the usual parser would round them.
    const nonce = /"nonce":(\d+)/.exec(text)?.[1] ?? '';
    const body = JSON.parse(text) as Omit<Question, 'nonce' | 'plain' | 'headers'>;
    const plain = open(this.wif, body.publicKey, nonce, body.params);
    const question = { ...body, nonce, plain, headers: request.headers };
    this.questions.push(question);
    void this.behaviour(question, answer, this);
  }

  /** As the public clients of the later years send it: now and three seconds, over products. */
  async heartbeat(exchange: string, products: readonly number[]): Promise<{ status: number; body: unknown }> {
    const timestamp = Date.now();
    const signature = signWithLibrary(`${this.id}|${JSON.stringify(products)}|${timestamp}`, this.wif);
    const response = await fetch(`${exchange}/api/datasource/heartbeat`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ account: this.id, products, timestamp, signature }),
    });
    return { status: response.status, body: await response.json() };
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

/** That of the plain text which the buyer has sent. */
export const memoFits = ({ memo, plain }: Question): boolean => memo.replace(/^memo /, '') === md5Hex(plain ?? '');
