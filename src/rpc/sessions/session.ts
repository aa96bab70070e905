import { callbackToJson } from '../../api/types.js';
import { check, fail, invariant } from '../../base/errors.js';
import type { Cancel } from '../../base/world.js';
import type { Json } from '../../codec/json.js';
import type { Caller } from '../../http/caller.js';
import type { ClientSession } from '../client-session.js';
import type { CompiledApi, CompiledMethod } from '../dispatch/compiled.js';
import { Lane } from '../dispatch/scheduler.js';
import { RPC_ERRORS } from '../errors.js';
import type { ApiAccess } from './access.js';

/** The transport's side of a session. */
export interface Connection {
  /** For logs and rate limits. */
  readonly address: string;
  /** What is known of who asks; without it, it is anybody. */
  readonly caller?: Caller;
  /** False for plain HTTP: a notice has nowhere to go. */
  readonly canNotify: boolean;
  /** Sends a document that nobody asked for. The transport drops the connection when it cannot keep up. */
  send(text: string): void;
  /** Where its requests wait for their turn; without one the session makes its own. */
  readonly lane?: Lane | undefined;
  /** Takes one more request of a batch from what its address may ask; without it there is no limit. */
  mayAsk?(): boolean;
}

export type ApiSet = ReadonlyMap<string, CompiledApi>;

/** Everybody has these from the start, whatever the access file says: the first ids, in this order. */
const LOGIN = 'login';
const FIRST_IDS = ['database', LOGIN, 'network_broadcast', 'history'];
/** One more where the node's options open it to everybody. */
const NETWORK_NODE = 'network_node';

/** Each has its own subscriptions. A client needs a handful, however often it logs in. */
const API_IDS_MAX = 100;

/** An api as one client has it. A login makes new ones; ids that were given out before go on standing for the old ones. */
export class SessionApi {
  readonly api: CompiledApi;
  readonly session: ClientSession;

  constructor(api: CompiledApi, session: ClientSession) {
    this.api = api;
    this.session = session;
  }
}

/**
 * One client's view: which api ids it was given, what its login opened, what it wants to hear about. A WebSocket keeps
 * its session; every HTTP request has a new one.
 */
export class Session implements ClientSession {
  readonly connection: Connection;
  readonly lane: Lane;
  readonly #apis: ApiSet;
  readonly #access: ApiAccess;
  /** Index is the api id. */
  readonly #registered: SessionApi[] = [];
  /** What the accessors of the login API stand for at the moment, by api name. A login adds and replaces, it takes nothing. */
  readonly #open = new Map<string, SessionApi>();
  /** What its logins have opened, methods for the operator among them. */
  readonly #allowed = new Set<string>();
  readonly #atClose = new Set<{ readonly run: () => void }>();
  #closed = false;

  constructor(
    connection: Connection,
    apis: ApiSet,
    access: ApiAccess,
    options: { readonly networkNodeForAll?: boolean; readonly credentials?: readonly [string, string] } = {},
  ) {
    this.connection = connection;
    this.lane = connection.lane ?? new Lane(connection.address);
    this.#apis = apis;
    this.#access = access;
    for (const name of options.networkNodeForAll === true ? [...FIRST_IDS, NETWORK_NODE] : FIRST_IDS) {
      this.#registered.push(this.#enable(name));
    }
    // Nothing but its id leads to it.
    this.#open.delete(LOGIN);
    const [user, password] = options.credentials ?? ['*', '*'];
    this.login(user, password);
    if (connection.caller?.isOperator === true) for (const name of apis.keys()) if (name !== LOGIN) this.#enable(name);
  }

  get closed(): boolean {
    return this.#closed;
  }

  get canNotify(): boolean {
    return this.connection.canNotify;
  }

  login(user: string, password: string): boolean {
    const allowed = this.#access.login(user, password);
    if (allowed === undefined) return false;
    for (const name of allowed) {
      this.#allowed.add(name);
      if (this.#apis.has(name)) this.#enable(name);
    }
    return true;
  }

  /** Refuses what this client may not do although it has the API. */
  admit(api: CompiledApi, { name, definition }: CompiledMethod): void {
    const forOperator = definition.forOperator === true;
    if (!forOperator && !api.isClosedToPages) return;
    const { caller } = this.connection;
    const isForeign = caller?.isForeignPage === true && !(api.isOpenToOwnPage && caller.isOwnPage);
    check(!isForeign, RPC_ERRORS.rpc_foreign_page, { method: name });
    if (!forOperator || this.#allowed.has(name)) return;
    const isOwn = caller?.isOperator === true || (caller?.isLocal === true && !caller.isPage);
    check(isOwn, RPC_ERRORS.rpc_operator, { method: name });
  }

  #enable(name: string): SessionApi {
    const api = this.#apis.get(name);
    invariant(api !== undefined, `there is an api ${name}`);
    const opened = new SessionApi(api, this);
    this.#open.set(name, opened);
    return opened;
  }

  /** Id of an api for this client, as the accessors of the login API give it. */
  apiId(name: string): number {
    const opened = this.#open.get(name);
    if (opened === undefined) fail(RPC_ERRORS.rpc_api_not_enabled, { name });
    const known = this.#registered.indexOf(opened);
    if (known >= 0) return known;
    check(this.#registered.length < API_IDS_MAX, RPC_ERRORS.rpc_api_ids, { limit: API_IDS_MAX });
    return this.#registered.push(opened) - 1;
  }

  apiById(id: number): SessionApi {
    const found = this.#registered[id];
    if (found === undefined) fail(RPC_ERRORS.rpc_api_unknown, { id });
    return found;
  }

  /** Whether there is such an api at all, those of plugins included. */
  knowsApi(name: string): boolean {
    return this.#apis.has(name);
  }

  /** The whole name of a method that an API has, whether it is open to this client or not. */
  methodElsewhere(method: string): string | undefined {
    for (const [name, api] of this.#apis) if (api.methods.has(method)) return `${name}.${method}`;
    return undefined;
  }

  /** `call` with an api's name: as the accessor and then the id. */
  apiByName(name: string): SessionApi {
    return this.apiById(this.apiId(name));
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
    this.lane.isDropped = true;
    for (const { run } of this.#atClose) run();
    this.#atClose.clear();
  }
}
