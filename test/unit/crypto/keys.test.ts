import { getPublicKey } from '@noble/secp256k1';
import fc from 'fast-check';
import t from 'tap';
import { compareText, concatBytes, fromHex, toHex } from '../../../src/base/bytes.js';
import { ChainError } from '../../../src/base/errors.js';
import {
  ADDRESS_ERRORS,
  addressFromText,
  addressOfKey,
  addressToText,
  compareKeysByAddress,
} from '../../../src/crypto/address.js';
import { BASE58_ERRORS, fromBase58, toBase58 } from '../../../src/crypto/base58.js';
import {
  BRAIN_WORDS,
  brainKeyToPrivateKey,
  deriveKey,
  normalizeBrainKey,
  suggestBrainKey,
} from '../../../src/crypto/brain-key.js';
import { doubleSha256, sha256 } from '../../../src/crypto/hash.js';
import {
  addressesOfKey,
  isOnCurve,
  legacyAddressesOfKey,
  uncompressedPublicKey,
} from '../../../src/crypto/old-addresses.js';
import { PRIVATE_KEY_ERRORS, PrivateKey } from '../../../src/crypto/private-key.js';
import {
  NULL_PUBLIC_KEY,
  PUBLIC_KEY_ERRORS,
  publicKeyFromText,
  publicKeyToText,
} from '../../../src/crypto/public-key.js';
import { canonicalKeys, publicKey } from '../../../src/protocol/keys.js';
import { NETWORK } from '../../support/network.js';
import { refused } from '../../support/refused.js';
import { readVectors } from '../../support/vectors.js';

interface KeyVector {
  label: string;
  wif: string;
  private_hex: string;
  public_hex: string;
  public_uncompressed_hex: string;
  public_text: string;
  address_hash_hex: string;
  address_text: string;
  pts_address_text: string;
  legacy_address_text: {
    btc_uncompressed: string;
    btc_compressed: string;
    pts_uncompressed: string;
    pts_compressed: string;
  };
}

interface BrainVector {
  normalized: string;
  sequence0: KeyVector;
  sequence1: KeyVector;
}

const vectors = readVectors<{
  keys: KeyVector[];
  null_public_key: { public_hex: string; public_text: string };
  brain_keys: { input: string; js: BrainVector; upper_case_form: BrainVector };
  client_divergence: {
    key_order: {
      keys: { public_text: string; address_hash_hex: string }[];
      cpp_order_public_text: string[];
    };
  };
}>('protocol.json');

const { brain_keys: brain } = vectors;
const allKeys = [
  ...vectors.keys,
  brain.js.sequence0,
  brain.js.sequence1,
  brain.upper_case_form.sequence0,
  brain.upper_case_form.sequence1,
];

const text = (value: string) => new TextEncoder().encode(value);
/** Secrets that are surely valid. */
const secrets = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => sha256(bytes));

t.test('the public key is the same by both libraries', async (t) => {
  const same = fc.property(secrets, (secret) => PrivateKey.fromBytes(secret).publicKey === toHex(getPublicKey(secret)));
  t.doesNotThrow(() => fc.assert(same, { numRuns: 50 }));
});

t.test('every form of the published keys', async (t) => {
  for (const key of allKeys) {
    const own = PrivateKey.fromWif(key.wif);
    t.equal(toHex(own.secret()), key.private_hex, `${key.label}: secret`);
    t.equal(own.toWif(), key.wif, 'wif');
    t.equal(own.publicKey, key.public_hex, 'public key');
    t.equal(toHex(uncompressedPublicKey(key.public_hex)), key.public_uncompressed_hex, 'uncompressed');
    t.equal(publicKeyToText(key.public_hex, NETWORK.keyPrefix), key.public_text, 'text');
    t.equal(publicKeyFromText(key.public_text, NETWORK.keyPrefix), key.public_hex, 'from text');
    t.equal(addressOfKey(key.public_hex), key.address_hash_hex, 'address');
    t.equal(addressToText(key.address_hash_hex, NETWORK.keyPrefix), key.address_text, 'address text');
    t.equal(addressFromText(key.address_text, NETWORK.keyPrefix), key.address_hash_hex, 'address from text');
    const legacy = legacyAddressesOfKey(key.public_hex);
    const expected = key.legacy_address_text;
    t.equal(addressToText(legacy.btcUncompressed, NETWORK.keyPrefix), expected.btc_uncompressed, 'btc uncompressed');
    t.equal(addressToText(legacy.btcCompressed, NETWORK.keyPrefix), expected.btc_compressed, 'btc compressed');
    t.equal(addressToText(legacy.ptsUncompressed, NETWORK.keyPrefix), expected.pts_uncompressed, 'pts uncompressed');
    t.equal(addressToText(legacy.ptsCompressed, NETWORK.keyPrefix), expected.pts_compressed, 'pts compressed');
    const five = addressesOfKey(key.public_hex);
    t.equal(new Set(five).size, 5, 'five addresses');
    t.equal(five[0], key.address_hash_hex, 'its own one first');
  }
  const named = vectors.keys.find((key) => key.label.startsWith('B'));
  t.equal(PrivateKey.fromSeed('spec-vector-key-b').toWif(), named?.wif, 'from a seed text');
});

t.test('another network has another prefix', async (t) => {
  const key = vectors.keys[0] as KeyVector;
  const other = publicKeyToText(key.public_hex, 'TEST');
  t.ok(other.startsWith('TEST'));
  t.equal(publicKeyFromText(other, 'TEST'), key.public_hex);
  t.equal(addressFromText(addressToText(key.address_hash_hex, 'TEST'), 'TEST'), key.address_hash_hex);
  refused(t, PUBLIC_KEY_ERRORS.public_key_prefix_wrong, () => publicKeyFromText(other, NETWORK.keyPrefix));
});

t.test('the null key', async (t) => {
  t.equal(NULL_PUBLIC_KEY, vectors.null_public_key.public_hex);
  t.equal(publicKeyToText(NULL_PUBLIC_KEY, NETWORK.keyPrefix), vectors.null_public_key.public_text);
  t.equal(publicKeyFromText(vectors.null_public_key.public_text, NETWORK.keyPrefix), NULL_PUBLIC_KEY);
  t.notOk(isOnCurve(NULL_PUBLIC_KEY));
  refused(t, PUBLIC_KEY_ERRORS.public_key_not_on_curve, () => uncompressedPublicKey(NULL_PUBLIC_KEY));
  t.equal(addressOfKey(NULL_PUBLIC_KEY).length, 40, 'has an address all the same: maps are ordered by it');
});

t.test('points that are none', async (t) => {
  t.ok(isOnCurve((vectors.keys[0] as KeyVector).public_hex));
  t.notOk(isOnCurve(`02${'00'.repeat(31)}05`), 'no point has this x');
  t.notOk(isOnCurve(`02${'ff'.repeat(32)}`), 'x above the field');
  t.notOk(isOnCurve((vectors.keys[0] as KeyVector).public_uncompressed_hex), 'uncompressed form');
  t.notOk(isOnCurve('zz'), 'no hex');
  refused(t, PUBLIC_KEY_ERRORS.public_key_not_on_curve, () => legacyAddressesOfKey(`02${'00'.repeat(31)}05`));
});

t.test('keys are ordered by address bytes', async (t) => {
  const order = vectors.client_divergence.key_order;
  for (const key of order.keys)
    t.equal(addressOfKey(publicKeyFromText(key.public_text, NETWORK.keyPrefix)), key.address_hash_hex);
  const sorted = order.keys
    .map((key) => publicKeyFromText(key.public_text, NETWORK.keyPrefix))
    .sort(compareKeysByAddress);
  t.same(
    sorted.map((key) => publicKeyToText(key, NETWORK.keyPrefix)),
    order.cpp_order_public_text,
  );
  const [first, second] = sorted as [string, string];
  t.equal(compareKeysByAddress(first, first), 0);
  t.ok(compareKeysByAddress(second, first) > 0);
});

t.test('the cache of addresses forgets without a wrong answer', async (t) => {
  const key = (i: number) => `02${i.toString(16).padStart(64, '0')}`;
  const before = Array.from({ length: 5 }, (_, i) => addressOfKey(key(i)));
  for (let i = 0; i < 70_000; i++) addressOfKey(key(i));
  t.same(
    Array.from({ length: 5 }, (_, i) => addressOfKey(key(i))),
    before,
  );
});

t.test('wif: lenient as the chain, and no further', async (t) => {
  const key = vectors.keys[0] as KeyVector;
  const secret = fromHex(key.private_hex);
  const make = (body: Uint8Array, checksum: Uint8Array) => toBase58(concatBytes(body, checksum.subarray(0, 4)));
  const plain = concatBytes(Uint8Array.of(0x80), secret);
  const marked = concatBytes(plain, Uint8Array.of(1));
  const foreign = concatBytes(Uint8Array.of(0xef), secret);
  const accepted: [string, string][] = [
    ['single sha256', make(plain, sha256(plain))],
    ['double sha256', make(plain, doubleSha256(plain))],
    ['compression mark', make(marked, doubleSha256(marked))],
    ['another version byte', make(foreign, doubleSha256(foreign))],
  ];
  for (const [what, wif] of accepted) t.equal(PrivateKey.fromWif(wif).publicKey, key.public_hex, what);

  const short = plain.subarray(0, 32);
  const zero = new Uint8Array(33);
  const order = concatBytes(
    Uint8Array.of(0x80),
    fromHex('fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141'),
  );
  refused(t, PRIVATE_KEY_ERRORS.wif_checksum_wrong, () => PrivateKey.fromWif(make(plain, new Uint8Array(4))));
  refused(t, PRIVATE_KEY_ERRORS.wif_too_short, () => PrivateKey.fromWif(make(short, doubleSha256(short))));
  refused(t, PRIVATE_KEY_ERRORS.wif_too_short, () => PrivateKey.fromWif(''), 'empty');
  refused(t, PRIVATE_KEY_ERRORS.private_key_invalid, () => PrivateKey.fromWif(make(zero, doubleSha256(zero))), 'zero');
  refused(t, PRIVATE_KEY_ERRORS.private_key_invalid, () => PrivateKey.fromWif(make(order, doubleSha256(order))), 'n');
  refused(t, PRIVATE_KEY_ERRORS.private_key_invalid, () => PrivateKey.fromBytes(new Uint8Array(31)), '31 bytes');
  refused(t, BASE58_ERRORS.base58_char_invalid, () => PrivateKey.fromWif(`0${key.wif.slice(1)}`));
  refused(t, PRIVATE_KEY_ERRORS.wif_checksum_wrong, () => PrivateKey.fromWif(`${key.wif.slice(0, -1)}4`), 'last char');
});

t.test('a secret does not slip out', async (t) => {
  const key = PrivateKey.fromSeed('slip');
  const { inspect } = await import('node:util');
  const secret = toHex(key.secret());
  t.notMatch(`${JSON.stringify(key)}${inspect(key, { depth: 9, showHidden: true })}${String(key)}`, secret);
});

t.test('malformed public keys and addresses', async (t) => {
  const key = vectors.keys[0] as KeyVector;
  const badSum = `${key.public_text.slice(0, -1)}W`;
  refused(t, PUBLIC_KEY_ERRORS.public_key_checksum_wrong, () => publicKeyFromText(badSum, NETWORK.keyPrefix));
  refused(t, PUBLIC_KEY_ERRORS.public_key_length_wrong, () =>
    publicKeyFromText(key.public_text.slice(0, -3), NETWORK.keyPrefix),
  );
  refused(
    t,
    PUBLIC_KEY_ERRORS.public_key_length_wrong,
    () => publicKeyFromText('GXC', NETWORK.keyPrefix),
    'prefix alone',
  );
  refused(t, PUBLIC_KEY_ERRORS.public_key_prefix_wrong, () => publicKeyFromText('', NETWORK.keyPrefix), 'empty');
  refused(t, PUBLIC_KEY_ERRORS.public_key_prefix_wrong, () =>
    publicKeyFromText(key.public_text.replace('GXC', 'BTS'), NETWORK.keyPrefix),
  );
  refused(t, BASE58_ERRORS.base58_char_invalid, () =>
    publicKeyFromText(key.public_text.replace('6', 'l'), NETWORK.keyPrefix),
  );
  refused(t, BASE58_ERRORS.base58_char_invalid, () => publicKeyFromText('GXCé', NETWORK.keyPrefix), 'not ASCII');
  refused(t, BASE58_ERRORS.base58_too_long, () => publicKeyFromText(`GXC${'2'.repeat(100_000)}`, NETWORK.keyPrefix));
  refused(t, ADDRESS_ERRORS.address_checksum_wrong, () =>
    addressFromText(`${key.address_text.slice(0, -1)}b`, NETWORK.keyPrefix),
  );
  refused(t, ADDRESS_ERRORS.address_length_wrong, () => addressFromText(key.public_text, NETWORK.keyPrefix));
  refused(t, ADDRESS_ERRORS.address_prefix_wrong, () => addressFromText(key.pts_address_text, NETWORK.keyPrefix));
});

t.test('brain keys', async (t) => {
  for (const [form, expected] of [
    ['client', brain.js],
    ['reference', brain.upper_case_form],
  ] as const) {
    t.equal(normalizeBrainKey(brain.input, form), expected.normalized, form);
    t.equal(brainKeyToPrivateKey(brain.input, 0, form).toWif(), expected.sequence0.wif, `${form} 0`);
    t.equal(brainKeyToPrivateKey(brain.input, 1, form).toWif(), expected.sequence1.wif, `${form} 1`);
  }
  t.equal(normalizeBrainKey('\v a\f\r\n\tb  '), 'A B', 'six kinds of white space');
  t.equal(normalizeBrainKey('a\u00a0é'), 'A\u00a0é', 'other white space and letters stay');
  t.equal(normalizeBrainKey(' \n'), '', 'nothing');
  const parent = brain.js.sequence0.wif;
  t.not(deriveKey(parent, 0).publicKey, deriveKey(parent, 1).publicKey, 'child keys differ');
});

t.test('suggested brain keys', async (t) => {
  t.equal(new Set(BRAIN_WORDS).size, 4096, 'all words differ');
  for (const word of BRAIN_WORDS) if (!/^[a-z]{5,6}$/.test(word)) t.fail(word);
  let call = 0;
  const random = (bytes: number) => sha256(text(`random ${call++}`)).slice(0, bytes);
  const first = suggestBrainKey(random);
  const second = suggestBrainKey(random);
  t.equal(first.split(' ').length, 16);
  t.not(first, second);
  t.equal(normalizeBrainKey(first), first, 'normalised already');
  const zeros = suggestBrainKey((bytes) => new Uint8Array(bytes));
  t.equal(zeros.split(' ')[0], (BRAIN_WORDS[0] as string).toUpperCase(), 'the words come from the random bytes alone');
});

t.test('properties', async () => {
  fc.assert(
    fc.property(secrets, (secret) => {
      const key = PrivateKey.fromBytes(secret);
      return PrivateKey.fromWif(key.toWif()).publicKey === key.publicKey && isOnCurve(key.publicKey);
    }),
    { numRuns: 30 },
  );
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => toHex(fromBase58(toBase58(bytes))) === toHex(bytes)),
  );
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 33, maxLength: 33 }), (bytes) => {
      const key = toHex(bytes);
      return publicKeyFromText(publicKeyToText(key, NETWORK.keyPrefix), NETWORK.keyPrefix) === key;
    }),
  );
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 33, maxLength: 33 }),
      fc.uint8Array({ minLength: 33, maxLength: 33 }),
      (a, b) => {
        const order = compareKeysByAddress(toHex(a), toHex(b));
        return Math.sign(order) === Math.sign(compareText(addressOfKey(toHex(a)), addressOfKey(toHex(b))));
      },
    ),
  );
  // A list of keys is put in order with one look at the address of each.
  t.equal(publicKey.rank, addressOfKey);
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ minLength: 33, maxLength: 33 }), { maxLength: 8 }), (list) => {
      const keys = [...list, ...list.slice(0, 2)].map(toHex);
      return t.same(canonicalKeys(keys), [...new Set(keys)].sort(compareKeysByAddress));
    }),
    { numRuns: 30 },
  );
  // Any text at all: a coded refusal or a key, nothing else.
  fc.assert(
    fc.property(fc.string({ maxLength: 70 }), fc.boolean(), (wild, prefixed) => {
      const parsers = [
        (s: string) => publicKeyFromText(s, 'GXC'),
        (s: string) => addressFromText(s, 'GXC'),
        PrivateKey.fromWif,
      ];
      for (const parse of parsers) {
        try {
          parse(prefixed ? `GXC${wild}` : wild);
        } catch (error) {
          if (!(error instanceof ChainError)) throw error;
        }
      }
    }),
  );
});
