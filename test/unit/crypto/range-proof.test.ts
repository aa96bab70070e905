import fc from 'fast-check';
import t from 'tap';
import { concatBytes, fromHex, toHex } from '../../../src/base/bytes.js';
import { I64_MAX, U64_MAX } from '../../../src/base/int.js';
import { BLIND_ERRORS, blind } from '../../../src/crypto/blind.js';
import { ORDER, writeScalar } from '../../../src/crypto/curve.js';
import { sha256 } from '../../../src/crypto/hash.js';
import { rewindRange, verifyRange } from '../../../src/crypto/range-proof.js';
import { RANGE_SIGN_ERRORS, type RangeRequest, signRange } from '../../../src/crypto/range-sign.js';
import { signatureBackend } from '../../../src/crypto/signature.js';
import { rangeVectors } from '../../support/range-vectors.js';
import { refused } from '../../support/refused.js';

const native = signatureBackend('native').curve;
const system = signatureBackend('system').curve;
const noble = signatureBackend('noble').curve;

const seeded = (seed: string): Uint8Array => sha256(new TextEncoder().encode(seed));
const FACTOR = seeded('factor');
const NONCE = seeded('nonce');

function request(more: Partial<RangeRequest>): RangeRequest {
  const plain = { nonce: NONCE, factor: FACTOR, value: 5n, minValue: 0n, exponent: 0, minBits: 0, ...more };
  return { commitment: blind(plain.factor, plain.value), ...plain };
}

// Three bits: two rings, of four and of two.
const small = request({ minBits: 3 });
const smallProof = signRange(native, small);
const SMALL_RESPONSES_AT = 2 + 1 + 32 + 32;

for (const curve of [system, native, noble]) {
  t.test(`${curve.name}: proofs of the vectors`, async (t) => {
    for (const vector of rangeVectors) {
      // The longest one takes noble most of a second, and shows nothing that the others do not.
      if (curve === noble && vector.min_bits === 64) continue;
      const { commitment, name } = vector;
      const nonce = fromHex(vector.nonce);
      const factor = fromHex(vector.blind);
      const value = BigInt(vector.value);
      const proof = fromHex(vector.proof_hex);
      const made = signRange(curve, {
        nonce,
        commitment,
        factor,
        value,
        minValue: BigInt(vector.min_value),
        exponent: vector.base10_exp,
        minBits: vector.min_bits,
      });
      t.equal(toHex(made), vector.proof_hex, `${name}: the same bytes`);
      const range = verifyRange(curve, commitment, proof);
      t.ok(range !== undefined && range.minValue <= value && value <= range.maxValue, `${name}: proves its range`);
      const rewound = rewindRange(curve, nonce, commitment, proof);
      t.equal(rewound?.value, value, `${name}: value`);
      t.equal(toHex(rewound?.factor ?? new Uint8Array(0)), vector.blind, `${name}: blinding factor`);
      t.ok(
        rewound?.message.every((byte) => byte === 0),
        `${name}: no message`,
      );
    }
  });
}

t.test('which range a request gets', async (t) => {
  const cases: [string, Partial<RangeRequest>, readonly [number, number, bigint, bigint]][] = [
    ['value shown', { exponent: -1, value: 258n }, [-1, 0, 258n, 258n]],
    ['zero shown', { exponent: -1, value: 0n }, [-1, 0, 0n, 0n]],
    ['as many bits as it takes', { value: 5n }, [0, 3, 0n, 7n]],
    ['zero takes one', { value: 0n }, [0, 1, 0n, 1n]],
    ['more bits', { value: 5n, minBits: 6 }, [0, 6, 0n, 63n]],
    ['fewer bits than it takes', { value: 5n, minBits: 1 }, [0, 3, 0n, 7n]],
    ['above a least value', { value: 105n, minValue: 100n }, [0, 3, 100n, 107n]],
    ['last digits shown', { value: 12_345n, exponent: 2 }, [2, 7, 45n, 45n + 12_700n]],
    ['last digits over a least value', { value: 12_345n, minValue: 40n, exponent: 2 }, [2, 7, 45n, 45n + 12_700n]],
    [
      'exponent lowered to fit the bits',
      { value: 5n, minBits: 50, exponent: 18 },
      [4, 50, 5n, 5n + (2n ** 50n - 1n) * 10_000n],
    ],
    ['no exponent over 61 bits', { value: 12_345n, minBits: 62, exponent: 1 }, [0, 62, 0n, 2n ** 62n - 1n]],
    ['no exponent for high values', { value: 1n << 63n, exponent: 1 }, [0, 64, 0n, U64_MAX]],
    [
      'bits lowered to fit the least value',
      { value: 1001n, minValue: 1000n, minBits: 64 },
      [0, 54, 1000n, 999n + 2n ** 54n],
    ],
    ['highest value over a least one', { value: I64_MAX, minValue: 1n }, [0, 63, 1n, 1n << 63n]],
    ['highest least value below another', { value: I64_MAX, minValue: I64_MAX - 1n }, [0, 1, I64_MAX - 1n, I64_MAX]],
    ['highest value', { value: U64_MAX }, [0, 64, 0n, U64_MAX]],
    ['highest least value', { value: U64_MAX, minValue: U64_MAX }, [-1, 0, U64_MAX, U64_MAX]],
    ['highest exponent', { value: 3n * 10n ** 18n, exponent: 18 }, [18, 2, 0n, 3n * 10n ** 18n]],
  ];
  for (const [what, more, [exponent, mantissa, minValue, maxValue]] of cases) {
    const asked = request(more);
    const proof = signRange(native, asked);
    t.same(verifyRange(native, asked.commitment, proof), { exponent, mantissa, minValue, maxValue }, what);
    t.equal(rewindRange(native, NONCE, asked.commitment, proof)?.value, asked.value, `${what}: rewound`);
  }
});

t.test('the longest proof has 5134 bytes less its missing least value', async (t) => {
  t.equal(signRange(native, request({ minBits: 64 })).length, 5126);
  t.equal(signRange(native, request({ value: 0n, exponent: -1 })).length, 65, 'the shortest one');
});

t.test('what cannot be signed is refused', async (t) => {
  const rows = RANGE_SIGN_ERRORS;
  const cases: [string, Partial<RangeRequest>, (typeof rows)[keyof typeof rows]][] = [
    ['value below the least', { value: 4n, minValue: 5n }, rows.range_value_below_min],
    ['exponent', { exponent: 19 }, rows.range_exponent_invalid],
    ['negative exponent', { exponent: -2 }, rows.range_exponent_invalid],
    ['bits', { minBits: 65 }, rows.range_bits_invalid],
    ['negative bits', { minBits: -1 }, rows.range_bits_invalid],
    ['high value over a least one', { value: 1n << 63n, minValue: 1n }, rows.range_value_too_high],
    ['high least value', { value: I64_MAX, minValue: I64_MAX }, rows.range_value_too_high],
    ['higher least value', { value: U64_MAX, minValue: I64_MAX }, rows.range_value_too_high],
    ['another value', { commitment: blind(FACTOR, 6n) }, rows.range_commitment_differs],
    ['another factor', { commitment: blind(NONCE, 5n) }, rows.range_commitment_differs],
    ['no point', { commitment: '00'.repeat(33) }, rows.range_commitment_differs],
    [
      'nothing at all',
      { factor: new Uint8Array(32), value: 0n, commitment: '00'.repeat(33) },
      rows.range_commitment_differs,
    ],
    ['bare value without a factor', { factor: new Uint8Array(32), exponent: -1 }, rows.range_factor_needed],
  ];
  for (const [what, more, row] of cases) {
    refused(t, row, () => signRange(native, { ...small, commitment: '', ...completed(more) }), what);
  }
  refused(t, BLIND_ERRORS.blinding_factor_invalid, () => signRange(native, { ...small, factor: writeScalar(ORDER) }));
  const open = request({ factor: new Uint8Array(32), minBits: 3 });
  t.ok(verifyRange(native, open.commitment, signRange(native, open)), 'several digits need no factor of the value');
});

/** With the commitment that belongs to it, unless the case is about another one. */
function completed(more: Partial<RangeRequest>): Partial<RangeRequest> {
  return 'commitment' in more ? more : request(more);
}

t.test('no byte of a proof can be changed', async (t) => {
  t.ok(verifyRange(native, small.commitment, smallProof));
  for (let at = 0; at < smallProof.length; at++) {
    const changed = Uint8Array.from(smallProof);
    changed[at] = (changed[at] as number) ^ (1 << (at % 8));
    t.equal(verifyRange(native, small.commitment, changed), undefined, `byte ${at}`);
    t.equal(rewindRange(native, NONCE, small.commitment, changed), undefined, `byte ${at}: not rewound`);
  }
  for (let bit = 0; bit < 24; bit++) {
    const changed = Uint8Array.from(smallProof);
    changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7));
    t.equal(verifyRange(native, small.commitment, changed), undefined, `bit ${bit} of header and signs`);
  }
});

t.test('what proves nothing', async (t) => {
  const at = SMALL_RESPONSES_AT;
  const replaced = (from: number, bytes: Uint8Array): Uint8Array => {
    const out = Uint8Array.from(smallProof);
    out.set(bytes, from);
    return out;
  };
  const cases: [string, string, Uint8Array][] = [
    ['other value', blind(FACTOR, 6n), smallProof],
    ['no commitment', '', smallProof],
    ['no point', `02${'00'.repeat(32)}`, smallProof],
    ['nothing', small.commitment, new Uint8Array(0)],
    ['cut', small.commitment, smallProof.subarray(0, -1)],
    ['a byte more', small.commitment, concatBytes(smallProof, Uint8Array.of(0))],
    ['zeros', small.commitment, new Uint8Array(smallProof.length)],
    ['ones', small.commitment, new Uint8Array(smallProof.length).fill(0xff)],
    ['response of zero', small.commitment, replaced(at, new Uint8Array(32))],
    ['response of the order', small.commitment, replaced(at, writeScalar(ORDER))],
    ['digit that is no point', small.commitment, replaced(3, new Uint8Array(32))],
    ['digit over the field', small.commitment, replaced(3, new Uint8Array(32).fill(0xff))],
    ['spare sign bit', small.commitment, replaced(2, Uint8Array.of((smallProof[2] as number) | 0x80))],
  ];
  for (const [what, commitment, proof] of cases) {
    t.equal(verifyRange(native, commitment, proof), undefined, what);
    t.equal(rewindRange(native, NONCE, commitment, proof), undefined, `${what}: not rewound`);
  }
  // Last ring at infinity: the digits already add up to the whole commitment.
  const itself = replaced(
    2,
    concatBytes(Uint8Array.of(small.commitment.startsWith('03') ? 1 : 0), fromHex(small.commitment.slice(2))),
  );
  t.equal(verifyRange(native, small.commitment, itself), undefined, 'nothing is left for the last digit');
});

t.test('only the nonce rewinds', async (t) => {
  const { commitment } = small;
  t.equal(rewindRange(native, NONCE, commitment, smallProof)?.value, 5n);
  const other = Uint8Array.from(NONCE);
  other[31] = (other[31] as number) ^ 1;
  t.equal(rewindRange(native, other, commitment, smallProof), undefined);
  const shown = request({ exponent: -1 });
  t.equal(
    rewindRange(native, other, shown.commitment, signRange(native, shown)),
    undefined,
    'nor the factor of a shown value',
  );
});

t.test('property: what is signed is verified and rewound, alike by both libraries', async () => {
  const value = fc.oneof(fc.bigInt({ min: 0n, max: U64_MAX }), fc.bigInt({ min: 0n, max: 1_000_000n }));
  const bytes = fc.uint8Array({ minLength: 1, maxLength: 8 }).map((seed) => sha256(seed));
  const shape = fc.record({ exponent: fc.integer({ min: -1, max: 18 }), minBits: fc.integer({ min: 0, max: 64 }) });
  fc.assert(
    fc.property(
      value,
      fc.bigInt({ min: 0n, max: 1000n }),
      bytes,
      bytes,
      shape,
      (amount, below, factor, nonce, more) => {
        const isLow = amount < 1n << 62n;
        const minValue = isLow && amount > below ? amount - below : 0n;
        const asked = request({ value: amount, minValue, factor, nonce, ...more });
        const proof = signRange(native, asked);
        const range = verifyRange(native, asked.commitment, proof);
        const rewound = rewindRange(native, nonce, asked.commitment, proof);
        const isRight =
          range !== undefined &&
          range.minValue >= minValue &&
          range.minValue <= amount &&
          amount <= range.maxValue &&
          rewound?.value === amount &&
          toHex(rewound.factor) === toHex(factor);
        // Noble is slow: it looks at the short ones.
        return isRight && (proof.length > 1000 || toHex(signRange(noble, asked)) === toHex(proof));
      },
    ),
    { numRuns: 25 },
  );
});

t.test('property: any bytes get an answer', async () => {
  const body = fc.uint8Array({ minLength: 0, maxLength: 700 });
  fc.assert(
    fc.property(
      fc.constantFrom(0x00, 0x20, 0x40, 0x41, 0x60, 0x80),
      fc.integer({ min: 0, max: 70 }),
      body,
      (flags, mantissa, rest) => {
        const garbage = concatBytes(Uint8Array.of(flags, mantissa), rest);
        return (
          verifyRange(native, small.commitment, garbage) === undefined &&
          rewindRange(native, NONCE, small.commitment, garbage) === undefined
        );
      },
    ),
    { numRuns: 200 },
  );
});
