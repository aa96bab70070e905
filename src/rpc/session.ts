import { fail } from '../base/errors.js';
import type { Cancel } from '../base/world.js';
import type { Json } from '../codec/json.js';
import type { ApiAccess } from './access.js';
import type { ClientSession } from './client-session.js';
import type { CompiledApi } from './compiled.js';
import { RPC_ERRORS } from './errors.js';
import { callbackToJson } from './types.js';

/** The transport's side of a session. */
export interface Connection {
  /** For logs and rate limits. */
  readonly address: string;
  /** False for plain HTTP: a notice has nowhere to go. */
  readonly canNotify: boolean;
  /** Sends a document that nobody asked for. The transport drops the connection when it cannot keep up. */
  send(text: string): void;
  /** Takes one more request of a batch from what its address may ask; without it there is no limit. */
  mayAsk?(): boolean;
}

export type ApiSet = ReadonlyMap<string, CompiledApi>;

/** Registered for everybody before any login, in this order. */
const ALWAYS_OPEN = ['database', 'login', 'network_broadcast', 'history'];

/**
 * One client's view: which api ids it was given, what its login opened, what it wants to hear about. A WebSocket keeps
 * its session; every HTTP request has a new one.
 */
export class Session implements ClientSession {
  readonly connection: Connection;
  readonly #apis: ApiSet;
  readonly #access: ApiAccess;
  /** Index is the api id. */
  readonly #registered: CompiledApi[] = [];
  /** Ids that were handed out since the last login, by api name: asking again gives the same id. */
  #handedOut = new Map<string, number>();
  #allowed: ReadonlySet<string> = new Set();
  readonly #atClose = new Set<{ readonly run: () => void }>();
  #closed = false;

  constructor(
    connection: Connection,
    apis: ApiSet,
    access: ApiAccess,
    options: { readonly networkNodeForAll?: boolean; readonly credentials?: readonly [string, string] } = {},
  ) {
    this.connection = connection;
    this.#apis = apis;
    this.#access = access;
    const open = options.networkNodeForAll === true ? [...ALWAYS_OPEN, 'network_node'] : ALWAYS_OPEN;
    for (const name of open) this.#registered.push(this.#must(name));
    const [user, password] = options.credentials ?? ['*', '*'];
    this.login(user, password);
  }

  get closed(): boolean {
    return this.#closed;
  }

  login(user: string, password: string): boolean {
    const allowed = this.#access.login(user, password);
    if (allowed === undefined) return false;
    // Ids from before stay valid, new ones are handed out from now on.
    this.#allowed = allowed;
    this.#handedOut = new Map();
    return true;
  }

  /** Id of an api for this client, as the accessors of the login API give it. */
  apiId(name: string): number {
    if (!this.#allowed.has(name) || !this.#apis.has(name)) fail(RPC_ERRORS.rpc_api_not_enabled, { name });
    let id = this.#handedOut.get(name);
    if (id === undefined) {
      id = this.#registered.push(this.#must(name)) - 1;
      this.#handedOut.set(name, id);
    }
    return id;
  }

  apiById(id: number): CompiledApi {
    const found = this.#registered[id];
    if (found === undefined) fail(RPC_ERRORS.rpc_api_unknown);
    return found;
  }

  /** `call` with an api's name: as the accessor and then the id, without spending one per request. */
  apiByName(name: string): CompiledApi {
    return this.apiById(this.apiId(name));
  }

  #must(name: string): CompiledApi {
    const found = this.#apis.get(name);
    if (found === undefined) fail(RPC_ERRORS.rpc_api_not_enabled, { name });
    return found;
  }

  /** Refuses methods that only make sense on a connection that stays. */
  needConnection(method: string): void {
    if (!this.connection.canNotify) fail(RPC_ERRORS.rpc_needs_connection, { method });
  }

  notify(callback: bigint, argument: Json): void {
    this.notifyText(callback, JSON.stringify(argument));
  }

  /** For notices to many sessions: the argument is printed once. */
  notifyText(callback: bigint, argument: string): void {
    if (this.#closed) return;
    const id = JSON.stringify(callbackToJson(callback));
    this.connection.send(`{"method":"notice","params":[${id},[${argument}]]}`);
  }

  onClose(run: () => void): Cancel {
    if (this.#closed) {
      run();
      return () => undefined;
    }
    const entry = { run };
    this.#atClose.add(entry);
    return () => void this.#atClose.delete(entry);
  }

  /** How many functions run at its end. */
  get closers(): number {
    return this.#atClose.size;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const { run } of this.#atClose) run();
    this.#atClose.clear();
  }
}
