import { flag, integer, listOf, maybe, type OptionKind, type OptionValues, oneOf } from '../../config/define.js';
import { ALARM_OPTIONS } from '../alarm/options.js';
import { ACCOUNT_OPTIONS, accountKind, serviceOptions } from '../common/options.js';

export interface Partner {
  readonly code: string;
  readonly account: string;
}

const partnerKind: OptionKind<Partner> = {
  wanted: 'a code and an account such as SHOP7=my-shop',
  parse: (text) => {
    const [, code, account = ''] = /^([\w-]{1,64})=(.+)$/.exec(text) ?? [];
    return code === undefined || accountKind.parse(account) === undefined ? undefined : { code, account };
  },
  format: ({ code, account }) => `${code}=${account}`,
};

const SHARED = serviceOptions({ folder: 'trustnode-gateway', at: { host: '127.0.0.1', port: 7004 } });

export const GATEWAY_OPTIONS = {
  ...SHARED,
  ...ACCOUNT_OPTIONS,
  // Nobody registers many accounts a second.
  'requests-per-second': { ...SHARED['requests-per-second'], initial: 5 },
  'requests-burst': { ...SHARED['requests-burst'], initial: 30 },
  'daily-budget': {
    kind: integer(0, 999_999_999_999_999, 'smallest units'),
    initial: 100_000_000,
    help: 'What registrations may cost in a day (UTC), of the fee asset; restarts do not begin it anew',
  },
  'address-daily-max': {
    kind: integer(0, 1_000_000),
    initial: 10,
    help: 'Accounts that one address may register in a day; 0 for no limit. This machine itself has none',
  },
  guard: {
    kind: oneOf('none', 'work', 'invite', 'any'),
    initial: 'none' as const,
    help: 'What keeps programs from registering: work that a computer has to do, invite codes, or one of both; SDKs know of neither',
  },
  'work-bits': {
    kind: integer(1, 40),
    initial: 20,
    help: 'How much work: about two to the power of it hashes',
  },
  'invite-days': {
    kind: integer(1, 36_500, 'days'),
    initial: 30,
    help: 'How long invite codes hold that are made now',
  },
  'premium-names': {
    kind: flag,
    initial: false,
    help: 'Register names that the chain asks more for as well: those of letters alone with a vowel',
  },
  referrer: {
    kind: maybe(accountKind),
    initial: undefined,
    help: 'Who has brought those that name nobody; the account itself without it',
  },
  'referrer-percent': {
    kind: integer(0, 10_000),
    initial: 5000,
    help: 'Share of what a referrer gets, of 10000; the rest is the registrar’s',
  },
  partner: {
    kind: listOf(partnerKind),
    initial: [] as readonly Partner[],
    help: 'CODE=ACCOUNT: who has brought those that send this refcode; may be repeated',
  },
  wait: {
    kind: integer(0, 120, 'seconds'),
    initial: 20,
    help: 'How long an answer waits for the block that has the account',
  },
  ...ALARM_OPTIONS,
};

export type GatewayOptions = OptionValues<typeof GATEWAY_OPTIONS>;
