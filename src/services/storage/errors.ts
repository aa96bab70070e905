import { defineErrors, FAMILY } from '../../base/errors.js';

/** What clients of paid storage know by number and name. */
export const STORAGE_ERRORS = defineErrors({
  storage_param: { code: 400, name: 'PARAM_INVALID', title: 'PARAM_INVALID', text: '${why}' },
  storage_signature: {
    code: 401,
    name: 'DATA_SIGN_FAILURE',
    title: 'DATA_SIGN_FAILURE',
    text: 'the signature is not that of the only active key of ${account}',
  },
  storage_balance: {
    code: 402,
    name: 'BALANCE_NO_ENOUGH',
    title: 'BALANCE_NO_ENOUGH',
    text: 'the balance does not suffice: ${why}',
  },
  storage_expiration: {
    code: 404,
    name: 'REQ_EXPIRATION',
    title: 'REQ_EXPIRATION',
    text: 'the authorization ends too soon or too late: ${why}',
  },
  storage_md5: {
    code: 405,
    name: 'DATA_MD5_INVALID',
    title: 'DATA_MD5_INVALID',
    text: 'the memo has to be the MD5 of the data, ${md5}',
  },
  storage_account: {
    code: 406,
    name: 'ACCOUNT_NO_EXIT',
    title: 'ACCOUNT_NO_EXIT',
    text: 'there is no account ${account}',
  },
  storage_size: {
    kind: 'limit',
    code: 407,
    name: 'DATA_OVER_SIZE',
    title: 'DATA_OVER_SIZE',
    text: 'the data may have at most ${limit} bytes',
  },
  storage_amount: {
    code: 408,
    name: 'AMOUNT_INVALID',
    title: 'AMOUNT_INVALID',
    text: 'the amount has to be a whole number of ${assets}; for this data from ${min} to ${max}',
  },
  storage_processing: {
    kind: 'limit',
    code: 409,
    name: 'REQ_PROCESSING',
    title: 'REQ_PROCESSING',
    text: 'the same request is still at work; its result comes with the next call',
  },
  storage_rate: {
    kind: 'limit',
    code: 429,
    name: 'RATE_LIMITED',
    title: 'RATE_LIMITED',
    text: 'too much at once from ${whom}; try again later',
  },
  storage_store: {
    kind: 'environment',
    code: 500,
    name: 'STORE_FAIL',
    title: 'STORE_FAIL',
    text: 'the data could not be stored; send the same request again later, which is not paid twice',
  },
  storage_chain: {
    kind: 'environment',
    code: 500,
    name: 'CHAIN_FAIL',
    title: 'CHAIN_FAIL',
    text: 'the chain did not take the payment: ${why}',
  },
  storage_no_data: { code: 401, name: 'NO_EXIT', title: 'NO_EXIT', text: 'nothing is stored here under this id' },
  storage_format: {
    code: 406,
    name: 'NOT_ACCEPTABLE',
    title: 'NOT_ACCEPTABLE',
    text: 'blocks are given as format=raw or format=car; whole files are at /data',
  },
  storage_account_needed: {
    ...FAMILY.invalidArgument,
    text: 'the option account is needed: it receives the fees of storage',
  },
  storage_copy_folder: { ...FAMILY.invalidArgument, text: 'the action ${action} needs a folder' },
  storage_key_needed: {
    ...FAMILY.invalidArgument,
    text: 'the active key of ${account} is needed: option key-file, or ${variable} in the environment',
  },
});
