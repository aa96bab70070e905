import type { Fields, StructValue } from '../codec/struct.js';
import type { Type } from '../codec/type.js';
import type { ClientSession } from './client-session.js';
import type { ApiHandle } from './notices/subscriptions.js';
import type { Pieces } from './pieces/pieces.js';
import type { RpcPorts } from './ports.js';
import type { RpcServices } from './remembered/services.js';

/**
 * RPC methods as a typed table. Arguments are decoded by the chain's own types, results are printed by them; the
 * OpenRPC document, docs/rpc.md and the typed client come from the same declarations.
 */

/** What a running method sees: the node through its ports, what the RPC layer remembers, and the connection that asks. */
export interface RpcContext {
  readonly node: RpcPorts;
  readonly services: RpcServices;
  readonly session: ClientSession;
  /** The api id of the session through which it asks. */
  readonly handle: ApiHandle;
}

export interface MethodDef<P extends Fields, R> {
  /** One or two sentences for the documents. */
  readonly about: string;
  /** In the order of the argument list. All are required; surplus arguments are ignored. */
  readonly params: P;
  readonly result: Type<R>;
  /** Whose users are the operator and those whom the access file lets use it by the method's name. */
  readonly forOperator?: boolean;
  /**
   * Waits for something outside (a block, a disk), so its duration says nothing about the node's health, and it is begun
   * only where there is a place to wait in. Methods that answer with a promise and change something must say so.
   */
  readonly waits?: boolean;
  /** Elements of any list in the arguments; 10,000 if it says nothing. */
  readonly listMax?: number;
  /** What takes more than a millisecond or two comes as pieces: the main thread is everybody's. */
  run(context: RpcContext, args: StructValue<P>): R | Promise<R | Pieces<R>> | Pieces<R | Promise<R>>;
}

// biome-ignore lint/suspicious/noExplicitAny: some method; its table knows which
export type AnyMethod = MethodDef<any, any>;

export function method<P extends Fields, R>(definition: MethodDef<P, R>): MethodDef<P, R> {
  return definition;
}

export interface ApiDef<M extends Readonly<Record<string, AnyMethod>> = Readonly<Record<string, AnyMethod>>> {
  /** By which `call` and the login API name it. */
  readonly name: string;
  readonly about: string;
  readonly methods: M;
  /** Changes the node or tells of its inside: pages in a browser may not use it unless their origin is known. */
  readonly isClosedToPages?: boolean;
}

export function api<M extends Readonly<Record<string, AnyMethod>>>(definition: ApiDef<M>): ApiDef<M> {
  return definition;
}
