import { array, lazy, optional, pair } from '../codec/containers.js';
import type { Json, JsonObject } from '../codec/json.js';
import { u64, unsignedToJson } from '../codec/scalars.js';
import type { Network, PlainType, Type } from '../codec/type.js';
import { type Asset, asset } from '../protocol/asset.js';
import { parseObjectId } from '../protocol/ids.js';
import { type AnyObjectDeclaration, objectOf } from '../protocol/objects/declare.js';
import { declarationOf } from '../protocol/objects/index.js';

/** Types that occur in RPC calls only. */

const unsupported = (): never => {
  throw new Error('this type lives in JSON only');
};

type Converting = 'toJson' | 'fromJson' | 'default';

/** A type without bytes: for results and arguments that never go over the peer-to-peer wire or into state. */
export function jsonType<V>(name: string, conversion: Pick<PlainType<V>, Converting>): PlainType<V>;
export function jsonType<V>(name: string, conversion: Pick<Type<V>, Converting>): Type<V>;
export function jsonType<V>(name: string, conversion: Pick<Type<V>, Converting>): Type<V> {
  return {
    name,
    bytesMin: 0,
    depth: 0,
    shape: { kind: 'scalar' },
    read: unsupported,
    write: unsupported,
    ...conversion,
  };
}

/** Any JSON value, passed on as it is. */
export const json: PlainType<Json> = jsonType<Json>('any', {
  toJson: (v) => v,
  fromJson: (v) => v,
  default: () => null,
});

/** Result of methods that return nothing. */
export const nothing: PlainType<undefined> = jsonType('null', {
  toJson: () => null,
  fromJson: () => undefined,
  default: () => undefined,
});

/** A number that the client chose; notices to it carry the number in the form in which it came. */
export const callback: PlainType<bigint> = { ...u64, name: 'callback' };

export function callbackToJson(id: bigint): Json {
  return unsignedToJson(id);
}

export const nullable = optional;

/** An object of any type, with the declaration that says which. */
export interface FoundObject {
  readonly definition: AnyObjectDeclaration;
  readonly object: { readonly id: number };
}

/** In JSON the object itself, or null. */
export const foundObject: Type<FoundObject | undefined> = jsonType<FoundObject | undefined>('object', {
  toJson: (found: FoundObject | undefined, network: Network): Json =>
    found === undefined ? null : objectOf(found.definition).toJson(found.object, network),
  fromJson: (json: Json, network: Network): FoundObject | undefined => {
    if (json === null) return undefined;
    const { space, type } = parseObjectId(String((json as JsonObject).id));
    const definition = declarationOf(space, type);
    return { definition, object: objectOf(definition).fromJson(json, network) };
  },
  default: () => undefined,
});

/** What an operation costs, and if it is a proposal, what the operations in it cost. */
export interface RequiredFee {
  readonly fee: Asset;
  readonly inner: readonly RequiredFee[] | undefined;
}

const feesOfProposal = pair(asset, array(lazy<RequiredFee>('required_fee', () => requiredFee)));

/** In JSON an amount, or for a proposal the pair of its own and the list of those in it. */
export const requiredFee: Type<RequiredFee> = {
  ...jsonType<RequiredFee>('required_fee', {
    toJson: ({ fee, inner }: RequiredFee, network: Network): Json =>
      inner === undefined ? asset.toJson(fee) : feesOfProposal.toJson([fee, [...inner]], network),
    fromJson: (given: Json, network: Network): RequiredFee => {
      if (!Array.isArray(given)) return { fee: asset.fromJson(given), inner: undefined };
      const [fee, inner] = feesOfProposal.fromJson(given, network);
      return { fee, inner };
    },
    default: () => ({ fee: asset.default(), inner: undefined }),
  }),
  shape: { kind: 'either', of: [asset, feesOfProposal] },
};
