import { defineErrors, FAMILY } from '../../base/errors.js';

/** What clients of the gateway know by name; the code is the status of the answer. */
export const GATEWAY_ERRORS = defineErrors({
  gateway_params: { code: 400, name: 'INVALID_PARAMS', title: 'INVALID_PARAMS', text: '${why}' },
  gateway_name: {
    code: 400,
    name: 'NAME_INVALID',
    title: 'NAME_INVALID',
    text: '${name} can not be the name of an account: 1 to 63 of a to z, 0 to 9, hyphen and dot, each part begins with a letter and ends with a letter or a digit',
  },
  gateway_name_premium: {
    code: 403,
    name: 'NAME_PREMIUM',
    title: 'NAME_PREMIUM',
    text: '${name} is a name of the dear kind, which this gateway does not pay for: names with a digit or a hyphen, or without a vowel, are of the cheap one',
  },
  gateway_name_taken: {
    code: 409,
    name: 'NAME_TAKEN',
    title: 'NAME_TAKEN',
    text: 'there is an account ${name} already',
  },
  gateway_key: {
    code: 400,
    name: 'INVALID_PARAMS',
    title: 'INVALID_PARAMS',
    text: 'account.${member} is not the public key of anybody: ${why}',
  },
  gateway_referrer: { code: 400, name: 'REFERRER_INVALID', title: 'REFERRER_INVALID', text: '${why}' },
  gateway_work: { code: 403, name: 'WORK_NEEDED', title: 'WORK_NEEDED', text: '${why}' },
  gateway_invite: { code: 403, name: 'INVITE_NEEDED', title: 'INVITE_NEEDED', text: '${why}' },
  gateway_rate: {
    kind: 'limit',
    code: 429,
    name: 'RATE_LIMITED',
    title: 'RATE_LIMITED',
    text: 'too much at once from this address; try again later',
  },
  gateway_address: {
    kind: 'limit',
    code: 429,
    name: 'RATE_LIMITED',
    title: 'RATE_LIMITED',
    text: 'this address has registered ${count} accounts today; try again tomorrow',
  },
  gateway_budget: {
    kind: 'limit',
    code: 429,
    name: 'BUDGET_SPENT',
    title: 'BUDGET_SPENT',
    text: 'what this gateway may spend in a day is spent; try again tomorrow',
  },
  gateway_not_found: { code: 404, name: 'NOT_FOUND', title: 'NOT_FOUND', text: 'there is nothing at this path' },
  gateway_dry: {
    kind: 'environment',
    code: 503,
    name: 'REGISTRAR_DRY',
    title: 'REGISTRAR_DRY',
    text: 'the account that pays for registrations has not enough; its operator is being told',
  },
  gateway_chain: {
    kind: 'environment',
    code: 503,
    name: 'CHAIN_UNAVAILABLE',
    title: 'CHAIN_UNAVAILABLE',
    text: '${why}',
  },
  gateway_database: {
    kind: 'environment',
    code: 503,
    name: 'DATABASE_UNAVAILABLE',
    title: 'DATABASE_UNAVAILABLE',
    text: 'the database of the gateway took no change; ask again later, with the same name and keys',
  },
  gateway_account_needed: {
    ...FAMILY.invalidArgument,
    text: 'the option account is needed: it registers the accounts and pays for them',
  },
  gateway_key_needed: {
    ...FAMILY.invalidArgument,
    text: 'the active key of ${account} is needed: option key-file, or ${variable} in the environment',
  },
  gateway_invite_count: { ...FAMILY.invalidArgument, text: 'from 1 to ${max} invite codes can be made at once' },
  gateway_not_lifetime: { text: '${account} is no lifetime member: the chain lets no other register accounts' },
});
