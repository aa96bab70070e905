import { createCipheriv, createDecipheriv } from 'node:crypto'; // nondet-ok: a pure function of its input
import { concatBytes } from '../base/bytes.js';
import { check, defineErrors, fail } from '../base/errors.js';

export const AES_ERRORS = defineErrors({
  aes_length_wrong: { text: 'cipher text is not made of whole blocks' },
  aes_padding_wrong: { text: 'cipher text has a wrong padding' },
});

const ALGORITHM = 'aes-256-cbc';
const BLOCK_BYTES = 16;

/** `pkcs7` is the chain's form; `none` is for what one old client sends, whole blocks without any padding. */
export type AesPadding = 'pkcs7' | 'none';

export function aesEncrypt(plain: Uint8Array, key: Uint8Array, iv: Uint8Array): Uint8Array {
  const cipher = createCipheriv(ALGORITHM, key, iv);
  return concatBytes(cipher.update(plain), cipher.final());
}

export function aesDecrypt(
  secret: Uint8Array,
  key: Uint8Array,
  iv: Uint8Array,
  padding: AesPadding = 'pkcs7',
): Uint8Array {
  check(secret.length > 0 && secret.length % BLOCK_BYTES === 0, AES_ERRORS.aes_length_wrong);
  const decipher = createDecipheriv(ALGORITHM, key, iv);
  decipher.setAutoPadding(padding === 'pkcs7');
  const head = decipher.update(secret);
  try {
    return concatBytes(head, decipher.final());
  } catch {
    // Whole blocks went in: a wrong padding is all that can be found here.
    return fail(AES_ERRORS.aes_padding_wrong);
  }
}

/** One direction of a conversation: each piece goes on where the last one ended, so pieces are whole blocks. */
export type AesStream = (blocks: Uint8Array) => Uint8Array;

export function aesEncryptStream(key: Uint8Array, iv: Uint8Array): AesStream {
  return streamOf(createCipheriv(ALGORITHM, key, iv));
}

export function aesDecryptStream(key: Uint8Array, iv: Uint8Array): AesStream {
  return streamOf(createDecipheriv(ALGORITHM, key, iv));
}

function streamOf(cipher: ReturnType<typeof createCipheriv> | ReturnType<typeof createDecipheriv>): AesStream {
  cipher.setAutoPadding(false);
  return (blocks) => {
    check(blocks.length % BLOCK_BYTES === 0, AES_ERRORS.aes_length_wrong);
    return cipher.update(blocks);
  };
}
