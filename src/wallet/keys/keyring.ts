import { timingSafeEqual } from 'node:crypto';
import { fromHex, toHex } from '../../base/bytes.js';
import { ChainError, check, fail } from '../../base/errors.js';
import { decode, encode } from '../../codec/binary.js';
import { map } from '../../codec/containers.js';
import { fixedBytes, text } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import { encodeText } from '../../codec/text.js';
import type { Network } from '../../codec/type.js';
import { compareKeysByAddress } from '../../crypto/address.js';
import { aesDecrypt, aesEncrypt } from '../../crypto/aes.js';
import { sha512 } from '../../crypto/hash.js';
import { PrivateKey } from '../../crypto/private-key.js';
import type { PublicKey } from '../../crypto/public-key.js';
import { publicKey } from '../../protocol/keys.js';
import { KEYSTORE_ERRORS } from '../errors.js';

/**
 * The private keys of a wallet. On disk there is only what `sealed` gives: the keys as texts and the hash of the
 * password, encrypted under that hash. In memory they are there while the wallet is unlocked.
 */

const HASH_BYTES = 64;

/** Ordered by address, as all maps of keys are. */
const plainKeys = struct('plain_keys', { keys: map(publicKey, text), checksum: fixedBytes('sha512', HASH_BYTES) });

export function passwordHash(password: string): Uint8Array {
  return sha512(encodeText(password));
}

const keyOf = (hash: Uint8Array): Uint8Array => hash.subarray(0, 32);
const ivOf = (hash: Uint8Array): Uint8Array => hash.subarray(32, 48);

function sealKeys(keys: readonly PrivateKey[], hash: Uint8Array): string {
  const plain = encode(plainKeys, { keys: keys.map((key) => [key.publicKey, key.toWif()]), checksum: hash });
  try {
    return toHex(aesEncrypt(plain, keyOf(hash), ivOf(hash)));
  } finally {
    plain.fill(0);
  }
}

/** The keys by the password's hash. Every way in which a password can be wrong is one and the same refusal. */
export function openKeys(sealed: string, hash: Uint8Array): PrivateKey[] {
  try {
    const plain = aesDecrypt(fromHex(sealed), keyOf(hash), ivOf(hash));
    const { keys, checksum } = decode(plainKeys, plain);
    plain.fill(0);
    if (timingSafeEqual(checksum, hash)) return keys.map(([, wif]) => PrivateKey.fromWif(wif));
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
  }
  return fail(KEYSTORE_ERRORS.wallet_password_wrong);
}

export class Keyring {
  /** What stands in the wallet file; empty while no password was ever set. */
  readonly #network: Network;
  #sealed: string;
  /** Of the password, while the wallet is unlocked. */
  #hash: Uint8Array | undefined;
  readonly #keys = new Map<PublicKey, PrivateKey>();

  /** The network is for texts of refusals; the keys themselves are of none. */
  constructor(network: Network, sealed = '') {
    this.#network = network;
    this.#sealed = sealed;
  }

  get isNew(): boolean {
    return this.#sealed === '';
  }

  get isLocked(): boolean {
    return this.#hash === undefined;
  }

  /** Keys of the file, of an unlocked wallet with all that were added since. */
  get sealed(): string {
    if (this.#hash !== undefined) this.#sealed = sealKeys([...this.#keys.values()], this.#hash);
    return this.#sealed;
  }

  requireUnlocked(): void {
    check(!this.isLocked, KEYSTORE_ERRORS.wallet_locked);
  }

  /** Of a new wallet or an unlocked one; the wallet is locked afterwards. */
  setPassword(password: string): void {
    check(this.isNew || !this.isLocked, KEYSTORE_ERRORS.wallet_password_locked);
    // Ours: nothing opens what the reference closes with an empty one.
    check(password !== '', KEYSTORE_ERRORS.wallet_password_empty);
    this.#hash = passwordHash(password);
    this.lock();
  }

  /** Back to what stands on the disk, where the keys under another password could not be written. */
  takeBack(sealed: string): void {
    if (!this.isLocked) this.lock();
    this.#sealed = sealed;
  }

  unlock(password: string): void {
    check(password !== '', KEYSTORE_ERRORS.wallet_password_empty);
    check(!this.isNew, KEYSTORE_ERRORS.wallet_new);
    const hash = passwordHash(password);
    if (this.#hash !== undefined) {
      // Unlocked already: keys that were never saved must not be lost to those of the file.
      check(timingSafeEqual(this.#hash, hash), KEYSTORE_ERRORS.wallet_password_wrong);
      return;
    }
    for (const key of openKeys(this.#sealed, hash)) this.#keys.set(key.publicKey, key);
    this.#hash = hash;
  }

  lock(): void {
    this.requireUnlocked();
    this.#sealed = this.sealed;
    for (const key of this.#keys.values()) key.secret().fill(0);
    this.#keys.clear();
    this.#hash?.fill(0);
    this.#hash = undefined;
  }

  /** Another password for the same keys; the wallet stays unlocked if it was. */
  changePassword(old: string, password: string): void {
    check(password !== '', KEYSTORE_ERRORS.wallet_password_empty);
    const wasLocked = this.isLocked;
    this.unlock(old);
    this.#hash = passwordHash(password);
    if (wasLocked) this.lock();
  }

  add(key: PrivateKey): void {
    this.requireUnlocked();
    // A copy, since locking wipes what is held here.
    if (!this.#keys.has(key.publicKey)) this.#keys.set(key.publicKey, PrivateKey.fromBytes(key.secret()));
  }

  has(key: PublicKey): boolean {
    return this.#keys.has(key);
  }

  find(key: PublicKey): PrivateKey | undefined {
    return this.#keys.get(key);
  }

  /** Quirk of the wording alone: a locked wallet says that it does not hold the key. */
  get(key: PublicKey): PrivateKey {
    return this.#keys.get(key) ?? fail(KEYSTORE_ERRORS.key_missing, { key: publicKey.toJson(key, this.#network) });
  }

  /** In the order of the file. */
  publicKeys(): PublicKey[] {
    return [...this.#keys.keys()].sort(compareKeysByAddress);
  }
}
