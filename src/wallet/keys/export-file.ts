import { timingSafeEqual } from 'node:crypto';
import { ChainError, check, fail } from '../../base/errors.js';
import { array } from '../../codec/containers.js';
import { bytes, fixedBytes, text } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import type { ValueOf } from '../../codec/type.js';
import { aesDecrypt } from '../../crypto/aes.js';
import { sha512 } from '../../crypto/hash.js';
import { PrivateKey } from '../../crypto/private-key.js';
import { publicKey } from '../../protocol/keys.js';
import { KEYSTORE_ERRORS } from '../errors.js';
import { passwordHash } from './keyring.js';

/** Keys that another wallet of the family has exported. */
export const exportedKeys = struct('exported_keys', {
  password_checksum: fixedBytes('sha512', 64),
  account_keys: array(
    struct('exported_account_keys', {
      account_name: text,
      encrypted_private_keys: array(bytes),
      public_keys: array(publicKey),
    }),
  ),
});
export type ExportedKeys = ValueOf<typeof exportedKeys>;

/** Refuses a wrong password before any key is touched; gives what opens them. */
export function exportPasswordHash(exported: ExportedKeys, password: string): Uint8Array {
  const hash = passwordHash(password);
  check(timingSafeEqual(sha512(hash), exported.password_checksum), KEYSTORE_ERRORS.export_password_wrong);
  return hash;
}

export function openExportedKeys(account: ExportedKeys['account_keys'][number], hash: Uint8Array): PrivateKey[] {
  return account.encrypted_private_keys.map((secret, index) => {
    try {
      return PrivateKey.fromBytes(aesDecrypt(secret, hash.subarray(0, 32), hash.subarray(32, 48)));
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
      return fail(KEYSTORE_ERRORS.export_key_damaged, { index, account: account.account_name });
    }
  });
}
