/** The node over one WebSocket: calls by id, notices by callback, and a new connection when the old one ends. */
export class Node {
  #socket;
  #id = 0;
  #waiting = new Map();
  #listeners = new Map();
  #retryMs = 500;

  /** `state` is told `on`, `off`; `onOpen` runs after every new connection. */
  constructor(url, state, onOpen) {
    this.url = url;
    this.state = state;
    this.onOpen = onOpen;
    this.#open();
  }

  #open() {
    const socket = new WebSocket(this.url);
    this.#socket = socket;
    socket.onopen = () => {
      this.#retryMs = 500;
      this.state('on');
      this.onOpen();
    };
    socket.onmessage = ({ data }) => this.#message(JSON.parse(data));
    socket.onclose = () => {
      for (const { reject } of this.#waiting.values()) reject(new Error('the connection ended'));
      this.#waiting.clear();
      this.#listeners.clear();
      this.state('off');
      setTimeout(() => this.#open(), this.#retryMs);
      this.#retryMs = Math.min(10_000, this.#retryMs * 2);
    };
  }

  #message(document) {
    if (document.method === 'notice') {
      this.#listeners.get(document.params[0])?.(document.params[1][0]);
      return;
    }
    const waiting = this.#waiting.get(document.id);
    this.#waiting.delete(document.id);
    waiting?.resolve(document);
  }

  /** The whole answer, refusals included. */
  ask(method, params) {
    return new Promise((resolve, reject) => {
      if (this.#socket.readyState !== WebSocket.OPEN) {
        reject(new Error('not connected'));
        return;
      }
      const id = ++this.#id;
      this.#waiting.set(id, { resolve, reject });
      this.#socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    });
  }

  async call(method, ...params) {
    const { result, error } = await this.ask(method, params);
    if (error) throw new Error(error.message);
    return result;
  }

  /** Id to pass as callback argument. */
  listen(run) {
    const id = ++this.#id;
    this.#listeners.set(id, run);
    return id;
  }
}
