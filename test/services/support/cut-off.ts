import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A wire between a service and its node that a test can cut. */
export class Wire {
  readonly endpoint: string;
  readonly #close: () => void;
  /** Which requests never arrive, and of which the answer does not. */
  loses: (request: string) => 'request' | 'answer' | undefined = () => undefined;

  private constructor(port: number, close: () => void) {
    this.endpoint = `127.0.0.1:${port}`;
    this.#close = close;
  }

  static async to(endpoint: string): Promise<Wire> {
    const [host = '', port = ''] = endpoint.split(':');
    const open = new Set<Socket>();
    const server = createServer((near) => {
      const far = connect(Number(port), host);
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        open.add(one);
        one.on('error', () => other.destroy());
        one.on('close', () => {
          open.delete(one);
          other.destroy();
        });
      }
      let isCut = false;
      near.on('data', (piece: Buffer) => {
        const lost = wire.loses(piece.toString('latin1'));
        if (lost === 'request') near.destroy();
        else {
          if (lost === 'answer') isCut = true;
          far.write(piece);
        }
      });
      far.on('data', (piece: Buffer) => {
        if (isCut) near.destroy();
        else near.write(piece);
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const wire = new Wire((server.address() as AddressInfo).port, () => {
      for (const socket of open) socket.destroy();
      server.close();
    });
    return wire;
  }

  close(): void {
    this.#close();
  }
}
