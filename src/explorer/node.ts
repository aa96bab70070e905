/** The node over one WebSocket: calls by id, notices by callback, and a new connection when the old one ends. */

interface Refusal {
  readonly message: string;
  readonly data?: { readonly key?: string; readonly hint?: string };
}

export interface Reply {
  readonly result?: unknown;
  readonly error?: Refusal;
}

interface Waiting {
  resolve(reply: Reply): void;
  reject(error: Error): void;
}

/** The node has understood the question and says no. */
class Refused extends Error {
  readonly key: string;

  constructor({ message, data }: Refusal) {
    super(data?.hint ?? message);
    this.key = data?.key ?? '';
  }
}

/** What a link tells whoever has made it. */
interface Told {
  state(isOpen: boolean): void;
  opened(): void;
  /** Of callbacks that nobody listens to by `listen`. */
  notice?(callback: number, argument: unknown): void;
}

const RETRY_MS = { first: 500, longest: 10_000 };

export class NodeLink {
  readonly url: string;
  readonly #told: Told;
  readonly #waiting = new Map<number, Waiting>();
  readonly #listeners = new Map<number, (argument: unknown) => void>();
  #socket!: WebSocket;
  #id = 0;
  #retryMs = RETRY_MS.first;
  /** Characters that came so far: who loads much looks at it. */
  received = 0;
  /** Subscriptions end with the connection that they were made on. */
  connections = 0;

  constructor(url: string, told: Told) {
    this.url = url;
    this.#told = told;
    this.#open();
  }

  #open(): void {
    const socket = new WebSocket(this.url);
    this.#socket = socket;
    socket.onopen = () => {
      this.#retryMs = RETRY_MS.first;
      this.connections++;
      this.#told.state(true);
      this.#told.opened();
    };
    socket.onmessage = ({ data }) => {
      this.received += (data as string).length;
      this.#take(JSON.parse(data as string));
    };
    socket.onclose = () => {
      for (const { reject } of this.#waiting.values()) reject(new Error('the connection to the node ended'));
      this.#waiting.clear();
      this.#listeners.clear();
      this.#told.state(false);
      setTimeout(() => this.#open(), this.#retryMs);
      this.#retryMs = Math.min(RETRY_MS.longest, 2 * this.#retryMs);
    };
  }

  #take(document: Reply & { id?: number; method?: string; params?: [number, [unknown]] }): void {
    if (document.method === 'notice' && document.params !== undefined) {
      const [listener, [argument]] = document.params;
      const run = this.#listeners.get(listener);
      if (run === undefined) this.#told.notice?.(listener, argument);
      else run(argument);
      return;
    }
    const id = Number(document.id);
    this.#waiting.get(id)?.resolve(document);
    this.#waiting.delete(id);
  }

  /** The whole answer, refusals included. */
  ask(method: string, params: unknown): Promise<Reply> {
    return new Promise((resolve, reject) => {
      if (this.#socket.readyState !== WebSocket.OPEN) {
        reject(new Error('there is no connection to the node; it is tried again'));
        return;
      }
      const id = ++this.#id;
      this.#waiting.set(id, { resolve, reject });
      this.#socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    });
  }

  /** What it answers is what docs/rpc.md says of the method. */
  async call<T>(method: string, ...params: readonly unknown[]): Promise<T> {
    const { result, error } = await this.ask(method, params);
    if (error !== undefined) throw new Refused(error);
    return result as T;
  }

  /** Undefined where the node refuses: a method that is closed, or a plugin that is off. */
  async tryCall<T>(method: string, ...params: readonly unknown[]): Promise<T | undefined> {
    const { result, error } = await this.ask(method, params);
    return error === undefined ? (result as T) : undefined;
  }

  /** Number to pass as callback argument. */
  listen(run: (argument: unknown) => void): number {
    const id = ++this.#id;
    this.#listeners.set(id, run);
    return id;
  }
}
