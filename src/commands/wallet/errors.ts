import { defineErrors, FAMILY } from '../../base/errors.js';

export const WALLET_COMMAND_ERRORS = defineErrors({
  wallet_other_chain: {
    ...FAMILY.invalidArgument,
    text: 'Chain ID in wallet file does not match specified chain ID',
    hint: 'the wallet file belongs to chain ${actual}, this wallet to ${expected}',
  },
  wallet_tls_missing: { kind: 'environment', ...FAMILY.invalidArgument, text: 'cannot read the certificate ${file}' },
  wallet_tls_form: { ...FAMILY.invalidArgument, text: '${file} holds no certificate with its key' },
});
