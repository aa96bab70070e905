import { booleanOf, choice, type Described, integerOf, objectOf, optionalOf, textOf } from '../common/schema.js';

/** What clients of the gateway send and get. Members have the names that SDKs of the family use. */

const SECONDS_MAX = 0xffff_ffff;

const keyText = (of: string): Described<string> =>
  textOf({ wanted: `the public key that is the ${of} of the account`, pattern: /^/, charsMax: 100 });

/** Forms of web pages send what is not filled in as an empty text. */
const orEmpty = (of: Described<string>): Described<string | undefined> => {
  const optional = optionalOf(of);
  return { ...optional, fromJson: (given) => (given === '' ? undefined : optional.fromJson(given)) };
};

export const registerBody = objectOf({
  account: objectOf({
    name: textOf({ wanted: 'the name of the account', pattern: /^/, charsMax: 200, example: 'newcomer-7' }),
    active_key: orEmpty(keyText('active key; the owner key without it')),
    owner_key: orEmpty(keyText('owner key; the active key without it')),
    memo_key: orEmpty(keyText('memo key; the active key without it')),
    referrer: orEmpty(
      textOf({
        wanted: 'the name or id of who has brought the newcomer',
        pattern: /^(?:1\.2\.\d{1,12}|[a-z][a-z0-9.-]{0,62})$/,
        charsMax: 63,
      }),
    ),
    refcode: orEmpty(textOf({ wanted: 'the code of who has brought the newcomer', pattern: /^[\w-]+$/, charsMax: 64 })),
  }),
  invite: orEmpty(textOf({ wanted: 'an invite code', pattern: /^/, charsMax: 100 })),
  work: optionalOf(
    objectOf({
      time: integerOf(0, SECONDS_MAX, 'When it was begun: seconds since 1970'),
      nonce: textOf({ wanted: 'the text that was found', pattern: /^/, charsMax: 64 }),
    }),
  ),
});
export type RegisterBody = ReturnType<typeof registerBody.fromJson>;

export const invitePath = objectOf({ code: textOf({ wanted: 'an invite code', pattern: /^/, charsMax: 100 }) });

// What is answered: declared for the document.
const anyText = (wanted: string): Described<string> => textOf({ wanted, pattern: /^/, charsMax: 10_000 });
const accountOut = objectOf({ id: anyText('account id'), name: anyText('its name') });

/** Beside the members of the transaction itself. */
export const registerAnswer = objectOf({
  txid: optionalOf(anyText('the transaction that has the registration')),
  account: optionalOf(accountOut),
});

export const conditionsAnswer = objectOf({
  chainId: anyText('the chain'),
  keyPrefix: anyText('what public keys begin with'),
  registrar: accountOut,
  guard: choice('none', 'work', 'invite', 'any'),
  workBits: integerOf(0, 40, 'How much work; 0 where none is asked for'),
  workSeconds: integerOf(0, SECONDS_MAX, 'How far the time of the work may be from now'),
  premiumNames: booleanOf('Whether names of letters alone with a vowel are registered'),
  open: booleanOf('Whether the budget of today suffices for another one'),
});

export const errorAnswer = objectOf({
  code: choice(
    'INVALID_PARAMS',
    'NAME_INVALID',
    'NAME_PREMIUM',
    'NAME_TAKEN',
    'REFERRER_INVALID',
    'WORK_NEEDED',
    'INVITE_NEEDED',
    'RATE_LIMITED',
    'BUDGET_SPENT',
    'NOT_FOUND',
    'REGISTRAR_DRY',
    'CHAIN_UNAVAILABLE',
    'DATABASE_UNAVAILABLE',
  ),
  msg: anyText('what is wrong, for people'),
});
