import type { ApiDeclaration, MethodDeclaration, MethodDeclarations } from '../api/define.js';
import type { Fields, StructValue } from '../codec/struct.js';
import type { ClientSession } from './client-session.js';
import type { ApiHandle } from './notices/subscriptions.js';
import type { Pieces } from './pieces/pieces.js';
import type { RpcPorts } from './ports.js';
import type { RpcServices } from './remembered/services.js';

/**
 * RPC methods as they are done. What they take and give is declared in `src/api`; arguments are decoded and results
 * printed by the declared types.
 */

/** What a running method sees: the node through its ports, what the RPC layer remembers, and the connection that asks. */
export interface RpcContext {
  readonly node: RpcPorts;
  readonly services: RpcServices;
  readonly session: ClientSession;
  /** The api id of the session through which it asks. */
  readonly handle: ApiHandle;
}

export interface MethodDef<P extends Fields, R> extends MethodDeclaration<P, R> {
  /** What takes more than a millisecond or two comes as pieces: the main thread is everybody's. */
  run(context: RpcContext, args: StructValue<P>): R | Promise<R | Pieces<R>> | Pieces<R | Promise<R>>;
}

// biome-ignore lint/suspicious/noExplicitAny: some method; its table knows which
export type AnyMethod = MethodDef<any, any>;

export function method<P extends Fields, R>(definition: MethodDef<P, R>): MethodDef<P, R> {
  return definition;
}

export type ApiDef<M extends Readonly<Record<string, AnyMethod>> = Readonly<Record<string, AnyMethod>>> =
  ApiDeclaration<M>;

export function api<M extends Readonly<Record<string, AnyMethod>>>(definition: ApiDef<M>): ApiDef<M> {
  return definition;
}

/** How declared methods are done, by their names: arguments and results have the types of the declarations. */
export type Runs<M extends MethodDeclarations> = { readonly [K in keyof M]: Implemented<M>[K]['run'] };

export type Implemented<M extends MethodDeclarations> = {
  readonly [K in keyof M]: M[K] extends MethodDeclaration<infer P extends Fields, infer R> ? MethodDef<P, R> : never;
};

export function implement<M extends MethodDeclarations>(declarations: M, runs: Runs<M>): Implemented<M> {
  const methods = Object.entries(declarations).map(([name, declaration]) => [
    name,
    { ...declaration, run: runs[name as keyof M] },
  ]);
  return Object.fromEntries(methods) as Implemented<M>;
}

/** All methods of a declared API, in its order: clients may see a method's position in error data. */
export function apiOf<M extends MethodDeclarations>(
  declaration: ApiDeclaration<M>,
  methods: Implemented<M>,
): ApiDef<Implemented<M>> {
  const inOrder = Object.keys(declaration.methods).map((name) => [name, methods[name as keyof M]]);
  return { ...declaration, methods: Object.fromEntries(inOrder) as Implemented<M> };
}

export function implementApi<M extends MethodDeclarations>(
  declaration: ApiDeclaration<M>,
  runs: Runs<M>,
): ApiDef<Implemented<M>> {
  return apiOf(declaration, implement(declaration.methods, runs));
}
