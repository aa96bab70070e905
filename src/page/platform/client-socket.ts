import type { ClientSocket, ClientSocketHandlers } from '../../http/client-socket.js';

/** In a browser, for the WebSocket of Node: its own one. Headers are the browser's affair there. */
export async function openClientSocket(url: string, handlers: ClientSocketHandlers): Promise<ClientSocket> {
  const socket = new WebSocket(url);
  await new Promise<void>((resolve, reject) => {
    socket.onopen = () => resolve();
    // What went wrong is not told to pages.
    socket.onclose = ({ code }) => reject(new Error(`closed with code ${code}`));
  });
  socket.onmessage = ({ data }) => handlers.message(String(data));
  socket.onclose = ({ code, reason }) => handlers.end(reason || `the connection was closed with code ${code}`);
  return {
    get isOpen() {
      return socket.readyState === WebSocket.OPEN;
    },
    send: (text) => socket.send(text),
    close: () => socket.close(),
  };
}
