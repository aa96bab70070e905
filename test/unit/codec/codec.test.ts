import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import t from 'tap';
import { toHex } from '../../../src/base/bytes.js';
import { ChainError } from '../../../src/base/errors.js';
import { decode, encode, packedSize } from '../../../src/codec/binary.js';
import {
  array,
  CONTAINER_ERRORS,
  lazy,
  map,
  optional,
  pair,
  set,
  variant,
  withDefault,
} from '../../../src/codec/containers.js';
import { LASTING_RULES } from '../../../src/codec/decode-rules.js';
import { READ_ERRORS, Reader } from '../../../src/codec/reader.js';
import * as S from '../../../src/codec/scalars.js';
import { extend, extension, STRUCT_ERRORS, struct } from '../../../src/codec/struct.js';
import { decodeText, encodeText } from '../../../src/codec/text.js';
import { TIME_ERRORS, timeFromText, timeToText } from '../../../src/codec/time.js';
import type { Type } from '../../../src/codec/type.js';
import { varintBytes, Writer } from '../../../src/codec/writer.js';
import { NETWORK } from '../../support/network.js';
import { refused } from '../../support/refused.js';

const ROWS = { ...READ_ERRORS, ...CONTAINER_ERRORS, ...STRUCT_ERRORS, ...S.SCALAR_ERRORS, ...TIME_ERRORS };
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const bytes = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'hex'));

const inner = struct('inner', { amount: S.i64, tag: withDefault(S.u8, () => 7) });
const outer = struct('outer', { list: array(inner), note: optional(S.text), more: map(S.u16, S.text) });

t.test('an error names the field path', async (t) => {
  const packed = encode(outer, {
    list: [
      { amount: 1n, tag: 2 },
      { amount: 3n, tag: 4 },
    ],
    note: 'hi',
    more: [[1, 'x']],
  });
  refused(t, ROWS.read_past_end, () => decode(outer, packed.subarray(0, 15)), { path: 'list' });
  refused(t, ROWS.read_past_end, () => decode(outer, bytes('0101')), { path: 'list' });
  refused(t, ROWS.json_integer, () => outer.fromJson({ list: [{}, { amount: 'five' }] }), { path: 'list[1].amount' });
  const wrong = [[1, 'a'] as const, [2, {}] as const].map((entry) => [...entry]);
  refused(t, ROWS.json_scalar, () => outer.fromJson({ more: wrong }), { path: 'more[1][1]' });
  refused(t, ROWS.json_kind, () => outer.fromJson([]));
});

t.test('left-over bytes are refused unless allowed', async (t) => {
  refused(t, ROWS.read_left_over, () => decode(S.u8, bytes('0102')));
  t.equal(decode(S.u8, bytes('0102'), 'ignore'), 1);
});

t.test('limits come before allocation', async (t) => {
  // A count of 2^40 with an empty rest must not allocate.
  refused(t, ROWS.read_too_long, () => decode(array(S.u8), bytes('808080808020')));
  refused(t, ROWS.read_past_end, () => decode(array(S.u64), bytes('ff01')));
  refused(t, ROWS.read_too_long, () => decode(S.bytes, bytes('80808005')));
  refused(t, ROWS.read_past_end, () => decode(S.text, bytes('05616263')));
  const zeroSized = array(struct('nothing', {}));
  refused(t, ROWS.read_too_long, () => decode(zeroSized, bytes('ffffffff0f')));
});

t.test('nesting is limited', async (t) => {
  interface Nest {
    inside: Nest[];
  }
  const nest: Type<Nest> = lazy('nest', () => struct('nest', { inside: array(nest) }));
  const deep = (levels: number): Uint8Array => Uint8Array.from([...new Array<number>(levels - 1).fill(1), 0]);
  // A struct costs 4 and its list 1; the last one needs 4 to be entered and 1 for its empty list.
  t.doesNotThrow(() => decode(nest, deep(200)));
  refused(t, ROWS.read_too_deep, () => decode(nest, deep(201)));
});

t.test('a writer that begins anew has its memory, but for that of something huge', async (t) => {
  const writer = new Writer();
  const roomAfter = (bytes: number): number => {
    writer.raw(new Uint8Array(bytes));
    writer.clear();
    t.equal(writer.length, 0);
    return writer.peek().buffer.byteLength;
  };
  t.equal(roomAfter(2_097_152), 2_097_152);
  t.ok(roomAfter(5_000_000) < 2_097_152);
  for (const value of [7, 8]) {
    writer.clear();
    writer.u32(value);
    t.equal(toHex(writer.finish()), `0${value}000000`);
  }
});

t.test('varints', async (t) => {
  const roundTrip = (value: number | bigint): string => {
    const writer = new Writer();
    writer.varint(value);
    return hex(writer.finish());
  };
  t.equal(roundTrip(0), '00');
  t.equal(roundTrip(300), 'ac02');
  t.equal(roundTrip(2 ** 48), '80808080808040');
  t.equal(roundTrip((1n << 64n) - 1n), 'ffffffffffffffffff01');
  for (const count of [0, 1, 127, 128, 16_383, 16_384, 2 ** 31, 2 ** 48]) {
    t.equal(varintBytes(count), roundTrip(count).length / 2, `bytes of ${count}`);
  }
  t.equal(new Reader(bytes('8000')).varint(), 0);
  refused(t, ROWS.read_varint, () => new Reader(bytes('ffffffffffffffffff02')).varint());
  refused(t, ROWS.read_varint, () => new Reader(bytes('8080808080808080808000')).varint());
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }), (value) => {
      const writer = new Writer();
      writer.varint(value);
      return BigInt(new Reader(writer.finish()).varint()) === value;
    }),
  );
});

t.test('sets and maps take any order and write their own; the first of two equals stays', async (t) => {
  const ids = set(S.u16);
  t.same(decode(ids, bytes('030a0009000a00')), [9, 10]);
  t.equal(hex(encode(ids, [10, 9])), '0209000a00', 'an unsorted value is written in order');
  const table = map(S.u8, S.u8);
  t.same(decode(table, bytes('03020105090203')), [
    [2, 1],
    [5, 9],
  ]);
  t.same(table.toJson([[2, 1]]), [[2, 1]]);
  refused(t, ROWS.json_array, () => ids.fromJson(null));
  refused(t, ROWS.json_array, () => ids.fromJson({}));
});

t.test(
  'where it takes work to find what a value is ordered by, each is asked once, and the order is the same',
  async (t) => {
    const compare = (a: number, b: number): number => (a % 64) - (b % 64);
    let asked = 0;
    const rank = (value: number): string => {
      asked++;
      return String(value % 64).padStart(2, '0');
    };
    const [plain, ranked] = [
      { ...S.u8, compare },
      { ...S.u8, compare, rank },
    ];
    const values = Array.from({ length: 200 }, (_, i) => (i * 77) & 0xff);
    const packed = encode(array(S.u8), values);
    const inOrder = decode(set(plain), packed);
    t.same(decode(set(ranked), packed), inOrder);
    t.equal(asked, values.length, 'while a set is read');
    asked = 0;
    t.equal(hex(encode(set(ranked), inOrder)), hex(encode(set(plain), inOrder)));
    t.equal(asked, inOrder.length, 'while it is written');
    const pairs = values.map((value, i): [number, number] => [value, i]);
    const packedPairs = encode(array(pair(S.u8, S.u8)), pairs);
    asked = 0;
    t.same(decode(map(ranked, S.u8), packedPairs), decode(map(plain, S.u8), packedPairs));
    t.equal(asked, pairs.length, 'while a map is read');
  },
);

t.test('optional, variant, extension, pair, fixed array, derived struct', async (t) => {
  t.equal(hex(encode(optional(S.u8), undefined)), '00');
  t.equal(hex(encode(optional(S.u8), 5)), '0105');
  refused(t, ROWS.read_bool, () => decode(optional(S.u8), bytes('0205')));
  const shape = variant('shape', [S.u8, inner]);
  t.same(decode(shape, bytes('0109000000000000000a')), [1, { amount: 9n, tag: 10 }]);
  refused(t, ROWS.variant_tag, () => decode(shape, bytes('02')));
  t.same(shape.fromJson([1]), [0, 0], 'too few elements are the first alternative');
  t.same(shape.fromJson(['1', {}]), [1, { amount: 0n, tag: 7 }]);
  refused(t, ROWS.variant_tag, () => shape.fromJson([-1, 0]));
  for (const tag of [false, null, 0.7, '+0', '0']) t.same(shape.fromJson([tag, 9]), [0, 9], `tag ${tag}`);
  t.same(shape.fromJson([true, {}]), [1, { amount: 0n, tag: 7 }]);
  refused(t, ROWS.json_integer, () => shape.fromJson(['one', 0]), { path: '[0]' });
  for (const tag of [[], {}]) refused(t, ROWS.json_scalar, () => shape.fromJson([tag, 0]), { path: '[0]' });
  const ext = extension('ext', { a: S.u8, b: S.u16 });
  t.equal(hex(encode(ext, { b: 2 })), '01010200');
  t.same(decode(ext, bytes('02000101ff00')), { a: 1, b: 255 });
  refused(t, ROWS.extension_order, () => decode(ext, bytes('0201010000')), { data: { index: 0 } });
  refused(t, ROWS.extension_order, () => decode(ext, bytes('0200010002')), { data: { index: 0 } });
  refused(t, ROWS.extension_order, () => decode(ext, bytes('0102')), { data: { index: 2 } });
  t.same(decode(ext, bytes('8180808010808080801005')), { a: 5 }, 'count and index are cut to 32 bits');
  t.same(decode(ext, bytes('8080808010')), {}, 'so 2^32 members are none');
  refused(t, ROWS.extension_member, () => ext.fromJson({ c: 1 }));
  t.same(ext.fromJson(null), {});
  const two = pair(S.u8, S.text);
  for (const given of [
    [1, 'a'],
    [1, 'a', {}],
  ])
    t.same(two.fromJson(given), [1, 'a']);
  t.same(
    [two.fromJson([1]), two.fromJson([])],
    [
      [1, ''],
      [0, ''],
    ],
    'what is missing has its default',
  );
  const derived = extend('derived', inner, { last: S.bool });
  t.equal(hex(encode(derived, { amount: 1n, tag: 2, last: true })), '01000000000000000201');
  t.equal(packedSize(derived, derived.default()), 10);
});

t.test('a struct leaves absent optionals out and takes null for them', async (t) => {
  t.same(outer.toJson(outer.default()), { list: [], more: [] });
  t.same(outer.fromJson({ note: null, unknown: 1 }), { list: [], note: undefined, more: [] });
});

t.test('integers in JSON', async (t) => {
  t.equal(S.u64.toJson(4294967295n), 4294967295);
  t.equal(S.u64.toJson(4294967296n), '4294967296');
  t.equal(S.i64.toJson(-2147483649n), '-2147483649');
  t.equal(S.u8.fromJson(-1), 255);
  t.equal(S.u8.fromJson('300'), 44);
  t.equal(S.u32.fromJson(1.9), 1);
  t.equal(S.i64.fromJson(9223372036854775808n), -9223372036854775808n);
  t.equal(S.i16.fromJson(40_000), -25_536);
  for (const text of ['9223372036854775808', '18446744073709551615', '-9223372036854775809']) {
    refused(t, ROWS.json_integer, () => S.share.fromJson(text), { data: { type: 'int64_t' } });
    refused(t, ROWS.json_integer, () => S.i16.fromJson(text), { data: { type: 'int64_t' } });
  }
  t.equal(S.u64.fromJson('18446744073709551615'), 18446744073709551615n);
  t.equal(S.u64.fromJson('-18446744073709551615'), 1n);
  refused(t, ROWS.json_integer, () => S.u64.fromJson('-18446744073709551616'), { data: { type: 'uint64_t' } });
  refused(t, ROWS.json_integer, () => S.u64.fromJson(18446744073709551616n));
  refused(t, ROWS.json_integer, () => S.i64.fromJson(-9223372036854775809n));
  refused(t, ROWS.json_integer, () => S.u8.fromJson(' 5'));
  refused(t, ROWS.json_integer, () => S.u8.fromJson(''));
  refused(t, ROWS.json_scalar, () => S.u8.fromJson([]), { data: { type: 'array_type', wanted: 'uint64' } });
  refused(t, ROWS.json_scalar, () => S.i64.fromJson({}), { data: { type: 'object_type', wanted: 'int64' } });
  refused(t, ROWS.json_integer, () => S.u8.fromJson(Number.NaN));
});

t.test('what nobody gives is nothing', async (t) => {
  for (const type of [S.u8, S.u16, S.u32, S.i8, S.i16, S.i32, S.f64, S.time]) t.equal(type.default(), 0, type.name);
  for (const type of [S.u64, S.i64, S.share, S.varint, S.u128]) t.equal(type.default(), 0n, type.name);
  t.same([S.bool.default(), S.text.default(), S.bytes.default()], [false, '', bytes('')]);
  t.same([S.fixedHex('hash', 2).default(), S.fixedBytes('raw', 2).default()], ['0000', bytes('0000')]);
});

t.test('a list of the shortest values that there are is read', async (t) => {
  const scalars = [S.u8, S.u16, S.u32, S.i8, S.i16, S.i32, S.u64, S.i64, S.share, S.varint, S.u128, S.f64, S.bool];
  const sized = [S.time, S.text, S.bytes, S.fixedHex('hash', 2), S.fixedBytes('raw', 2)];
  const lists = [optional(S.u64), array(S.u64), set(S.u64), map(S.u64, S.u64), extension('ext', { a: S.u64 })];
  const joined = [pair(S.u8, S.text), variant('shape', [S.u8, inner]), inner, outer, lazy('later', () => inner)];
  for (const of of [...scalars, ...sized, ...lists, ...joined] as Type<unknown>[]) {
    const list = array(of);
    const values = [of.default(), of.default(), of.default()];
    t.same(decode(list, encode(list, values)), values, of.name);
  }
});

t.test('texts in JSON', async (t) => {
  const hash = S.fixedHex('hash', 2);
  for (const type of [S.text, S.bytes, S.time, hash, S.fixedBytes('raw', 2)] as Type<unknown>[]) {
    for (const [json, kind] of [[[], 'array_type'] as const, [{}, 'object_type'] as const]) {
      refused(t, ROWS.json_scalar, () => type.fromJson(json as never, NETWORK), {
        data: { type: kind, wanted: 'string' },
      });
    }
  }
  refused(t, ROWS.json_scalar, () => S.bool.fromJson([]), { data: { wanted: 'bool' } });
  refused(t, ROWS.json_scalar, () => S.f64.fromJson([]), { data: { type: 'array_type', wanted: 'double' } });
  for (const some of [2, -1, 2n ** 60n, 'true']) t.equal(S.bool.fromJson(some), true, `${some}`);
  for (const none of [0, 0n, 'false', null]) t.equal(S.bool.fromJson(none), false, `${none}`);
  for (const empty of ['', ' ']) refused(t, ROWS.json_integer, () => S.f64.fromJson(empty));
  t.same(
    [true, false, null, '-1.5'].map((json) => S.f64.fromJson(json)),
    [1, 0, 0, -1.5],
  );
  t.same(S.bytes.fromJson('ab '), bytes('ab'), 'an odd last character is dropped, whatever it is');
  t.equal(hash.fromJson('ab '), 'ab00');
  t.equal(hash.fromJson('abcdef'), 'abcd', 'what is too long is cut');
  t.same(S.fixedBytes('raw', 2).fromJson('abcdef'), bytes('abcd'));
  t.throws(() => S.bytes.fromJson('a b '), ChainError);
});

t.test('a hex text is taken for the last one only where all of it is the same', async (t) => {
  const reader = new Reader(bytes('aabbccdd aabbccdd aabb ccdd aabb'.replaceAll(' ', '')), LASTING_RULES);
  const read = [4, 4, 2, 2, 2].map((length) => reader.hex(length));
  t.same(read, ['aabbccdd', 'aabbccdd', 'aabb', 'ccdd', 'aabb']);
});

t.test('strings keep their bytes, valid UTF-8 or not', async (t) => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (raw) => {
      const text = decodeText(raw, 0, raw.length);
      return Buffer.compare(encodeText(text), raw) === 0;
    }),
    { numRuns: 2000 },
  );
  t.equal(hex(encode(S.text, decode(S.text, bytes('02ff00')))), '02ff00');
  t.equal(decodeText(bytes('efbbbf61'), 0, 4), '\ufeffa', 'a byte order mark is text');
});

t.test('of a text that is not UTF-8 the bytes that are none are escaped, and no others', async (t) => {
  const afterEscaped = (given: string): string => {
    const raw = bytes(`ff${given}`);
    const [escaped, ...rest] = decodeText(raw, 0, raw.length);
    t.equal(escaped, '\udcff');
    return rest.join('');
  };
  const letters = ['\u0080', '\u07ff', '\u0800', '\ud7ff', '\ue000', '\uffff', '\u{10000}', '\u{3ffff}', '\u{10ffff}'];
  for (const letter of ['A', '\u007f', ...letters]) {
    for (const around of ['', 'z', letter]) {
      const given = `${around}${letter}${around}`;
      t.equal(afterEscaped(Buffer.from(given).toString('hex')), given);
    }
  }
  const none = ['80', 'bf', 'c0af', 'c1bf', 'c3', 'c341', 'e09fbf', 'eda080', 'e282', 'e28241', 'f08fbfbf', 'f4908080'];
  for (const given of [...none, 'f5808080', 'f09f98', 'f09f9841', 'fe']) {
    const escaped = [...bytes(given)].map((byte) => String.fromCharCode(byte < 0x80 ? byte : 0xdc00 + byte));
    t.equal(afterEscaped(given), escaped.join(''), given);
  }
});

t.test('a text from JSON is the one that its bytes give back', async (t) => {
  for (const [given, kept] of [
    ['A\ud800', 'A\ufffd'],
    ['A\ud801', 'A\ufffd'],
    ['\udc00', '\ufffd'],
    ['\udcc3\udca9', 'é'],
    ['\udc80', '\udc80'],
    ['\ud83d\ude00', '\ud83d\ude00'],
    ['é', 'é'],
  ] as const) {
    t.equal(S.text.fromJson(given), kept);
  }
  const units = fc.constantFrom(
    0x41,
    0xe9,
    0xd7ff,
    0xd800,
    0xdbff,
    0xdc00,
    0xdc7f,
    0xdc80,
    0xdcc3,
    0xdca9,
    0xdcff,
    0xdd00,
  );
  fc.assert(
    fc.property(fc.array(units), (codes) => {
      const given = String.fromCharCode(...codes);
      const text = S.text.fromJson(given);
      return text === decode(S.text, encode(S.text, text)) && hex(encodeText(text)) === hex(encodeText(given));
    }),
    { numRuns: 5000 },
  );
});

t.test('time', async (t) => {
  const { href } = new URL('../../../src/codec/time.js', import.meta.url);
  const first = `import { timeFromText } from '${href}'; try { timeFromText(''); } catch (error) { console.log(error.key); }`;
  const said = execFileSync(process.execPath, ['--input-type=module', '--eval', first], { encoding: 'utf8' });
  t.equal(said, 'time_text\n', 'also before the process has read any other');
  t.equal(timeToText(0), '1970-01-01T00:00:00');
  t.equal(timeFromText('20200101T000000'), 1577836800);
  t.equal(timeFromText('1969-12-31T23:59:59'), 0xffff_ffff, 'what is before the beginning wraps');
  t.equal(timeFromText('1400-01-01T00:00:00'), 3_487_393_280);
  t.equal(TIME_ERRORS.time_text.code, 13);
  for (const wrong of [
    '2020-01-01',
    '2020-13-01T00:00:00',
    '2021-02-29T00:00:00',
    '2020-01-01T24:00:00',
    '2020-01-01T00:00:60',
    '1399-12-31T23:59:59',
    '2020-01-01T00:00:00Z',
    '',
    // Forms that the reference reads and no client writes.
    '2020-Dec-16T00:00:00',
    '2020-12-16T15:61:27',
    '2020-12-16T00:04',
    '2017-1-1T1:2:3',
  ]) {
    refused(t, ROWS.time_text, () => timeFromText(wrong));
  }
  const days = Array.from({ length: 2 ** 32 / 86_400 }, (_, day) => 86_400 * day);
  const wrongDays = days.filter((at) => timeToText(at) !== new Date(1000 * at).toISOString().slice(0, 19));
  t.same(wrongDays, [], 'of every day that there is');
  fc.assert(fc.property(fc.nat(0xffffffff), (seconds) => timeFromText(timeToText(seconds)) === seconds));
  fc.assert(
    fc.property(
      fc.nat(0xffffffff),
      (seconds) => timeToText(seconds) === new Date(seconds * 1000).toISOString().slice(0, 19),
    ),
  );
});

t.test('random bytes give a value or a coded error', async (t) => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), (raw) => {
      try {
        encode(outer, decode(outer, raw));
      } catch (error) {
        if (!(error instanceof ChainError)) throw error;
      }
    }),
    { numRuns: 2000 },
  );
  t.pass('nothing but coded errors');
});
