import t from 'tap';
import { concatBytes, fromHex, toHex } from '../../../src/base/bytes.js';
import { type RingSecret, signRings, verifyRings } from '../../../src/crypto/borromean.js';
import { G, H, modOrder, type Point, readNumber, readPoint, times, writePoint } from '../../../src/crypto/curve.js';
import { sha256 } from '../../../src/crypto/hash.js';
import { rangeScale, readRangeHeader } from '../../../src/crypto/range-header.js';
import { digitsOf, drawRings, ringMembers, ringSizes, xorBytes } from '../../../src/crypto/range-rings.js';
import { sealedBlock, sealedIndex } from '../../../src/crypto/sealed-value.js';
import { signatureBackend } from '../../../src/crypto/signature.js';
import { readVectors } from '../../support/vectors.js';

/**
 * Proofs of an independent implementation, a later release of the library whose first format the chain has. It codes
 * points in another way and hashes one of them more; here is that difference, so that everything else is compared.
 */

interface Vector {
  readonly name: string;
  readonly value: string;
  readonly blind: string;
  readonly nonce: string;
  readonly commitment: string;
  readonly proof_hex: string;
}

const { later_format: vectors } = readVectors<{ later_format: Vector[] }>('range-proofs.json');
const { curve } = signatureBackend('native');
const FIELD = 2n ** 256n - 2n ** 32n - 977n;

function isSquare(y: bigint): boolean {
  let power = 1n;
  let base = y;
  for (let bits = (FIELD - 1n) / 2n; bits > 0n; bits >>= 1n) {
    if (bits & 1n) power = (power * base) % FIELD;
    base = (base * base) % FIELD;
  }
  return power === 1n;
}

function laterForm(point: Point): Uint8Array {
  return concatBytes(Uint8Array.of(isSquare(point.toAffine().y) ? 0 : 1), writePoint(point).subarray(1));
}

function readLater(sign: number, x: Uint8Array): Point {
  const point = readPoint(concatBytes(Uint8Array.of(2), x)) as Point;
  return laterForm(point)[0] === sign ? point : point.negate();
}

t.test('proofs of the later format', async (t) => {
  t.equal(vectors.length, 7);
  for (const vector of vectors) {
    const { name } = vector;
    const proof = fromHex(vector.proof_hex);
    const { info, length } = readRangeHeader(proof) as NonNullable<ReturnType<typeof readRangeHeader>>;
    const scale = rangeScale(info.exponent);
    const sizes = ringSizes(info.mantissa);
    const last = sizes.length - 1;
    const whole = readPoint(fromHex(vector.commitment)) as Point;
    const header = proof.subarray(0, length);
    const body = proof.subarray(length + ((last + 7) >> 3));
    const words = Array.from({ length: body.length / 32 }, (_, i) => body.subarray(32 * i, 32 * i + 32));
    const coded = words.slice(0, last).map((x, i) => {
      const signs = proof[length + (i >> 3)] as number;
      return readLater((signs >> (i & 7)) & 1, x);
    });
    const rest = coded.reduce((sum, point) => sum.subtract(point), whole.subtract(times(H, info.minValue)));
    const seal = words[last] as Uint8Array;
    const numbers = words.slice(last + 1).map(readNumber);
    const responses = sizes.map((size, i) => numbers.slice(4 * i, 4 * i + size));

    const members = ringMembers([...coded, rest], sizes, scale) as Uint8Array[][];
    const seed = concatBytes(laterForm(whole), laterForm(H));
    const rings = { members, message: sha256(concatBytes(seed, header, ...coded.map(laterForm))) };
    t.ok(verifyRings(curve, rings, { seal, responses }), `${name}: verified`);
    const other = responses.map((ring) => ring.map((one) => one + 1n));
    t.notOk(verifyRings(curve, rings, { seal, responses: other }), `${name}: other responses are not`);

    const hidden = (BigInt(vector.value) - info.minValue) / scale;
    const digits = digitsOf(hidden, sizes.length);
    const draws = drawRings(sizes, fromHex(vector.nonce), seed, header);
    const secrets: RingSecret[] = draws.masks.map((masks, ring) => {
      const sealed = ring === last && info.mantissa > 0 ? sealedIndex(masks.length, digits[ring] as number) : -1;
      const decoys = masks.map((mask, i) => readNumber(i === sealed ? xorBytes(mask, sealedBlock(hidden)) : mask));
      const index = digits[ring] as number;
      const own = ring === last ? readNumber(fromHex(vector.blind)) : 0n;
      const secret = modOrder((draws.factors[ring] as bigint) + own);
      return { index, secret, nonce: decoys[index] as bigint, decoys };
    });
    for (const [ring, { index, secret }] of secrets.entries()) {
      t.equal(
        toHex(members[ring]?.[index] as Uint8Array),
        toHex(writePoint(times(G, secret))),
        `${name}: digit ${ring}`,
      );
    }
    const made = signRings(curve, rings, secrets);
    t.equal(toHex(made?.seal as Uint8Array), toHex(seal), `${name}: seal`);
    t.same(made?.responses, responses, `${name}: responses`);
  }
});
