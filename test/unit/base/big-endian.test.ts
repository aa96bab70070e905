import t from 'tap';
import { getBigEndian, putBigEndian } from '../../../src/base/big-endian.js';

t.test('integers of up to six bytes come back, and compare as their bytes do', async (t) => {
  const bytes = new Uint8Array(8).fill(7);
  putBigEndian(bytes, 1, 6, 0x0102_0304_0506);
  t.same([...bytes], [7, 1, 2, 3, 4, 5, 6, 7]);
  t.equal(getBigEndian(bytes, 1, 6), 0x0102_0304_0506);
  for (const [size, value] of [
    [1, 255],
    [4, 0xffff_ffff],
    [6, 2 ** 48 - 1],
    [6, 0],
  ] as const) {
    putBigEndian(bytes, 2, size, value);
    t.equal(getBigEndian(bytes, 2, size), value, `${value}`);
  }
});
