import { defineErrors, FAMILY } from '../base/errors.js';

/**
 * What the wallet refuses. Texts are those of the chain's own wallet where it has the check, since programs that drive
 * it compare them; what only ours checks has a text of its own.
 */

export const KEYSTORE_ERRORS = defineErrors({
  wallet_locked: { text: '!is_locked(): ', hint: 'the wallet is locked; unlock it first' },
  wallet_locked_self: { text: '!self.is_locked(): ', hint: 'the wallet is locked; unlock it first' },
  wallet_password_locked: { text: '!is_locked(): The wallet must be unlocked before the password can be set' },
  wallet_password_empty: { text: 'password.size() > 0: ', hint: 'the password must not be empty' },
  /** One refusal, whether the padding, the form or the stored hash gives it away. */
  wallet_password_wrong: {
    ...FAMILY.aes,
    text: 'error during aes 256 cbc decrypt final',
    hint: 'the password is wrong, or the keys in the wallet file are damaged',
  },
  wallet_new: { text: 'the wallet has no password yet; set one first' },
  key_missing: { text: 'it != _keys.end(): ', hint: 'the wallet does not hold the private key of ${key}' },
  key_text_invalid: { ...FAMILY.unspecified, text: 'Invalid private key' },
  export_file_missing: { text: 'fc::exists( filename ): ', hint: 'there is no file ${file}' },
  export_password_wrong: {
    text: 'fc::sha512::hash( password_hash ) == imported_keys.password_checksum: ',
    hint: 'the password is not that of the exported keys',
  },
  export_key_damaged: {
    ...FAMILY.aes,
    text: 'error during aes 256 cbc decrypt final',
    hint: 'key ${index} of account ${account} in the exported file is damaged',
  },
});

export const WALLET_FILE_ERRORS = defineErrors({
  wallet_file_form: { ...FAMILY.parse, text: 'wallet file ${file}: ${what}' },
  wallet_file_missing: { ...FAMILY.invalidArgument, text: 'there is no wallet file ${file}' },
  wallet_file_chain: {
    ...FAMILY.unspecified,
    text: 'Wallet chain ID does not match',
    hint: 'the wallet file belongs to chain ${actual}, this wallet to ${expected}',
  },
  wallet_file_read: { kind: 'environment', ...FAMILY.invalidArgument, text: 'cannot read ${file}: ${reason}' },
  wallet_file_write: { kind: 'environment', ...FAMILY.invalidArgument, text: 'cannot write ${file}: ${reason}' },
});
