import { flag, integer, listOf, maybe, type OptionKind, type OptionValues, oneOf } from '../../config/define.js';
import { accountKind, assetKind, serviceOptions } from '../common/options.js';
import { MAIL_OPTIONS } from '../mail/options.js';

const origin: OptionKind<string> = {
  wanted: 'an origin such as https://shop.example',
  parse: (text) =>
    URL.canParse(text) && new URL(text).origin === text.replace(/\/$/, '') ? new URL(text).origin : undefined,
  format: (value) => value,
};

const publicUrl: OptionKind<string | undefined> = maybe({
  wanted: 'a URL that begins with http:// or https://',
  parse: (text) => (/^https?:\/\/[^\s?#]+$/.test(text) && URL.canParse(text) ? text.replace(/\/+$/, '') : undefined),
  format: (value) => value,
});

const MINUTES = 60;

export const MARKET_OPTIONS = {
  ...serviceOptions({ folder: 'trustnode-exchange', at: { host: '127.0.0.1', port: 7100 } }),
  'market-auth': {
    kind: oneOf('signed', 'gateway', 'open'),
    initial: 'signed' as const,
    help: 'Who is believed to be an account: signed requests; gateway: the header X-Market-Account of something on a private address that has checked it; open: that header of anybody, for tests alone',
  },
  admin: {
    kind: listOf(accountKind),
    initial: [] as readonly string[],
    help: 'Account that administers the market: categories, profiles of merchants, bans, lost payments, e-mails',
  },
  origin: {
    kind: listOf(origin),
    initial: [] as readonly string[],
    help: 'Origin of pages that may call from a browser',
  },
  'public-url': {
    kind: publicUrl,
    initial: undefined,
    help: 'Under which clients reach this service, for the addresses of logos; the endpoint without it',
  },
  'page-exchange': {
    kind: publicUrl,
    initial: undefined,
    help: 'Under which browsers reach the exchange: the page at / buys there, and not at all without it',
  },
  'page-node': {
    kind: publicUrl,
    initial: undefined,
    help: 'Under which browsers reach a node: the page asks it for accounts and keys, and nobody signs in there without it',
  },
  'page-gateway': {
    kind: publicUrl,
    initial: undefined,
    help: 'Under which browsers reach the gateway that registers accounts for newcomers',
  },
  'page-wallet': {
    kind: publicUrl,
    initial: undefined,
    help: 'Where the page looks for the wallet of whoever uses it, on the machine of the browser, such as http://127.0.0.1:8093: people can have it sign then',
  },
  'billing-asset': { kind: assetKind, initial: 1, help: 'Asset of all prices and bills' },
  'time-zone': {
    kind: integer(-12 * MINUTES, 14 * MINUTES, 'minutes'),
    initial: 8 * MINUTES,
    help: 'How far the days of bills are ahead of UTC',
  },
  'private-urls': {
    kind: flag,
    initial: false,
    help: 'Merchants may name addresses of this machine and of private networks as theirs',
  },
  'vote-lifetime': { kind: integer(1, 31_536_000, 'seconds'), initial: 172_800, help: 'How long a vote is open' },
  'ban-time': {
    kind: integer(1, 31_536_000, 'seconds'),
    initial: 259_200,
    help: 'How long a merchant may not apply after five rejected applications in a row',
  },
  'logo-bytes-max': { kind: integer(1, 700_000, 'bytes'), initial: 204_800, help: 'The largest logo' },
  'logo-pixels-max': {
    kind: integer(1, 100_000_000),
    initial: 4_194_304,
    help: 'Most pixels of a logo, of all its frames together',
  },
  ...MAIL_OPTIONS,
  'writes-per-second': {
    kind: integer(0, 1_000_000),
    initial: 5,
    help: 'Changes of one account on average, five times as many at once; 0 for no limit',
  },
  'reads-per-second': {
    kind: integer(0, 1_000_000),
    initial: 20,
    help: 'Reads of one address on average, five times as many at once; 0 for no limit. This machine itself has none',
  },
  'binds-per-second': {
    kind: integer(0, 1_000_000),
    initial: 1,
    help: 'Bindings of one address on average, five times as many at once; 0 for no limit. This machine itself has none',
  },
};

export type MarketOptions = OptionValues<typeof MARKET_OPTIONS>;
