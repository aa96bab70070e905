import { defineErrors, fail } from '../base/errors.js';
import { PrivateKey } from '../crypto/private-key.js';
import { type PublicKey, publicKeyToText } from '../crypto/public-key.js';
import type { KeyHolder } from './signing.js';

export const KEY_ERRORS = defineErrors({
  client_key_missing: { text: 'the private key of ${key} was not given to this client' },
});

/** Private keys in memory, for a program that has them from elsewhere. The wallet's `Keyring` can stand in its place. */
export class Keys implements KeyHolder {
  readonly #keyPrefix: string;
  readonly #keys = new Map<PublicKey, PrivateKey>();

  constructor(keyPrefix: string, keys: readonly (string | PrivateKey)[] = []) {
    this.#keyPrefix = keyPrefix;
    for (const key of keys) this.add(key);
  }

  /** In wallet import format, or the key itself. Returns the public key as text. */
  add(key: string | PrivateKey): string {
    const one = typeof key === 'string' ? PrivateKey.fromWif(key) : key;
    this.#keys.set(one.publicKey, one);
    return publicKeyToText(one.publicKey, this.#keyPrefix);
  }

  /** Public keys as text. */
  list(): string[] {
    return [...this.#keys.keys()].map((key) => publicKeyToText(key, this.#keyPrefix));
  }

  has(key: PublicKey): boolean {
    return this.#keys.has(key);
  }

  get(key: PublicKey): PrivateKey {
    const missing = { key: publicKeyToText(key, this.#keyPrefix) };
    return this.#keys.get(key) ?? fail(KEY_ERRORS.client_key_missing, missing);
  }
}
