import { WebSocket } from 'ws';

/** A WebSocket from the side of who calls: texts in both directions, and that it is over. */
export interface ClientSocket {
  readonly isOpen: boolean;
  send(text: string): void;
  close(): void;
}

export interface ClientSocketHandlers {
  message(text: string): void;
  /** Once; nothing comes after it. */
  end(reason: string): void;
}

export interface ClientSocketOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** After so many milliseconds whoever has not taken up the protocol is given up; 0: never. */
  readonly timeoutMs?: number;
}

/** Resolves when it is open, rejects when nobody answers there. What goes wrong later is told to `end`. */
export async function openClientSocket(
  url: string,
  handlers: ClientSocketHandlers,
  { headers = {}, timeoutMs = 0 }: ClientSocketOptions = {},
): Promise<ClientSocket> {
  const socket = new WebSocket(url, { headers: { ...headers }, handshakeTimeout: timeoutMs });
  await new Promise<void>((resolve, reject) => {
    socket.once('open', () => resolve());
    socket.once('error', reject);
  });
  let isOver = false;
  const end = (reason: string): void => {
    if (isOver) return;
    isOver = true;
    handlers.end(reason);
  };
  socket.on('message', (data) => handlers.message(String(data)));
  socket.on('close', () => end('the connection was closed'));
  socket.on('error', (error) => end(error.message));
  return {
    get isOpen() {
      return socket.readyState === socket.OPEN;
    },
    send: (text) => socket.send(text),
    close: () => socket.close(),
  };
}
