import type { ApiDeclaration, ArgumentsOf, ResultOf } from '../api/define.js';
import { type FoundObject, foundObject, json, type RequiredFee, requiredFee } from '../api/types.js';
import { check, defineErrors } from '../base/errors.js';
import type { Json } from '../codec/json.js';
import { i64, share, u64, u128, varint } from '../codec/scalars.js';
import type { StructType } from '../codec/struct.js';
import type { AnyType, Network, TextOf, Type } from '../codec/type.js';
import type { ObjectIdText } from '../protocol/ids.js';
import { objectOf } from '../protocol/objects/declare.js';
import type { Operation } from '../protocol/operation-slot.js';
import type { CLIENT_APIS, Representation } from './client.js';

/**
 * Values of the chain as plain data, for programs that show and keep them: ids, times, keys and bytes are texts as the
 * node writes them, whole numbers of 64 bits are bigints, what is not there is undefined. By the same declarations as
 * everything else, so no type is written down twice.
 */

export const PLAIN_ERRORS = defineErrors({
  plain_member: { text: '${type} has no member ${member}', hint: 'its members are ${members}' },
  plain_argument: { text: '${method} takes ${param} (${type}), which was not given' },
});

export interface PlainBody {
  readonly fee: { readonly amount: bigint; readonly asset_id: ObjectIdText };
  readonly [member: string]: unknown;
}
/** Tag and members; the declaration of that tag says which. */
export type PlainOperation = [tag: number, body: PlainBody];

export interface PlainObject {
  readonly id: ObjectIdText;
  readonly [member: string]: unknown;
}

/** What a value of type `V` is as plain data. */
export type Plain<V> = [Json] extends [V] ? Json : PlainEach<V>;

type PlainEach<V> = V extends unknown
  ? '~text' extends keyof V
    ? TextOf<V>
    : V extends Uint8Array
      ? string
      : V extends string | number | bigint | boolean | null | undefined
        ? V
        : V extends FoundObject
          ? PlainObject
          : [Operation] extends [V]
            ? PlainOperation
            : { [K in keyof V]: Plain<V[K]> }
  : never;

/** The same as something to be given: amounts in any form, and what has a default may be left out. */
export type Given<V> = [Json] extends [V] ? Json : GivenEach<V>;

type GivenEach<V> = V extends unknown
  ? '~text' extends keyof V
    ? string
    : V extends Uint8Array
      ? string
      : V extends bigint
        ? bigint | number | string
        : V extends string | number | boolean | null | undefined
          ? V
          : V extends FoundObject
            ? PlainObject
            : [Operation] extends [V]
              ? readonly [tag: number, body: object]
              : V extends readonly unknown[]
                ? { readonly [K in keyof V]: Given<V[K]> }
                : { readonly [K in keyof V as undefined extends V[K] ? never : K]: Given<V[K]> } & {
                    readonly [K in keyof V as undefined extends V[K] ? K : never]?: Given<V[K]>;
                  }
  : never;

type PlainCall<M> = keyof ArgumentsOf<M> extends never
  ? () => Promise<Plain<ResultOf<M>>>
  : (args: Given<ArgumentsOf<M>>) => Promise<Plain<ResultOf<M>>>;
export type PlainApi<A> = A extends ApiDeclaration<infer M> ? { readonly [K in keyof M]: PlainCall<M[K]> } : never;

export type PlainApis = { readonly [K in keyof typeof CLIENT_APIS]: PlainApi<(typeof CLIENT_APIS)[K]> };

const WHOLE_NUMBERS: ReadonlySet<string> = new Set([u64, i64, u128, share, varint].map(({ name }) => name));

function plainStruct(fields: readonly (readonly [string, AnyType])[], value: object, network: Network): object {
  const members = value as Readonly<Record<string, unknown>>;
  const given = fields.filter(([name]) => members[name] !== undefined);
  return Object.fromEntries(given.map(([name, type]) => [name, plainValue(type, members[name], network)]));
}

const plainFound = ({ definition, object }: FoundObject, network: Network): unknown =>
  plainValue(objectOf(definition), object, network);

const plainFee = ({ fee, inner }: RequiredFee, network: Network): unknown => ({
  fee: plainValue(requiredFeeAmount, fee, network),
  inner: inner?.map((one) => plainFee(one, network)),
});
const requiredFeeAmount = (requiredFee.shape as { readonly of: readonly AnyType[] }).of[0] as AnyType;

function plainValue(type: AnyType, value: unknown, network: Network): unknown {
  if (value === undefined) return undefined;
  if (type === foundObject) return plainFound(value as FoundObject, network);
  if (type === requiredFee) return plainFee(value as RequiredFee, network);
  const { shape } = type;
  switch (shape.kind) {
    case 'struct':
    case 'extension':
      return plainStruct(shape.fields, value as object, network);
    case 'array':
    case 'set':
      return (value as unknown[]).map((one) => plainValue(shape.of, one, network));
    case 'optional':
      return plainValue(shape.of, value, network);
    case 'map':
      return (value as [unknown, unknown][]).map((one) => plainPair(shape.key, shape.of, one, network));
    case 'pair':
      return plainPair(shape.key, shape.of, value as [unknown, unknown], network);
    case 'variant': {
      const [tag, body] = value as [number, unknown];
      return [tag, plainValue(shape.of[tag] as AnyType, body, network)];
    }
    default:
      // Small whole numbers and large ones are one type to whoever calculates with them; in JSON they are two.
      return WHOLE_NUMBERS.has(type.name) ? value : type.toJson(value, network);
  }
}

const plainPair = (key: AnyType, of: AnyType, [one, two]: [unknown, unknown], network: Network): unknown => [
  plainValue(key, one, network),
  plainValue(of, two, network),
];

/** As plain data. */
export const toPlain: <V>(type: Type<V>, value: V, network: Network) => Plain<V> = plainValue as never;

/** The value that plain data stands for. Absent members have their defaults; one that there is not is refused. */
export function fromPlain(type: AnyType, given: unknown, network: Network): unknown {
  checkMembers(type, given);
  return type.fromJson((given ?? null) as Json, network);
}

/** Arguments and results of methods as plain data. */
export const PLAIN: Representation = {
  given: (method, param, type, value, network) => {
    const isGiven = value !== undefined || type.omitWhenAbsent === true || type === json;
    check(isGiven, PLAIN_ERRORS.plain_argument, { method, param, type: type.name });
    return type.toJson(fromPlain(type, value, network), network);
  },
  told: (type, answer, network) => plainValue(type, type.fromJson(answer, network), network),
};

/** A word with a fault in it would silently be the default of what was meant. */
function checkMembers(type: AnyType, given: unknown): void {
  if (given === null || given === undefined || typeof given !== 'object') return;
  const { shape } = type;
  if (shape.kind === 'optional') checkMembers(shape.of, given);
  else if (shape.kind === 'struct') checkStruct(type as StructType<Record<string, AnyType>>, given);
  else if (shape.kind === 'array' || shape.kind === 'set') {
    for (const one of Array.isArray(given) ? given : []) checkMembers(shape.of, one);
  } else if (shape.kind === 'variant' && Array.isArray(given)) {
    const of = shape.of[Number(given[0])];
    if (of !== undefined) checkMembers(of, given[1]);
  }
}

function checkStruct({ name, shape }: AnyType, given: object): void {
  const fields = shape.kind === 'struct' ? shape.fields : [];
  const names = fields.map(([field]) => field);
  for (const member of Object.keys(given)) {
    check(names.includes(member), PLAIN_ERRORS.plain_member, { type: name, member, members: names.join(', ') });
  }
  const members = given as Readonly<Record<string, unknown>>;
  for (const [field, type] of fields) checkMembers(type, members[field]);
}
