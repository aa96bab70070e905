import type { JsonObject } from '../codec/json.js';
import type { Fields, StructValue } from '../codec/struct.js';
import type { Type } from '../codec/type.js';

/**
 * What the RPC methods take and give, as a typed table without anything behind it: the node implements it, clients,
 * wallets and services call by it, the OpenRPC document and docs/rpc.md are written from it.
 */
export interface MethodDeclaration<P extends Fields, R> {
  /** One or two sentences for the documents. */
  readonly about: string;
  /** In the order of the argument list. All without a default are required; surplus arguments are ignored. */
  readonly params: P;
  /** What the last ones are where the caller leaves them out. */
  readonly defaults?: JsonObject;
  readonly result: Type<R>;
  /** Whose users are the operator and those whom the access file lets use it by the method's name. */
  readonly forOperator?: boolean;
  /** Waits for something outside (a block, a disk): its duration says nothing about the node's health. */
  readonly waits?: boolean;
  /** Its answer may take as long as a block or a disk: answers to later requests of the connection go before it. */
  readonly answersLate?: boolean;
  /** Elements of any list in the arguments; 10,000 if it says nothing. */
  readonly listMax?: number;
}

// biome-ignore lint/suspicious/noExplicitAny: some method; its table knows which
export type AnyMethodDeclaration = MethodDeclaration<any, any>;
export type MethodDeclarations = Readonly<Record<string, AnyMethodDeclaration>>;

export function declareMethod<P extends Fields, R>(declaration: MethodDeclaration<P, R>): MethodDeclaration<P, R> {
  return declaration;
}

export interface ApiDeclaration<M extends MethodDeclarations = MethodDeclarations> {
  /** By which `call` and the login API name it. */
  readonly name: string;
  readonly about: string;
  readonly methods: M;
  /** Changes the node or tells of its inside: pages in a browser may not use it unless their origin is known. */
  readonly isClosedToPages?: boolean;
  /** What is closed to pages is open to the one that the node itself serves to a browser on its own machine. */
  readonly isOpenToOwnPage?: boolean;
}

export function declareApi<M extends MethodDeclarations>(declaration: ApiDeclaration<M>): ApiDeclaration<M> {
  return declaration;
}

export type ArgumentsOf<M> = M extends MethodDeclaration<infer P extends Fields, infer _> ? StructValue<P> : never;
export type ResultOf<M> = M extends { readonly result: Type<infer R> } ? R : never;
