import { createCipheriv } from 'node:crypto';
import fc from 'fast-check';
import t from 'tap';
import { concatBytes, fromHex, toHex } from '../../../src/base/bytes.js';
import { ChainError } from '../../../src/base/errors.js';
import { AES_ERRORS, aesDecrypt, aesEncrypt } from '../../../src/crypto/aes.js';
import { sha256 } from '../../../src/crypto/hash.js';
import {
  decryptMemo,
  encryptMemo,
  isPlainMemo,
  MEMO_ERRORS,
  memoCipher,
  openPacket,
  readPlainMemo,
  sharedPointX,
  sharedSecret,
} from '../../../src/crypto/memo.js';
import { PrivateKey } from '../../../src/crypto/private-key.js';
import { NULL_PUBLIC_KEY, PUBLIC_KEY_ERRORS, publicKeyFromText } from '../../../src/crypto/public-key.js';
import { NETWORK } from '../../support/network.js';
import { refused } from '../../support/refused.js';
import { readVectors } from '../../support/vectors.js';

const { memo } = readVectors<{
  memo: {
    from_wif: string;
    to_public: string;
    to_wif: string;
    nonce: string;
    plaintext_utf8: string;
    shared_secret_sha512_hex: string;
    message_hex: string;
    aes_key_hex: string;
    aes_iv_hex: string;
  };
}>('protocol.json');
const exchange = readVectors<{
  keys: { name: string; seed: string }[];
  packets: {
    x_hex: string;
    shared_secret_hex: string;
    nonce: string;
    key_hex: string;
    iv_hex: string;
    messages: { from: string; to: string; text: string; message_hex: string }[];
  };
}>('exchange.json');

const from = PrivateKey.fromWif(memo.from_wif);
const to = PrivateKey.fromWif(memo.to_wif);
const nonce = BigInt(memo.nonce);
const asText = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

t.test('the published memo', async (t) => {
  t.equal(publicKeyFromText(memo.to_public, NETWORK.keyPrefix), to.publicKey);
  t.equal(toHex(sharedSecret(from, to.publicKey)), memo.shared_secret_sha512_hex);
  t.equal(toHex(sharedSecret(to, from.publicKey)), memo.shared_secret_sha512_hex, 'the same from the other side');
  const { key, iv } = memoCipher(sharedPointX(from, to.publicKey), nonce);
  t.equal(toHex(key), memo.aes_key_hex);
  t.equal(toHex(iv), memo.aes_iv_hex);
  const message = fromHex(memo.message_hex);
  t.equal(toHex(encryptMemo(from, to.publicKey, nonce, memo.plaintext_utf8)), memo.message_hex);
  t.equal(asText(decryptMemo(to, from.publicKey, nonce, message)), memo.plaintext_utf8, 'the receiver reads it');
  t.equal(asText(decryptMemo(from, to.publicKey, nonce, message)), memo.plaintext_utf8, 'and so does the sender');
});

t.test('packets of the data exchange', async (t) => {
  const { packets } = exchange;
  const keyOf = (name: string) =>
    PrivateKey.fromSeed(exchange.keys.find((entry) => entry.name === name)?.seed as string);
  for (const { from: sender, to: receiver, text, message_hex } of packets.messages) {
    const own = keyOf(sender);
    const other = keyOf(receiver);
    const x = sharedPointX(own, other.publicKey);
    t.equal(toHex(x), packets.x_hex);
    t.equal(toHex(sharedSecret(own, other.publicKey)), packets.shared_secret_hex);
    const { key, iv } = memoCipher(x, packets.nonce);
    t.same([toHex(key), toHex(iv)], [packets.key_hex, packets.iv_hex]);
    t.equal(toHex(encryptMemo(own, other.publicKey, packets.nonce, text)), message_hex);
    t.equal(asText(decryptMemo(other, own.publicKey, packets.nonce, fromHex(message_hex))), text);
  }
});

t.test('x keeps its leading zeros', async (t) => {
  const other = PrivateKey.fromSeed('other side').publicKey;
  let found = false;
  for (let i = 0; !found; i++) {
    const x = sharedPointX(PrivateKey.fromSeed(`side ${i}`), other);
    t.equal(x.length, 32);
    found = x[0] === 0;
  }
});

t.test('what cannot be read', async (t) => {
  const message = fromHex(memo.message_hex);
  const read = (bytes: Uint8Array, n: bigint = nonce) => decryptMemo(to, from.publicKey, n, bytes);
  refused(t, AES_ERRORS.aes_length_wrong, () => read(new Uint8Array(0)), 'empty');
  refused(t, AES_ERRORS.aes_length_wrong, () => read(message.subarray(1)), 'cut');
  refused(t, AES_ERRORS.aes_padding_wrong, () => read(message.subarray(0, 16)), 'a block missing');
  // The first block damaged: the padding in the last one still fits.
  const damaged = Uint8Array.from(message);
  damaged[0] = (damaged[0] as number) ^ 1;
  refused(t, MEMO_ERRORS.memo_checksum_wrong, () => read(damaged), 'damaged');
  const { key, iv } = memoCipher(sharedPointX(to, from.publicKey), nonce);
  refused(t, MEMO_ERRORS.memo_too_short, () => read(aesEncrypt(new Uint8Array(3), key, iv)), 'no room for a checksum');
  for (let wrong = 1n; wrong < 20n; wrong++) {
    try {
      read(message, wrong);
      t.fail('wrong nonce');
    } catch (error) {
      t.ok(error instanceof ChainError, 'a wrong nonce is a coded refusal');
    }
  }
  refused(t, PUBLIC_KEY_ERRORS.public_key_not_on_curve, () => decryptMemo(to, NULL_PUBLIC_KEY, nonce, message));
  refused(t, PUBLIC_KEY_ERRORS.public_key_not_on_curve, () => encryptMemo(to, `02${'ff'.repeat(32)}`, nonce, ''));
});

t.test('plain memos', async (t) => {
  t.ok(isPlainMemo(NULL_PUBLIC_KEY));
  t.notOk(isPlainMemo(from.publicKey));
  t.equal(asText(readPlainMemo(fromHex('000000006869'))), 'hi');
  t.equal(asText(readPlainMemo(fromHex('deadbeef6869'))), 'hi', 'the four bytes are not compared');
  t.equal(readPlainMemo(new Uint8Array(4)).length, 0);
  refused(t, MEMO_ERRORS.memo_too_short, () => readPlainMemo(new Uint8Array(3)));
});

t.test('whole blocks without padding, as one old client sends them', async (t) => {
  const { key, iv } = memoCipher(sharedPointX(from, to.publicKey), '');
  const text = new TextEncoder().encode('123456789012');
  const packet = concatBytes(sha256(text).subarray(0, 4), text);
  const cipher = createCipheriv('aes-256-cbc', key, iv).setAutoPadding(false);
  const sent = concatBytes(cipher.update(packet), cipher.final());
  t.equal(asText(openPacket(aesDecrypt(sent, key, iv, 'none'))), '123456789012');
});

t.test('properties', async () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }), fc.uint8Array({ maxLength: 200 }), (n, bytes) => {
      const message = encryptMemo(from, to.publicKey, n, bytes);
      return toHex(decryptMemo(to, from.publicKey, n, message)) === toHex(bytes);
    }),
    { numRuns: 25 },
  );
  const { key, iv } = memoCipher(sharedPointX(from, to.publicKey), nonce);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
      try {
        openPacket(aesDecrypt(bytes, key, iv));
      } catch (error) {
        if (!(error instanceof ChainError)) throw error;
      }
    }),
  );
});
