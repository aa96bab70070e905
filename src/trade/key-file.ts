import { fromHex, toHex } from '../base/bytes.js';
import { defineErrors, fail } from '../base/errors.js';
import { PrivateKey } from '../crypto/private-key.js';

/**
 * A key in a file, behind a password: AES-256-GCM by a key that PBKDF2 makes of the password, both by what browsers and Node
 * bring along. It is the only way in which a key leaves the page of the market.
 */

export const SEALED_KEY_ERRORS = defineErrors({
  sealed_key_form: { text: 'this is no key file of the page of a market' },
  // All that the cipher tells.
  sealed_key_password: { text: 'the password is not the one of this file, or the file is damaged' },
});

interface KeyFile {
  readonly form: 'trustnode-key-1';
  readonly account: string;
  readonly name: string;
  readonly iterations: number;
  readonly salt: string;
  readonly iv: string;
  readonly secret: string;
}

const ITERATIONS = 600_000;
const ITERATIONS_MAX = 10_000_000;
const SALT_BYTES = 16;
const IV_BYTES = 12;

const bytesOf = (hex: string): Uint8Array<ArrayBuffer> => Uint8Array.from(fromHex(hex));

const isHex = (text: unknown): boolean => typeof text === 'string' && /^(?:[0-9a-f]{2})+$/i.test(text);

async function cipherKey(password: string, salt: Uint8Array<ArrayBuffer>, iterations: number) {
  const { subtle } = globalThis.crypto;
  const text = new TextEncoder().encode(password.normalize('NFKC'));
  const raw = await subtle.importKey('raw', text, 'PBKDF2', false, ['deriveKey']);
  const rule = { name: 'PBKDF2', hash: 'SHA-256', salt, iterations };
  return subtle.deriveKey(rule, raw, { name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt']);
}

export async function sealKey(
  { account, name, key }: { readonly account: string; readonly name: string; readonly key: PrivateKey },
  password: string,
): Promise<string> {
  const salt = globalThis.crypto.getRandomValues(new Uint8Array(SALT_BYTES));
  const iv = globalThis.crypto.getRandomValues(new Uint8Array(IV_BYTES));
  const sealed = await globalThis.crypto.subtle.encrypt(
    { name: 'AES-GCM', iv },
    await cipherKey(password, salt, ITERATIONS),
    Uint8Array.from(key.secret()),
  );
  const file: KeyFile = {
    form: 'trustnode-key-1',
    account,
    name,
    iterations: ITERATIONS,
    salt: toHex(salt),
    iv: toHex(iv),
    secret: toHex(new Uint8Array(sealed)),
  };
  return `${JSON.stringify(file, null, 2)}\n`;
}

function readFile(text: string): KeyFile {
  try {
    const file = JSON.parse(text) as KeyFile;
    const { form, iterations, salt, iv, secret } = file;
    const isWork = Number.isInteger(iterations) && iterations > 0 && iterations <= ITERATIONS_MAX;
    if (form === 'trustnode-key-1' && isWork && [salt, iv, secret].every(isHex)) return file;
  } catch {
    // Said below.
  }
  return fail(SEALED_KEY_ERRORS.sealed_key_form);
}

export async function openKey(text: string, password: string): Promise<PrivateKey> {
  const { salt, iv, iterations, secret } = readFile(text);
  const key = await cipherKey(password, bytesOf(salt), iterations);
  try {
    const plain = await globalThis.crypto.subtle.decrypt({ name: 'AES-GCM', iv: bytesOf(iv) }, key, bytesOf(secret));
    return PrivateKey.fromBytes(new Uint8Array(plain));
  } catch {
    return fail(SEALED_KEY_ERRORS.sealed_key_password);
  }
}
