import t from 'tap';
import { amountsFor } from '../../src/services/storage/store.js';

/** What public clients pay for so many bytes, and that nobody pays more than the price. */

t.test('both ways of counting kilobytes are within the limits', async (t) => {
  const fee = { asset: 1, units: 20n };
  for (const [bytes, min, max] of [
    [0, 20n, 20n],
    [14, 20n, 20n],
    [1024, 20n, 20n],
    [1025, 21n, 40n],
    [1280, 25n, 40n],
    [1500, 30n, 40n],
    [2048, 40n, 40n],
    [10_485_760, 204_800n, 204_800n],
  ] as const) {
    t.same(amountsFor(bytes, fee), { min, max }, `${bytes} bytes`);
  }
  t.same(amountsFor(5000, { asset: 1, units: 0n }), { min: 0n, max: 0n }, 'for nothing');
});
