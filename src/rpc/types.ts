import { optional } from '../codec/containers.js';
import type { Json } from '../codec/json.js';
import { u64, unsignedToJson } from '../codec/scalars.js';
import { type Fields, type StructType, struct } from '../codec/struct.js';
import type { AnyType, PlainType, Type } from '../codec/type.js';
import { accountId, formatObjectId, parseObjectId } from '../protocol/ids.js';
import type { ObjectDef, StateObject } from '../state/define.js';

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

/** The id of an object of one type: in memory the instance alone. */
function instanceId(space: number, type: number): PlainType<number> {
  return {
    ...accountId,
    name: `${space}.${type}.x`,
    toJson: (value) => formatObjectId(space, type, value),
    fromJson: (given) => parseObjectId(String(given)).instance,
  };
}

const objectTypes = new Map<ObjectDef, AnyType>();

/** A state object as `get_objects` prints it: the id first, then its fields in order. */
export function objectOf<T extends StateObject>(definition: ObjectDef<T>): Type<Readonly<T>> {
  const key = definition as ObjectDef;
  let type = objectTypes.get(key);
  if (type === undefined) {
    const id = instanceId(definition.space, definition.type);
    type = struct(definition.name, { id, ...definition.schema.fields } as Fields) as StructType<Fields>;
    objectTypes.set(key, type);
  }
  return type;
}
