import { InvariantError } from '../base/errors.js';
import type { Json } from '../codec/json.js';
import type { Type } from '../codec/type.js';

/** A type that exists in JSON alone: nobody packs it. */
export function jsonType<V>(
  name: string,
  fromJson: (json: Json) => V,
  toJson: (value: V) => Json,
  initial: () => V,
): Type<V> {
  const never = (): never => {
    throw new InvariantError(`${name} is never packed`);
  };
  return {
    name,
    bytesMin: 0,
    depth: 0,
    shape: { kind: 'scalar' },
    read: never,
    write: never,
    toJson,
    fromJson,
    default: initial,
  };
}
