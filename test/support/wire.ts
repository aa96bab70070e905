import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { eventually } from './eventually.js';

/** A raw connection that remembers what it got. */
export class Wire {
  readonly socket: Socket;
  text = '';
  isClosed = false;

  constructor(port: number) {
    this.socket = connect(port, '127.0.0.1');
    this.socket.setEncoding('latin1').on('data', (piece: string) => {
      this.text += piece;
    });
    this.socket.on('error', () => undefined);
    this.socket.on('close', () => {
      this.isClosed = true;
    });
  }

  async opened(): Promise<this> {
    if (this.socket.connecting) await once(this.socket, 'connect');
    return this;
  }

  /** Or until the connection is closed. */
  async until(what: string, done: () => boolean): Promise<void> {
    await eventually(`${what}: ${this.text.slice(0, 200)}`, () => this.isClosed || done());
  }

  get hasHead(): boolean {
    return this.text.includes('\r\n\r\n');
  }
}

export const UPGRADE = [
  'GET / HTTP/1.1',
  'Host: localhost',
  'Upgrade: websocket',
  'Connection: Upgrade',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
  '\r\n',
].join('\r\n');

/** A client's frame; the mask is zero. */
export function frame(payload: string | Buffer, opcode = 1): Buffer {
  const body = Buffer.from(payload);
  const head = Buffer.alloc(body.length < 126 ? 6 : body.length < 65_536 ? 8 : 14);
  head[0] = 0x80 | opcode;
  if (body.length < 126) head[1] = 0x80 | body.length;
  else if (body.length < 65_536) {
    head[1] = 0xfe;
    head.writeUInt16BE(body.length, 2);
  } else {
    head[1] = 0xff;
    head.writeBigUInt64BE(BigInt(body.length), 2);
  }
  return Buffer.concat([head, body]);
}
