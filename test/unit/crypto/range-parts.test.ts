import t from 'tap';
import { concatBytes, fromHex, toHex } from '../../../src/base/bytes.js';
import { blind } from '../../../src/crypto/blind.js';
import { type RingSecret, signRings } from '../../../src/crypto/borromean.js';
import {
  G,
  H,
  modOrder,
  ORDER,
  POINT_BYTES,
  readNumber,
  readPoint,
  times,
  writePoint,
  writeScalar,
} from '../../../src/crypto/curve.js';
import { sha256 } from '../../../src/crypto/hash.js';
import { NonceStream } from '../../../src/crypto/nonce-stream.js';
import { type RangeInfo, readRangeHeader, writeRangeHeader } from '../../../src/crypto/range-header.js';
import { rangeMessage, rewindRange, verifyRange } from '../../../src/crypto/range-proof.js';
import { drawRings, ringMembers, ringSizes, xorBytes } from '../../../src/crypto/range-rings.js';
import { readSealedValue, sealedBlock, sealedIndex } from '../../../src/crypto/sealed-value.js';
import { signatureBackend } from '../../../src/crypto/signature.js';

const curves = [
  signatureBackend('system').curve,
  signatureBackend('native').curve,
  signatureBackend('noble').curve,
] as const;
const text = (words: string): Uint8Array => new TextEncoder().encode(words);

t.test('the nonce stream is that of RFC 6979', async (t) => {
  // Its section A.2.5: key and message "sample", for SHA-256.
  const key = fromHex('c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721');
  const stream = new NonceStream(concatBytes(key, sha256(text('sample'))));
  t.equal(toHex(stream.next()), 'a6e3c57dd01abe90086538398355dd4c3b17aa873382b0f24d6129493d8aad60');
  t.not(toHex(stream.next()), toHex(stream.next()), 'it goes on');
  const other = new NonceStream(concatBytes(key, sha256(text('test'))));
  t.equal(toHex(other.next()), 'd16b6ae827f17175e040871a1c7ec3500192c4c92677336ec2537acaee0008e0');
});

t.test('the libraries multiply and add alike', async (t) => {
  const point = writePoint(times(H, 12_345n));
  const one = writeScalar(1n);
  const minusOne = writeScalar(ORDER - 1n);
  const cases: [string, Uint8Array, Uint8Array, Uint8Array, Uint8Array | undefined][] = [
    ['a sum', point, writeScalar(7n), writeScalar(8n), writePoint(times(H, 86_415n).add(times(G, 8n)))],
    ['large factors', point, minusOne, minusOne, writePoint(times(H, 12_345n).add(G).negate())],
    ['no point', writePoint(G), one, minusOne, undefined],
    ['not on the curve', fromHex(`02${'00'.repeat(32)}`), one, one, undefined],
    ['not compressed', fromHex(`04${'00'.repeat(32)}`), one, one, undefined],
  ];
  for (const curve of curves) {
    for (const [what, start, factor, baseFactor, expected] of cases) {
      const out = new Uint8Array(POINT_BYTES);
      const isPoint = curve.multiplyAdd(start, factor, baseFactor, out);
      t.equal(isPoint, expected !== undefined, `${curve.name}: ${what}`);
      if (expected !== undefined) t.equal(toHex(out), toHex(expected), `${curve.name}: ${what}: the point`);
    }
  }
});

t.test('points are written and read', async (t) => {
  for (const scalar of [1n, 2n, 3n, 1000n, ORDER - 1n]) {
    const point = times(G, scalar);
    t.equal(toHex(writePoint(point)), point.toHex(true));
    t.ok(readPoint(writePoint(point))?.equals(point));
  }
  t.equal(readPoint(new Uint8Array(65)), undefined);
});

t.test('headers are written as they are read', async (t) => {
  const headers: RangeInfo[] = [
    { exponent: -1, mantissa: 0, minValue: 0n, maxValue: 0n },
    { exponent: -1, mantissa: 0, minValue: 258n, maxValue: 258n },
    { exponent: 2, mantissa: 1, minValue: 0n, maxValue: 100n },
    { exponent: 18, mantissa: 4, minValue: 1n << 60n, maxValue: (1n << 60n) + 15n * 10n ** 18n },
  ];
  for (const info of headers) {
    const written = writeRangeHeader(info);
    const proof = concatBytes(written, new Uint8Array(65));
    t.same(readRangeHeader(proof), { info, length: written.length });
    const within = concatBytes(Uint8Array.of(0xff, 0xff, 0xff), proof).subarray(3);
    t.same(readRangeHeader(within), { info, length: written.length }, 'wherever its bytes lie');
  }
});

t.test('ring sizes', async (t) => {
  t.same(ringSizes(0), [1]);
  t.same(ringSizes(1), [2]);
  t.same(ringSizes(2), [4]);
  t.same(ringSizes(5), [4, 4, 2]);
  t.equal(ringSizes(64).length, 32);
});

t.test('sealed values', async (t) => {
  const blocks = (at: number, hidden: bigint) => (i: number) => (i === at ? sealedBlock(hidden) : new Uint8Array(32));
  t.same(readSealedValue(4, 4, blocks(3, 6n)), { hidden: 6n, index: 3 });
  t.same(readSealedValue(4, 4, blocks(2, 14n)), { hidden: 14n, index: 2 }, 'beside the true digit');
  t.equal(readSealedValue(4, 4, blocks(3, 14n)), undefined, 'at the true digit');
  t.equal(readSealedValue(4, 4, blocks(1, 6n)), undefined, 'at no such place');
  t.equal(readSealedValue(4, 4, blocks(3, 16n)), undefined, 'more bits than the proof has');
  t.equal(readSealedValue(2, 1, blocks(1, 2n)), undefined, 'more than a single bit');
  t.same(readSealedValue(2, 1, blocks(1, 0n)), { hidden: 0n, index: 1 });
  t.same(readSealedValue(1, 0, blocks(0, 5n)), { hidden: 0n, index: -1 }, 'a shown value hides nothing');
  const changed = (at: number) => (i: number) => {
    const block = blocks(3, 6n)(i);
    if (i === 3) block[at] = (block[at] as number) ^ 0x80;
    return block;
  };
  for (const at of [0, 15, 16, 31]) t.equal(readSealedValue(4, 4, changed(at)), undefined, `byte ${at}`);
});

/** A proof of 0 to 15 by hand, with a sealed value and a message of one's choice. */
function handmade(value: bigint, sealed: bigint, message: Uint8Array) {
  const [curve] = curves;
  const nonce = sha256(text('handmade nonce'));
  const factor = sha256(text('handmade factor'));
  const commitment = blind(factor, value);
  const sizes = ringSizes(4);
  const digits = [Number(value & 3n), Number(value >> 2n)];
  const header = writeRangeHeader({ exponent: 0, mantissa: 4, minValue: 0n, maxValue: 15n });
  const { factors, masks } = drawRings(sizes, nonce, fromHex(commitment), header);
  const secrets = [factors[0] as bigint, modOrder((factors[1] as bigint) + readNumber(factor))];
  const firsts = secrets.map((secret, i) => times(G, secret).add(times(H, BigInt((digits[i] as number) << (2 * i)))));
  const members = ringMembers(firsts, sizes, 1n) as Uint8Array[][];
  const coded = [writePoint(firsts[0] as typeof G)];
  const rings: RingSecret[] = masks.map((ring, r) => {
    const decoys = ring.map((mask, i) => {
      const isSealed = r === 1 && i === sealedIndex(4, digits[1] as number);
      const block = isSealed
        ? sealedBlock(sealed)
        : r === 0
          ? message.subarray(32 * i, 32 * i + 32)
          : new Uint8Array(32);
      return readNumber(xorBytes(mask, block));
    });
    const index = digits[r] as number;
    return { index, secret: secrets[r] as bigint, nonce: decoys[index] as bigint, decoys };
  });
  const signature = signRings(curve, { members, message: rangeMessage(commitment, header, coded) }, rings);
  if (signature === undefined) throw new Error('these nonces are fit');
  const sign = (coded[0]?.[0] as number) - 2;
  const proof = concatBytes(
    header,
    Uint8Array.of(sign),
    (coded[0] as Uint8Array).subarray(1),
    signature.seal,
    ...signature.responses.flat().map(writeScalar),
  );
  return { curve, nonce, commitment, proof, factor };
}

t.test('a message comes back, whichever digit is the true one', async (t) => {
  const message = concatBytes(...['a', 'b', 'c', 'd'].map((seed) => sha256(text(seed))));
  for (let value = 0n; value < 16n; value++) {
    const { curve, nonce, commitment, proof, factor } = handmade(value, value, message);
    t.equal(verifyRange(curve, commitment, proof)?.maxValue, 15n);
    const rewound = rewindRange(curve, nonce, commitment, proof);
    t.equal(rewound?.value, value);
    t.equal(toHex(rewound?.factor as Uint8Array), toHex(factor));
    t.equal(toHex((rewound?.message as Uint8Array).subarray(0, 128)), toHex(message), `message beside ${value}`);
    t.equal(rewound?.message.length, 192, 'all members but the true one and the sealed one of the last ring');
  }
});

t.test('a maker who seals another value is not believed', async (t) => {
  for (const lie of [4n, 7n, 0n, 15n, 16n, (1n << 64n) - 1n]) {
    const { curve, nonce, commitment, proof } = handmade(5n, lie, new Uint8Array(128));
    t.ok(verifyRange(curve, commitment, proof), 'the proof itself is good');
    t.equal(rewindRange(curve, nonce, commitment, proof), undefined, `5 as ${lie}`);
  }
});
