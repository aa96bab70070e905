import { concatBytes, equalBytes } from '../../base/bytes.js';
import { check, defineErrors, FAMILY } from '../../base/errors.js';
import { ripemd160, sha1, sha256, sha512 } from '../../crypto/hash.js';
import type { HostCall } from '../host-call.js';
import { ByteWriter } from '../wasm/byte-writer.js';
import { bytesCost, host } from './define.js';

export const CRYPTO_HOST_ERRORS = defineErrors({
  contract_hash_mismatch: { text: 'result == hash_val: hash mismatch' },
  contract_signature_header: {
    ...FAMILY.unspecified,
    text: 'unable to reconstruct public key from signature',
  },
  contract_signature_not_canonical: { text: 'is_canonical( c ): signature is not canonical' },
  contract_signature_unrecoverable: {
    text: 'secp256k1_ecdsa_recover_compact( detail::_get_context(), (unsigned char*) digest.data(), (unsigned char*) c.begin() + 1, (unsigned char*) my->_key.begin(), (int*) &pk_len, 1, (*c.begin() - 27) & 3 ): ',
    hint: 'no key belongs to this signature',
  },
  contract_key_short: {
    ...FAMILY.outOfRange,
    text: 'read datastream of length ${length} over by ${over} fc::array<type,length>',
    hint: 'a key has 33 bytes, and not ${length}',
  },
  contract_key_differs: { text: 'check == pub: Error expected key different than recovered key' },
});

type Hash = (bytes: Uint8Array) => Uint8Array;
/** Name, bytes of the result, bytes hashed in the time of one instruction. */
const HASHES: readonly (readonly [string, number, number, Hash])[] = [
  ['sha1', 20, 4, sha1],
  ['sha256', 32, 4, sha256],
  ['sha512', 64, 2, sha512],
  ['ripemd160', 20, 1, ripemd160],
];

const HASH_COST = 400;
/** Key recovery takes as long as tens of thousands of instructions even natively. */
const RECOVER_COST = 20_000;

function hashRange(call: HostCall, hash: Hash, rate: number, pointer: number, length: number): Uint8Array {
  call.charge(bytesCost(length, rate));
  call.settle();
  return hash(call.memory.slice(pointer, length));
}

function recover(call: HostCall, digest: Uint8Array, signature: Uint8Array): Uint8Array {
  const byte = (at: number): number => signature[at] as number;
  check(byte(0) >= 27 && byte(0) < 35, CRYPTO_HOST_ERRORS.contract_signature_header);
  const canonical =
    byte(1) < 0x80 && !(byte(1) === 0 && byte(2) < 0x80) && byte(33) < 0x80 && !(byte(33) === 0 && byte(34) < 0x80);
  check(canonical, CRYPTO_HOST_ERRORS.contract_signature_not_canonical);
  const key = call.session.keys.recover(digest, signature);
  check(key !== undefined, CRYPTO_HOST_ERRORS.contract_signature_unrecoverable);
  return key;
}

/** A key's text has 53 characters, but a contract may give one that is much longer. */
const KEY_TEXT_CHAR_COST = 40;

function keyFromText(call: HostCall, bytes: Uint8Array): Uint8Array {
  call.charge(KEY_TEXT_CHAR_COST * bytes.length);
  call.settle();
  return call.session.keys.parsePublicKey(bytes);
}

/** Quirk: bytes that contain the prefix of the network's keys anywhere are taken for the text of a key. */
function givenKey(call: HostCall, bytes: Uint8Array): Uint8Array {
  if (call.host.rules.key_as_text && call.session.keys.isText(bytes)) return keyFromText(call, bytes);
  const { length } = bytes;
  check(length >= 33, CRYPTO_HOST_ERRORS.contract_key_short, { length, over: 1 - length });
  return bytes.slice(0, 33);
}

/** A text as the reference hashes it: behind its length. In one piece, for a contract may give one of megabytes. */
function withLength(text: Uint8Array): Uint8Array {
  return concatBytes(new ByteWriter().u32(text.length).view(), text);
}

export const CRYPTO_FUNCTIONS = [
  ...HASHES.map(([name, bytes, rate, hash]) =>
    host(name, `P R${bytes} >`, HASH_COST, (call, pointer: number, length: number, out: number) =>
      call.memory.write(out, hashRange(call, hash, rate, pointer, length)),
    ),
  ),
  ...HASHES.map(([name, bytes, rate, hash]) =>
    host(`assert_${name}`, `P R${bytes} >`, HASH_COST, (call, pointer: number, length: number, expected: number) => {
      const actual = hashRange(call, hash, rate, pointer, length);
      check(equalBytes(actual, call.memory.slice(expected, bytes)), CRYPTO_HOST_ERRORS.contract_hash_mismatch);
    }),
  ),
  host(
    'assert_recover_key',
    'R32 R65 P >',
    RECOVER_COST,
    (call, digest: number, signature: number, pointer: number, length: number) => {
      const { memory } = call;
      call.charge(bytesCost(length, 4));
      call.settle();
      const expected = givenKey(call, memory.slice(pointer, length));
      const actual = recover(call, memory.slice(digest, 32).slice(), memory.slice(signature, 65).slice());
      check(equalBytes(actual, expected), CRYPTO_HOST_ERRORS.contract_key_differs);
    },
  ),
  // Quirk: both ranges are read as text up to NUL, whatever their lengths say, and the length is hashed too.
  host(
    'verify_signature',
    'P R65 P > i',
    RECOVER_COST,
    (call, data: number, _dataLength: number, signature: number, key: number, _keyLength: number) => {
      const { memory } = call;
      const message = memory.text(data);
      const keyText = memory.text(key);
      call.charge(bytesCost(message.length + keyText.length, 4));
      call.settle();
      const digest = sha256(withLength(message));
      const expected = keyFromText(call, keyText);
      return equalBytes(recover(call, digest, memory.slice(signature, 65).slice()), expected) ? 1 : 0;
    },
  ),
];
