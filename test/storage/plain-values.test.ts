import t from 'tap';
import { InvariantError } from '../../src/base/errors.js';
import { packPlain, unpackPlain } from '../../src/storage/object-record.js';
import { PlainValues } from '../../src/storage/plain-values.js';
import { PlainWriter } from '../../src/storage/plain-writer.js';
import { isSmallToEngine } from '../support/small-number.js';

/** Values that are read and written one by one are those that the library reads and writes all at once. */

const values = new PlainValues(unpackPlain);
const RULE = 'a record has so many values';

type Plain = number | bigint | boolean;

function read(wanted: readonly Plain[]): Plain[] {
  const packed = packPlain(wanted);
  // As in a page: something stands before and behind it.
  const page = Uint8Array.of(0xff, 0xff, ...packed, 0xff);
  values.open(page, 2, 2 + packed.length, wanted.length, RULE);
  const found = wanted.map((value) => {
    if (typeof value === 'boolean') return values.boolean();
    return (typeof value === 'number' ? values.number() : values.bigint()) as Plain;
  });
  values.close();
  return found;
}

const EDGES = [0, 5, 7, 8, 15, 16, 31, 32, 33, 47, 48, 52].map((bits) => 2 ** bits);
const NUMBERS = [0, ...EDGES.flatMap((edge) => [edge - 1, edge, edge + 1]), 2 ** 53 - 1].flatMap((n) => [n, -n]);
const WIDE = [0, 31, 32, 52, 53, 62, 63, 64, 65, 100, 127, 128, 200].map((bits) => 2n ** BigInt(bits));
const BIGINTS = [0n, ...WIDE.flatMap((edge) => [edge - 1n, edge, edge + 1n])].flatMap((n) => [n, -n]);

t.test('numbers of every width', async (t) => {
  for (const value of NUMBERS) t.equal(read([value])[0], value === 0 ? 0 : value);
  t.strictSame(read(NUMBERS), packedAndBack(NUMBERS));
  for (const value of [0, 127, 128, 70_000, 2 ** 30]) t.ok(isSmallToEngine(read([value])[0] as number));
});

t.test('bigints of every width, also where a number is expected', async (t) => {
  for (const value of BIGINTS) t.equal(read([value])[0], value);
  t.strictSame(read(BIGINTS), BIGINTS);
  for (const value of [0n, 2n ** 60n, 2n ** 64n - 1n, 2n ** 100n]) {
    const packed = packPlain([value]);
    values.open(packed, 0, packed.length, 1, RULE);
    t.equal(values.number(), value);
    values.close();
  }
});

t.test('booleans, and all kinds together', async (t) => {
  const all = [true, 7, false, 2n ** 90n, -1, 0n, true, 2 ** 40];
  t.strictSame(read(all), all);
  t.strictSame(read([]), []);
});

t.test('what is written one by one is what the library writes', async (t) => {
  const writer = new PlainWriter((value) => packPlain(value));
  const written = (all: readonly Plain[]): Buffer => {
    writer.length = 0;
    writer.plainArray(all.length);
    for (const value of all) {
      if (typeof value === 'boolean') writer.plainBoolean(value);
      else if (typeof value === 'number') writer.plainNumber(value);
      else writer.plainBigint(value);
    }
    return Buffer.from(writer.finish());
  };
  const each = [...NUMBERS, 0.5, -0.5, 2 ** 60, ...BIGINTS, true, false];
  for (const value of each) t.same(written([value]), Buffer.from(packPlain([value])), `${value}`);
  for (const count of [0, 1, 15, 16, each.length]) {
    t.same(written(each.slice(0, count)), Buffer.from(packPlain(each.slice(0, count))), `${count} values`);
  }
  writer.length = 0;
  for (const value of BIGINTS) writer.plainNumber(value as never);
  t.same(Buffer.from(writer.finish()), Buffer.concat(BIGINTS.map((value) => packPlain(value))), 'of ids made up');
});

t.test('what is no such record is said', async (t) => {
  const open = (value: unknown, count = 1): void => {
    const packed = packPlain(value);
    values.open(packed, 0, packed.length, count, RULE);
  };
  for (const value of [[1, 2], 1, 'text', { a: 1 }, []]) {
    t.throws(() => open(value), InvariantError);
    t.throws(() => open(value), { message: `invariant broken: ${RULE}` });
  }
  open(['a text']);
  t.throws(() => values.number(), InvariantError);
  open([null]);
  t.throws(() => values.bigint(), InvariantError);
  open([1]);
  t.throws(() => values.boolean(), InvariantError);
  open([1, 2], 2);
  values.number();
  t.throws(() => values.close(), InvariantError);
  values.number();
  t.throws(() => values.number(), InvariantError);
});

function packedAndBack(wanted: readonly Plain[]): unknown {
  const packed = packPlain(wanted);
  return unpackPlain(packed, 0, packed.length);
}
