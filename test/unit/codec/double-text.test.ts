import fc from 'fast-check';
import t from 'tap';
import { doubleToText } from '../../../src/codec/double-text.js';

t.test('doubles have 17 decimals', async (t) => {
  const cases: readonly (readonly [number, string])[] = [
    [0, '0.00000000000000000'],
    [-0, '-0.00000000000000000'],
    [1.5, '1.50000000000000000'],
    [0.1, '0.10000000000000001'],
    [-123.456, '-123.45600000000000307'],
    // In the middle between two: to the even one, as printf has it.
    [2 ** -18, '0.00000381469726562'],
    [3 * 2 ** -18, '0.00001144409179688'],
    [-(2 ** -18), '-0.00000381469726562'],
    [2 ** -58, '0.00000000000000000'],
    [5e-324, '0.00000000000000000'],
    [9e-18, '0.00000000000000001'],
    [1e21, '1000000000000000000000.00000000000000000'],
    [1e23, '99999999999999991611392.00000000000000000'],
    [Number.POSITIVE_INFINITY, 'inf'],
    [Number.NEGATIVE_INFINITY, '-inf'],
    [Number.NaN, 'nan'],
  ];
  for (const [value, text] of cases) t.equal(doubleToText(value), text);
});

t.test('but in the middle and at zero it is what JavaScript writes', async () => {
  const isMiddle = (value: number): boolean => !Number.isInteger(value * 2 ** 17) && Number.isInteger(value * 2 ** 18);
  fc.assert(
    fc.property(fc.double({ noNaN: true, min: -1e20, max: 1e20 }), (value) => {
      if (value === 0 || isMiddle(value)) return true;
      return doubleToText(value) === value.toFixed(17);
    }),
  );
});
