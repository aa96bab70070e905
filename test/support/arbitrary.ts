import fc from 'fast-check';
import type { AnyType } from '../../src/codec/type.js';

/** Random values of any declared type, made from the declaration's shape. Scalars are known by their names. */

const u64 = fc.bigInt({ min: 0n, max: (1n << 64n) - 1n });
const i64 = fc.bigInt({ min: -(1n << 63n), max: (1n << 63n) - 1n });
const hex = (length: number): fc.Arbitrary<string> =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((bytes) => Buffer.from(bytes).toString('hex'));
const instance = fc.oneof(
  fc.nat(300),
  fc.maxSafeNat().map((n) => n % 2 ** 48),
);
/** Short, with bytes beyond ASCII, and now and then the escape of a byte that is not UTF-8. */
const someText = fc.oneof(
  fc.string({ maxLength: 30 }),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.constantFrom('\udc80', 'a\udcff b', '\udcc3('),
);

const SCALARS: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  uint8: fc.nat(0xff),
  uint16: fc.nat(0xffff),
  uint32: fc.nat(0xffffffff),
  int8: fc.integer({ min: -128, max: 127 }),
  int16: fc.integer({ min: -32_768, max: 32_767 }),
  int32: fc.integer(),
  uint64: u64,
  varint: u64,
  int64: i64,
  share: i64,
  uint128: fc.bigInt({ min: 0n, max: (1n << 128n) - 1n }),
  bool: fc.boolean(),
  string: someText,
  bytes: fc.uint8Array({ maxLength: 40 }),
  time_point_sec: fc.nat(0xffffffff),
  vote_id: fc.nat(0xffffffff),
  object_id_type: u64,
  signature: fc.uint8Array({ minLength: 65, maxLength: 65 }),
  public_key: hex(33),
  commitment: hex(33),
  address: hex(20),
  block_id: hex(20),
  transaction_id: hex(20),
  checksum160: hex(20),
  sha256: hex(32),
  blind_factor: hex(32),
};

/** Contract names: what the text alphabet can write and reads back as the same text. */
const name = fc
  .string({ unit: fc.constantFrom(...'.12345abcdefghijklmnopqrstuvwxyz'), maxLength: 12 })
  .map((text) => text.replace(/\.+$/, ''));

export interface ArbitraryOptions {
  /** How often a type may contain itself. */
  readonly depth: number;
  readonly nameFromText: (text: string) => unknown;
  /** Elements of a list. */
  readonly lengthMax?: number;
  /** Other values for some scalars, by the name of the type. */
  readonly scalars?: Readonly<Record<string, fc.Arbitrary<unknown>>>;
  readonly instances?: fc.Arbitrary<number>;
}

export function arbitraryOf(type: AnyType, options: ArbitraryOptions): fc.Arbitrary<unknown> {
  const shape = type.shape;
  const inner = (of: AnyType): fc.Arbitrary<unknown> => arbitraryOf(of, options);
  const maxLength = options.depth > 0 ? (options.lengthMax ?? 4) : 0;
  switch (shape.kind) {
    case 'scalar':
    case 'enumeration':
    case 'either': {
      const known = options.scalars?.[type.name] ?? SCALARS[type.name];
      if (known !== undefined) return known;
      if (type.name === 'name') return name.map(options.nameFromText);
      if (type.name.endsWith('_id')) return options.instances ?? instance;
      throw new Error(`no random values for ${type.name}`);
    }
    case 'struct':
      return fc.record(Object.fromEntries(shape.fields.map(([field, of]) => [field, inner(of)])));
    case 'extension':
      return fc.record(Object.fromEntries(shape.fields.map(([field, of]) => [field, inner(of)])), { requiredKeys: [] });
    case 'array':
    case 'set':
      return fc.array(inner(shape.of), { maxLength });
    case 'map':
      return fc.array(fc.tuple(inner(shape.key), inner(shape.of)), { maxLength });
    case 'pair':
      return fc.tuple(inner(shape.key), inner(shape.of));
    case 'optional':
      return fc.option(inner(shape.of), { nil: undefined, freq: 2 });
    case 'variant': {
      // Operations contain operations: the deeper, the fewer.
      const deeper = { ...options, depth: options.depth - 1 };
      if (options.depth <= 0) return arbitraryOf(shape.of[0] as AnyType, deeper).map((value) => [0, value]);
      return fc
        .nat(shape.of.length - 1)
        .chain((tag) => arbitraryOf(shape.of[tag] as AnyType, deeper).map((value) => [tag, value]));
    }
  }
}
