import { Worker } from 'node:worker_threads';

export interface ToWorker {
  readonly id: number;
  readonly wif: string;
  readonly account: string;
  readonly url: string;
  readonly method: string;
  readonly args: readonly unknown[];
  /** The last argument is a listener, which a thread cannot be given. */
  readonly watching: boolean;
}

export interface FromWorker {
  readonly id: number;
  readonly kind: 'done' | 'failed' | 'heard';
  readonly value: unknown;
}

export interface ClientAccount {
  readonly name: string;
  readonly wif: string;
}

/** What the client answers to a broadcast: a list of one. */
export interface Broadcast {
  readonly id: string;
  readonly block_num: number;
  readonly trx: {
    readonly operations: readonly [tag: number, body: Record<string, unknown>][];
    readonly operation_results: readonly [tag: number, result: unknown][];
  };
}

/** The public client, unmodified, in a thread that can be ended. */
export class GxClientThread {
  readonly #worker = new Worker(new URL('./gxclient-worker.js', import.meta.url), { stdout: true, stderr: true });
  readonly #url: string;
  readonly #waiting = new Map<number, (message: FromWorker) => void>();
  #id = 0;

  constructor(url: string) {
    this.#url = url;
    this.#worker.on('message', (message: FromWorker) => this.#waiting.get(message.id)?.(message));
    this.#worker.on('error', (error) => this.#end(`the client threw: ${error}`));
    this.#worker.on('exit', () => this.#end('the client has ended'));
  }

  /** Calls a method of the client of an account. */
  call<T>(account: ClientAccount, method: string, ...args: readonly unknown[]): Promise<T> {
    const id = this.#post(account, method, args, false);
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, ({ kind, value }) => {
        this.#waiting.delete(id);
        if (kind === 'failed') reject(new Error(String(value)));
        else resolve(value as T);
      });
    });
  }

  /** A method that broadcasts, as the client's documentation reads its answer. */
  async broadcast(account: ClientAccount, method: string, ...args: readonly unknown[]): Promise<Broadcast> {
    const [sent] = await this.call<Broadcast[]>(account, method, ...args);
    if (sent === undefined) throw new Error(`${method} was answered with an empty list`);
    return sent;
  }

  /** Calls a method whose last argument is a listener. */
  watch(account: ClientAccount, method: string, args: readonly unknown[], heard: (...args: unknown[]) => void): void {
    const id = this.#post(account, method, args, true);
    this.#waiting.set(id, ({ kind, value }) => {
      if (kind === 'heard') heard(...(value as unknown[]));
    });
  }

  #post({ name, wif }: ClientAccount, method: string, args: readonly unknown[], watching: boolean): number {
    const id = ++this.#id;
    const message: ToWorker = { id, wif, account: name, url: this.#url, method, args, watching };
    this.#worker.postMessage(message);
    return id;
  }

  #end(reason: string): void {
    for (const [id, answer] of this.#waiting) answer({ id, kind: 'failed', value: reason });
  }

  async close(): Promise<void> {
    // What is still under way at the end of a test is nobody's business.
    this.#waiting.clear();
    await this.#worker.terminate();
  }
}
