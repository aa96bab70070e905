import type { Json } from './json.js';
import type { Reader } from './reader.js';
import type { Writer } from './writer.js';

/**
 * What JSON texts depend on beside the value: public keys and addresses are written with the prefix of their network.
 * Whoever reads or writes JSON says which network it is of, so that one process can talk to several.
 */
export interface Network {
  readonly keyPrefix: string;
}

/**
 * One declaration per type of the chain: TypeScript type, bytes, JSON in the chain's conventions, default value.
 * Nobody writes a serializer by hand, so none can drift.
 */
export interface Type<V> {
  /** Name for error messages and documents, e.g. `set<account_id>`. */
  readonly name: string;
  /** Fewest bytes on the wire; a decoder refuses a count whose elements cannot be in the input. */
  readonly bytesMin: number;
  /** Least part of the depth budget that reading takes; see decode-rules.ts. */
  readonly depth: number;
  /** A struct leaves an absent member of such a type out of its JSON. */
  readonly omitWhenAbsent?: boolean;
  read(reader: Reader): V;
  /**
   * Moves behind a value without making it. False: it has to be read, be it that it cannot be, or is large, or would not be
   * written as it stands there; where the reader is then says nothing. Always so where there is no such function.
   */
  readonly pass?: Pass | undefined;
  write(writer: Writer, value: V): void;
  /** JSON as the chain's nodes print it; contains no bigint, so JSON.stringify takes it. */
  toJson(value: V, network: Network): Json;
  /** Every form that the chain's nodes accept. */
  fromJson(json: Json, network: Network): V;
  /** Value of a missing struct member. */
  default(): V;
  /** Order inside sets and maps, where the chain defines one. */
  compare?(a: V, b: V): number;
  /** What `compare` goes by, where it takes work to find: a list is put in order with one look at each of its values. */
  rank?(value: V): string;
  /** For documents: what the type is made of. */
  readonly shape: Shape;
}

/** A type without keys and addresses: its JSON is the same on every network, so nobody has to name one. */
export interface PlainType<V> extends Type<V> {
  toJson(value: V): Json;
  fromJson(json: Json): V;
}

/**
 * A value that JSON has as a text: ids, times, votes. In memory it is what `V` says, for the compiler as well; those who
 * hand on plain data can tell it from a number that is one.
 */
export type AsText<V, T extends string = string> = V & { readonly '~text'?: T };

/** The text that a value is written as; `never` where it is no text. */
export type TextOf<V> = V extends unknown ? ('~text' extends keyof V ? NonNullable<V['~text']> : never) : never;

export type Pass = (reader: Reader) => boolean;

export type ValueOf<T> = T extends Type<infer V> ? V : never;

/** Just enough structure to generate documents and random values from a declaration. */
export type Shape =
  | { readonly kind: 'scalar' }
  | { readonly kind: 'enumeration'; readonly of: readonly string[] }
  | { readonly kind: 'struct'; readonly fields: readonly (readonly [string, AnyType])[] }
  | { readonly kind: 'array' | 'set' | 'optional'; readonly of: AnyType }
  | { readonly kind: 'map' | 'pair'; readonly key: AnyType; readonly of: AnyType }
  | { readonly kind: 'variant'; readonly of: readonly AnyType[] }
  /** JSON alone: each has another form. */
  | { readonly kind: 'either'; readonly of: readonly AnyType[] }
  | { readonly kind: 'extension'; readonly fields: readonly (readonly [string, AnyType])[] };

// Variance makes `Type<unknown>` useless as a supertype: `write` takes its value contravariantly.
// biome-ignore lint/suspicious/noExplicitAny: the one place where a type of unknown value is named
export type AnyType = Type<any>;
// biome-ignore lint/suspicious/noExplicitAny: as above
export type AnyPlainType = PlainType<any>;
