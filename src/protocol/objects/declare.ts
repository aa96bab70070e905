import { type Fields, type StructType, type StructValue, struct } from '../../codec/struct.js';
import type { AnyType, PlainType, Type } from '../../codec/type.js';
import { accountId, formatObjectId, type Instance, parseObjectId } from '../ids.js';

/**
 * What everybody has to know of a type of object who reads objects: its id, its members in the order of bytes and JSON.
 * How the state keeps and finds them is declared in `src/state/objects`, where each of these is extended by its indexes.
 */
export interface ObjectDeclaration<F extends Fields> {
  readonly name: string;
  readonly space: number;
  readonly type: number;
  /** All members but the id, in wire and JSON order. */
  readonly schema: StructType<F>;
}

// biome-ignore lint/suspicious/noExplicitAny: some object type; its declaration knows which
export type AnyObjectDeclaration = ObjectDeclaration<any>;

export function declareObject<F extends Fields>(declaration: ObjectDeclaration<F>): ObjectDeclaration<F> {
  return declaration;
}

/** The last number of the id, and the members. */
export type ObjectValue<F extends Fields> = StructValue<F> & { id: Instance };

/** The id of an object of one type: in memory the instance alone. */
function instanceId(space: number, type: number): PlainType<Instance> {
  return {
    ...accountId,
    name: `${space}.${type}.x`,
    toJson: (value) => formatObjectId(space, type, value),
    fromJson: (given) => parseObjectId(String(given)).instance,
  };
}

/** By schema: what extends a declaration is the same type of object. */
const objectTypes = new Map<StructType<Fields>, AnyType>();

/** An object as `get_objects` prints it: the id first, then its members in order. */
export function objectOf<F extends Fields>(declaration: ObjectDeclaration<F>): Type<Readonly<ObjectValue<F>>> {
  const key = declaration.schema as unknown as StructType<Fields>;
  let type = objectTypes.get(key);
  if (type === undefined) {
    const { name, space, type: number, schema } = declaration;
    type = struct(name, { id: instanceId(space, number), ...schema.fields } as Fields);
    objectTypes.set(key, type);
  }
  return type;
}
