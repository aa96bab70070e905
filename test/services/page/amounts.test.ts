import t from 'tap';
import { amountText, billText, decimalText, readUnits } from '../../../src/page/amounts.js';

/** Amounts as the page of a market shows them, and as people type them. */

const GXC = { symbol: 'GXC', precision: 5 };

t.test('what is typed is that many smallest units, or nothing', async (t) => {
  for (const [text, units] of [
    ['1', 100_000n],
    ['0.25', 25_000n],
    [' 1. ', 100_000n],
    ['0.00001', 1n],
    ['123456789012.12345', 12_345_678_901_212_345n],
  ] as const) {
    t.equal(readUnits(text, GXC), units, text);
  }
  t.equal(readUnits('7', { symbol: 'ONE', precision: 0 }), 7n);
  t.throws(() => readUnits('1.123456', GXC), { message: 'GXC has at most 5 digits behind the point' });
  t.throws(() => readUnits('7.5', { symbol: 'ONE', precision: 0 }), { message: /at most 0 digits/ });
  for (const text of ['', '.5', '-1', '1,5', '1e3', '1.2.3', '0x10', '1234567890123']) {
    t.throws(() => readUnits(text, GXC), { message: /written in digits/ }, text);
  }
});

t.test('what is shown', async (t) => {
  for (const [units, text] of [
    [0n, '0'],
    [1n, '0.00001'],
    [25_000n, '0.25'],
    [100_000n, '1'],
    [12_345_678_901_212_345n, '123456789012.12345'],
  ] as const) {
    t.equal(decimalText(units, 5), text);
  }
  t.equal(decimalText(70n, 0), '70');
  t.equal(amountText(25_000n, GXC), '0.25 GXC');
  t.equal(billText(0.1 + 0.2, GXC), '0.3 GXC');
});
