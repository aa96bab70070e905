import fc from 'fast-check';
import t from 'tap';
import { concatBytes, fromHex, toHex } from '../../../src/base/bytes.js';
import { BLIND_ERRORS, blind, blindSum, verifySum } from '../../../src/crypto/blind.js';
import { sha256 } from '../../../src/crypto/hash.js';
import { RANGE_HEADER_ERRORS, rangeInfo } from '../../../src/crypto/range-header.js';
import { refused } from '../../support/refused.js';

// From the recorded chain: a balance is blinded, moved on with a fee of 1000000, and taken out with a fee of 500000.
const FACTOR = fromHex('006c82065f995b1ca5e1ed142f951d354faa475ddd5943f8a6ba770da8c9ea3f');
const PUT_IN = '03c9b1dc9391cfb21a47e01d31396e4e3431087db6993c210857712ffea5373430';
const MOVED = '038b23b4da1ae7a37d90024fcd487e0b77cecc18f04273ec1b8569efe7f22c6908';
const OTHER_FACTOR = fromHex('00f383df11c5355e241324e90503a8584fc2533e4552cf4149eee42db8a57d7f');
const OTHER = '03e729f14ae47deb33b43ee0b38c9424ba62d40c72d0aac94f27a76cab92693d7f';
const ORDER_BYTES = fromHex('fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141');

t.test('commitments of the recorded chain', async (t) => {
  t.equal(blind(FACTOR, 5_000_000n), PUT_IN);
  t.equal(blind(FACTOR, 4_000_000n), MOVED);
  t.equal(blind(OTHER_FACTOR, 777_777n), OTHER);
  t.ok(verifySum([blind(FACTOR, 5_000_000n)], [PUT_IN], 0n), 'put in');
  t.ok(verifySum([PUT_IN], [MOVED], 1_000_000n), 'moved with a fee');
  t.ok(verifySum([MOVED], [blind(FACTOR, 3_500_000n + 500_000n)], 0n), 'taken out');
  t.notOk(verifySum([PUT_IN], [MOVED], 999_999n), 'one unit off');
  t.notOk(verifySum([PUT_IN], [OTHER], 0n));
  t.ok(verifySum([MOVED], [PUT_IN], -1_000_000n), 'an excess may be negative');
  t.ok(verifySum([], [], 0n), 'nothing is nothing');
});

t.test('sums of several', async (t) => {
  const factors = ['a', 'b', 'c'].map((seed) => sha256(new TextEncoder().encode(seed)));
  const [a, b, c] = factors as [Uint8Array, Uint8Array, Uint8Array];
  const last = blindSum([a, b, c], 2);
  t.ok(verifySum([blind(a, 10n), blind(b, 20n)], [blind(c, 5n), blind(last, 22n)], 3n));
  t.notOk(verifySum([blind(a, 10n), blind(b, 20n)], [blind(c, 5n), blind(last, 23n)], 3n));
  t.equal(toHex(blindSum([], 0)), '00'.repeat(32));
  t.equal(toHex(blindSum([a, a], 1)), '00'.repeat(32));
});

t.test('what is no commitment', async (t) => {
  const zero = new Uint8Array(32);
  refused(t, BLIND_ERRORS.commitment_is_nothing, () => blind(zero, 0n));
  t.match(blind(zero, 1n), /^02/, 'a value may stand open');
  t.match(blind(FACTOR, 0n), /^0[23]/, 'and nothing be hidden');
  t.match(blind(FACTOR, (1n << 64n) - 1n), /^0[23]/);
  refused(t, BLIND_ERRORS.blinded_value_invalid, () => blind(FACTOR, -1n));
  refused(t, BLIND_ERRORS.blinded_value_invalid, () => blind(FACTOR, 1n << 64n));
  refused(t, BLIND_ERRORS.blinding_factor_invalid, () => blind(ORDER_BYTES, 1n), 'the order');
  refused(t, BLIND_ERRORS.blinding_factor_invalid, () => blind(new Uint8Array(31), 1n), 'too short');
  refused(t, BLIND_ERRORS.blinding_factor_invalid, () => blindSum([ORDER_BYTES], 1));
  for (const bad of ['', '00'.repeat(33), `02${'ff'.repeat(32)}`, `04${PUT_IN.slice(2)}`]) {
    t.notOk(verifySum([bad], [], 0n), `positive ${bad}`);
    t.notOk(verifySum([], [bad], 0n), `negative ${bad}`);
  }
});

t.test('headers of range proofs', async (t) => {
  const proof = (...head: number[]) => concatBytes(Uint8Array.from(head), new Uint8Array(70));
  t.same(rangeInfo(proof(0x00)), { exponent: -1, mantissa: 0, minValue: 0n, maxValue: 0n }, 'an open zero');
  t.same(
    rangeInfo(proof(0x20, 0, 0, 0, 0, 0, 0, 1, 2)),
    { exponent: -1, mantissa: 0, minValue: 258n, maxValue: 258n },
    'an open value',
  );
  t.same(rangeInfo(proof(0x40, 31)), { exponent: 0, mantissa: 32, minValue: 0n, maxValue: 0xffffffffn });
  t.same(rangeInfo(proof(0x42, 0)), { exponent: 2, mantissa: 1, minValue: 0n, maxValue: 100n });
  t.same(
    rangeInfo(proof(0x61, 7, 0, 0, 0, 0, 0, 0, 0, 9)),
    { exponent: 1, mantissa: 8, minValue: 9n, maxValue: 2559n },
    'with a least value',
  );
  t.equal(rangeInfo(proof(0x40, 63)).maxValue, (1n << 64n) - 1n, 'the whole range');
  const inside = proof(9, 0x40, 31).subarray(1);
  t.equal(rangeInfo(inside).maxValue, 0xffffffffn, 'a view into other bytes');
  const bad: [string, Uint8Array][] = [
    ['nothing', new Uint8Array(0)],
    ['64 bytes', new Uint8Array(64)],
    ['reserved bit', proof(0x80)],
    ['exponent 19', proof(0x53, 0)],
    ['mantissa 65', proof(0x40, 64)],
    ['scaled over the range', proof(0x41, 63)],
    ['least value over the range', proof(0x60, 63, 0, 0, 0, 0, 0, 0, 0, 1)],
  ];
  for (const [what, bytes] of bad) refused(t, RANGE_HEADER_ERRORS.range_proof_invalid, () => rangeInfo(bytes), what);
});

t.test('property: balanced sums verify', async () => {
  const factor = fc.uint8Array({ minLength: 1, maxLength: 32 }).map((bytes) => sha256(bytes));
  const value = fc.bigInt({ min: 0n, max: 1n << 60n });
  fc.assert(
    fc.property(factor, factor, value, value, (a, b, x, y) => {
      // Equal factors and no value are the one sum that has no commitment.
      fc.pre(toHex(a) !== toHex(b));
      const rest = blindSum([a, b], 1);
      return verifySum([blind(a, x + y)], [blind(b, x), blind(rest, y)], 0n);
    }),
    { numRuns: 10 },
  );
});
