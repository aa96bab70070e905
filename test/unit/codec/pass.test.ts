import t from 'tap';
import { fromHex } from '../../../src/base/bytes.js';
import { array, lazy, optional, pair, set, variant } from '../../../src/codec/containers.js';
import { Reader } from '../../../src/codec/reader.js';
import { bool, bytes, f64, fixedHex, text, u16, u32, u64, varint } from '../../../src/codec/scalars.js';
import { extension, struct } from '../../../src/codec/struct.js';
import type { AnyType } from '../../../src/codec/type.js';

/** Values that nobody looks into are moved over; whatever is not written as this node writes it has to be read. */

const tree: AnyType = lazy('tree', () => array(tree));
const either = variant('either', [u16, f64, struct('nothing', {})]);
const list = 'ab'.repeat(3);

const CASES: readonly (readonly [type: AnyType, hex: string, isPassed: boolean, why?: string])[] = [
  [u32, '01020304', true],
  [u32, '010203', false, 'ends too early'],
  [u64, '0102030405060708', true],
  [varint, '7f', true],
  [varint, 'ffffff7f', true],
  [varint, '8000', false, 'a shorter form is written'],
  [varint, 'ffffff00', false, 'a shorter form is written'],
  [varint, '80', false, 'ends too early'],
  [varint, 'ffffffff01', false, 'large'],
  [bool, '00', true],
  [bool, '01', true],
  [bool, '02', false, 'no boolean'],
  [f64, '0000000000000000', false, 'not every number is written as it stands'],
  [text, '03616263', true],
  [text, '04616263', false, 'ends too early'],
  [bytes, '8180010000', false, 'ends too early'],
  [bytes, '8100ff', false, 'a shorter form is written'],
  [fixedHex('hash', 3), list, true],
  [fixedHex('hash', 4), list, false, 'ends too early'],
  [array(u16), '00', true],
  [array(u16), '0201000200', true],
  [array(u16), '03010002', false, 'ends too early'],
  [array(u16), `e807${'0000'.repeat(1000)}`, true],
  [array(u16), `e907${'0000'.repeat(1001)}`, false, 'many'],
  [array(f64), '00', true],
  [array(f64), '010000000000000000', false, 'has to be read itself'],
  [set(u16), '010100', true],
  [set(u16), '0201000200', false, 'may not be in order'],
  [pair(u16, bool), '010001', true],
  [pair(u16, bool), '010002', false, 'no boolean'],
  [pair(u16, f64), '01000000000000000000', false, 'has to be read itself'],
  [optional(u16), '00', true],
  [optional(u16), '010500', true],
  [optional(u16), '020500', false, 'no flag'],
  [optional(f64), '010000000000000000', false, 'has to be read itself'],
  [either, '000500', true],
  [either, '02', true],
  [either, '03', false, 'no alternative'],
  [either, '010000000000000000', false, 'has to be read itself'],
  [struct('two', { a: u16, b: bool }), '010001', true],
  [struct('two', { a: u16, b: bool }), '010002', false, 'no boolean'],
  [struct('two', { a: u16, b: f64 }), '01000000000000000000', false, 'has to be read itself'],
  [extension('more', { a: u16 }), '00', true],
  [extension('more', { a: u16 }), '01000100', false, 'has members'],
  [tree, '00', true],
  [tree, '0100', false, 'is inside of itself'],
];

t.test('what is passed', async (t) => {
  for (const [type, hex, isPassed, why] of CASES) {
    const reader = new Reader(fromHex(hex));
    const name = `${type.name} ${hex.slice(0, 20)}${why === undefined ? '' : `: ${why}`}`;
    t.equal(type.pass?.(reader) ?? false, isPassed, name);
    if (isPassed) t.equal(reader.remaining, 0, `${name}, to its end`);
  }
  t.ok(tree.pass?.(new Reader(fromHex('00'))), 'afterwards, too');
});
