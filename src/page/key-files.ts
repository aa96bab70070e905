import { PrivateKey } from '../crypto/private-key.js';

/** Keys and key files as people meet them. */

/** Browsers give their ciphers to pages alone that came over HTTPS or from this machine. */
export const canSealKeys = (): boolean => globalThis.crypto.subtle !== undefined;

export const newKey = (): PrivateKey => PrivateKey.fromBytes(globalThis.crypto.getRandomValues(new Uint8Array(32)));

const PASSWORD_CHARS_MIN = 10;
export const NO_CIPHERS = 'Key files need a page that came over HTTPS: browsers give no ciphers to others.';

export function checkPassword(password: string, again: string): void {
  if (password.length < PASSWORD_CHARS_MIN) throw new Error(`A password has at least ${PASSWORD_CHARS_MIN} characters`);
  if (password !== again) throw new Error('The two passwords differ');
}
