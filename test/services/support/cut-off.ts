import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A wire between a service and its node that a test can cut. */
export class Wire {
  readonly endpoint: string;
  readonly #server: Server;
  readonly #open = new Set<Socket>();
  /** `host:port` of what is at the other end: a node that was started again may listen elsewhere. */
  target: string;
  /** Which requests never arrive, and of which the answer does not. */
  loses: (request: string) => 'request' | 'answer' | undefined = () => undefined;
  #isCut = false;

  private constructor(server: Server, target: string) {
    this.endpoint = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    this.#server = server;
    this.target = target;
    server.on('connection', (near) => this.#take(near));
  }

  static async to(target: string): Promise<Wire> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Wire(server, target);
  }

  #take(near: Socket): void {
    near.on('error', () => near.destroy());
    if (this.#isCut) {
      near.destroy();
      return;
    }
    const [host = '', port = ''] = this.target.split(':');
    const far = connect(Number(port), host);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#open.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        this.#open.delete(one);
        other.destroy();
      });
    }
    let isLost = false;
    near.on('data', (piece: Buffer) => {
      const lost = this.loses(piece.toString('latin1'));
      if (lost === 'request') near.destroy();
      else {
        if (lost === 'answer') isLost = true;
        far.write(piece);
      }
    });
    far.on('data', (piece: Buffer) => {
      if (isLost) near.destroy();
      else near.write(piece);
    });
  }

  /** Hangs up on everybody, and takes nobody until it is joined again. */
  cut(): void {
    this.#isCut = true;
    for (const socket of this.#open) socket.destroy();
  }

  join(): void {
    this.#isCut = false;
  }

  close(): void {
    this.cut();
    this.#server.close();
  }
}
