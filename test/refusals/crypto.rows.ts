import { ADDRESS_ERRORS, addressFromText } from '../../src/crypto/address.js';
import { AES_ERRORS, aesDecrypt, aesEncrypt } from '../../src/crypto/aes.js';
import { BASE58_ERRORS, fromBase58, toBase58 } from '../../src/crypto/base58.js';
import { BLIND_ERRORS, blind } from '../../src/crypto/blind.js';
import { blockNumFromId, DIGEST_ERRORS, signatureDigest } from '../../src/crypto/digests.js';
import { ripemd160 } from '../../src/crypto/hash.js';
import { MEMO_ERRORS, memoCipher, openPacket, readPlainMemo } from '../../src/crypto/memo.js';
import { nobleBackend } from '../../src/crypto/noble-secp256k1.js';
import { uncompressedPublicKey } from '../../src/crypto/old-addresses.js';
import { PRIVATE_KEY_ERRORS, PrivateKey } from '../../src/crypto/private-key.js';
import { PUBLIC_KEY_ERRORS, publicKeyFromText } from '../../src/crypto/public-key.js';
import { RANGE_HEADER_ERRORS, rangeInfo } from '../../src/crypto/range-header.js';
import { RANGE_SIGN_ERRORS, type RangeRequest, signRange } from '../../src/crypto/range-sign.js';
import { pickSignatureBackend, SIGNATURE_ERRORS, signatureBackend } from '../../src/crypto/signature.js';
import { NETWORK } from '../support/network.js';
import { assertion, type Refusal } from './define.js';

const NULL_KEY = '00'.repeat(33);
const digest = new Uint8Array(32).fill(1);
const filled = (length: number, value: number): Uint8Array => new Uint8Array(length).fill(value);
const backend = signatureBackend();
const good = backend.sign(digest, PrivateKey.fromSeed('somebody'));
/** The good signature with other bytes in some places. */
const changed = (...places: readonly (readonly [at: number, byte: number])[]): Uint8Array => {
  const out = Uint8Array.from(good);
  for (const [at, byte] of places) out[at] = byte;
  return out;
};
/** No point of the curve has this x: it is not below the field's prime. */
const nowhere = (): Uint8Array => {
  const out = filled(65, 0x7f);
  out[0] = 33;
  return out;
};

const checked = (payload: Uint8Array): string => {
  const sum = ripemd160(payload).subarray(0, 4);
  return `GXC${toBase58(Uint8Array.from([...payload, ...sum]))}`;
};

const factor = filled(32, 3);
const range: RangeRequest = {
  nonce: filled(32, 5),
  commitment: blind(factor, 5n),
  factor,
  value: 5n,
  minValue: 0n,
  exponent: 0,
  minBits: 0,
};
const prove = (change: Partial<RangeRequest>) => () => signRange(nobleBackend, { ...range, ...change });

const invalidAddress = (given: string): string => `is_valid( base58str, prefix ): ${given}`;
const LONG_ADDRESS = checked(filled(25, 1));
const CIPHER = memoCipher(filled(32, 1), 1n);

export const refusals: readonly Refusal[] = [
  // Signatures: header, then canonical, then recovery.
  {
    row: SIGNATURE_ERRORS.signature_header_invalid,
    code: 0,
    name: 'exception',
    message: 'unspecified: unable to reconstruct public key from signature',
    raise: () => backend.recover(digest, changed([0, 26], [1, 0x80])),
  },
  {
    row: SIGNATURE_ERRORS.signature_header_invalid,
    code: 0,
    name: 'exception',
    message: 'unspecified: unable to reconstruct public key from signature',
    raise: () => backend.recover(digest, changed([0, 35])),
  },
  assertion(SIGNATURE_ERRORS.signature_not_canonical, 'is_canonical( c ): signature is not canonical', () =>
    backend.recover(digest, changed([1, 0x80])),
  ),
  assertion(
    SIGNATURE_ERRORS.signature_unrecoverable,
    'secp256k1_ecdsa_recover_compact( detail::_get_context(), (unsigned char*) digest.data(), (unsigned char*) c.begin() + 1, (unsigned char*) my->_key.begin(), (int*) &pk_len, 1, (*c.begin() - 27) & 3 ): ',
    () => backend.recover(digest, nowhere()),
  ),
  assertion(SIGNATURE_ERRORS.signature_length_wrong, 'signature must have 65 bytes, not 64', () =>
    backend.recover(digest, new Uint8Array(64)),
  ),
  assertion(SIGNATURE_ERRORS.digest_length_wrong, 'digest must have 32 bytes, not 31', () =>
    backend.recover(new Uint8Array(31), good),
  ),
  assertion(
    SIGNATURE_ERRORS.signature_backend_missing,
    'signature library native cannot be used: the package secp256k1 is not installed',
    () => pickSignatureBackend('native', () => ({ missing: 'the package secp256k1 is not installed' })),
  ),
  // Keys and addresses
  assertion(PUBLIC_KEY_ERRORS.public_key_prefix_wrong, 'public key must begin with GXC', () =>
    publicKeyFromText('BTS1', NETWORK.keyPrefix),
  ),
  assertion(PUBLIC_KEY_ERRORS.public_key_length_wrong, 'public key must hold 37 bytes, not 0', () =>
    publicKeyFromText('GXC', NETWORK.keyPrefix),
  ),
  assertion(PUBLIC_KEY_ERRORS.public_key_checksum_wrong, 'public key has a wrong checksum', () =>
    publicKeyFromText('GXC1111111111111111111111111111111114T1Ann', NETWORK.keyPrefix),
  ),
  assertion(PUBLIC_KEY_ERRORS.public_key_not_on_curve, `public key ${NULL_KEY} is no point of the curve`, () =>
    uncompressedPublicKey(NULL_KEY),
  ),
  assertion(
    PRIVATE_KEY_ERRORS.private_key_invalid,
    'private key must be 32 bytes, above zero and below the order of the curve',
    () => PrivateKey.fromBytes(new Uint8Array(32)),
  ),
  assertion(PRIVATE_KEY_ERRORS.wif_too_short, 'private key text holds 0 bytes, at least 37 are needed', () =>
    PrivateKey.fromWif(''),
  ),
  assertion(PRIVATE_KEY_ERRORS.wif_checksum_wrong, 'private key text has a wrong checksum', () =>
    PrivateKey.fromWif('5KQwrPbwdL6PhXujxW37FSSQZ1JiwsST4cqQzDeyXtP79zkvFD4'),
  ),
  assertion(BASE58_ERRORS.base58_char_invalid, 'base58: character at position 1 is not in the alphabet', () =>
    fromBase58('10'),
  ),
  assertion(BASE58_ERRORS.base58_too_long, 'base58: 513 characters are more than the 512 allowed', () =>
    fromBase58('1'.repeat(513)),
  ),
  assertion(ADDRESS_ERRORS.address_prefix_wrong, invalidAddress('bad'), () =>
    addressFromText('bad', NETWORK.keyPrefix),
  ),
  assertion(ADDRESS_ERRORS.address_length_wrong, invalidAddress(LONG_ADDRESS), () =>
    addressFromText(LONG_ADDRESS, NETWORK.keyPrefix),
  ),
  assertion(ADDRESS_ERRORS.address_checksum_wrong, invalidAddress('GXCLmgn91gUREYn5Ns3SqAnquu9sXDie4jMG'), () =>
    addressFromText('GXCLmgn91gUREYn5Ns3SqAnquu9sXDie4jMG', NETWORK.keyPrefix),
  ),
  // Memos
  assertion(AES_ERRORS.aes_length_wrong, 'cipher text is not made of whole blocks', () =>
    aesDecrypt(new Uint8Array(15), CIPHER.key, CIPHER.iv),
  ),
  assertion(AES_ERRORS.aes_padding_wrong, 'cipher text has a wrong padding', () =>
    aesDecrypt(aesEncrypt(filled(16, 0), CIPHER.key, CIPHER.iv).subarray(0, 16), CIPHER.key, CIPHER.iv),
  ),
  assertion(MEMO_ERRORS.memo_too_short, 'memo of 3 bytes is too short for its checksum', () =>
    readPlainMemo(new Uint8Array(3)),
  ),
  assertion(
    MEMO_ERRORS.memo_checksum_wrong,
    'memo checksum does not match: wrong key, wrong nonce or damaged message',
    () => openPacket(new Uint8Array(8)),
  ),
  // Ids
  assertion(DIGEST_ERRORS.chain_id_invalid, 'chain id must be 64 hex characters', () =>
    signatureDigest('00', new Uint8Array(1)),
  ),
  assertion(DIGEST_ERRORS.block_id_invalid, 'block id must be 40 hex characters', () => blockNumFromId('00')),
  // Confidential values
  assertion(BLIND_ERRORS.blinding_factor_invalid, 'blinding factor must be 32 bytes below the order of the curve', () =>
    blind(new Uint8Array(31), 1n),
  ),
  assertion(BLIND_ERRORS.blinded_value_invalid, 'blinded value -1 is outside of 0 to 2^64 - 1', () =>
    blind(factor, -1n),
  ),
  assertion(BLIND_ERRORS.commitment_is_nothing, 'a commitment to nothing, by nothing, has no form', () =>
    blind(new Uint8Array(32), 0n),
  ),
  assertion(RANGE_HEADER_ERRORS.range_proof_invalid, 'range proof is malformed', () => rangeInfo(new Uint8Array(3))),
  assertion(
    RANGE_SIGN_ERRORS.range_value_below_min,
    'value 4 is below the least value 5',
    prove({ value: 4n, minValue: 5n }),
  ),
  assertion(RANGE_SIGN_ERRORS.range_exponent_invalid, 'exponent 19 is outside of -1 to 18', prove({ exponent: 19 })),
  assertion(RANGE_SIGN_ERRORS.range_bits_invalid, '65 bits are outside of 0 to 64', prove({ minBits: 65 })),
  assertion(
    RANGE_SIGN_ERRORS.range_value_too_high,
    'a least value is below 2^63 - 1, and 0 where the value is 2^63 or more',
    prove({ value: 1n << 63n, minValue: 1n }),
  ),
  assertion(
    RANGE_SIGN_ERRORS.range_commitment_differs,
    'the commitment is not one to this value by this blinding factor',
    prove({ commitment: blind(factor, 6n) }),
  ),
  assertion(
    RANGE_SIGN_ERRORS.range_factor_needed,
    'a proof of one digit needs a blinding factor other than 0',
    prove({ factor: new Uint8Array(32), exponent: -1, commitment: blind(new Uint8Array(32), 5n) }),
  ),
];
