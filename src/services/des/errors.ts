import { defineErrors, FAMILY } from '../../base/errors.js';

/** What clients of the exchange know by name. */
export const DES_ERRORS = defineErrors({
  des_params: { code: 400, name: 'INVALID_PARAMS', title: 'INVALID_PARAMS', text: '${why}' },
  des_account: { code: 400, name: 'ACCOUNT_NOT_EXIST', title: 'ACCOUNT_NOT_EXIST', text: '${why}' },
  des_forbidden: {
    code: 403,
    name: 'FORBIDDEN',
    title: 'FORBIDDEN',
    text: 'the product ${product} is not on sale',
  },
  des_banned: {
    code: 403,
    name: 'FORBIDDEN',
    title: 'FORBIDDEN',
    text: '${account} is banned from this exchange: ${reason}',
  },
  des_role: {
    code: 403,
    name: 'FORBIDDEN',
    title: 'FORBIDDEN',
    text: '${account} is not registered on the chain as a ${role}',
  },
  des_balance: {
    code: 400,
    name: 'BALANCE_NOT_ENOUGH',
    title: 'BALANCE_NOT_ENOUGH',
    text: 'the balance does not suffice: ${why}',
  },
  des_signature: { code: 401, name: 'SIGNATURE_VERIFY_FAIL', title: 'SIGNATURE_VERIFY_FAIL', text: '${why}' },
  des_offline: {
    code: 400,
    name: 'DATASOURCE_OFFLINE',
    title: 'DATASOURCE_OFFLINE',
    text: 'none of the sources that are to be asked is online',
  },
  des_not_found: { code: 404, name: 'NOT_FOUND', title: 'NOT_FOUND', text: 'there is no such ${what}' },
  des_rate: {
    kind: 'limit',
    code: 429,
    name: 'RATE_LIMITED',
    title: 'RATE_LIMITED',
    text: 'too much at once from ${whom}; try again later',
  },
  des_time_out: {
    kind: 'environment',
    code: 504,
    name: 'TIME_OUT',
    title: 'TIME_OUT',
    text: 'the node of this exchange does not answer; try again later',
  },
  des_unknown: {
    kind: 'environment',
    code: 500,
    name: 'UNKNOWN_ERROR',
    title: 'UNKNOWN_ERROR',
    text: 'the exchange could not do it: ${why}',
  },
  des_account_needed: {
    ...FAMILY.invalidArgument,
    text: 'the option account is needed: it brings the payments to the chain',
  },
  des_key_needed: {
    ...FAMILY.invalidArgument,
    text: 'the active key of ${account} is needed: option key-file, or ${variable} in the environment',
  },
});
