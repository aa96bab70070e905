import type { Endpoint } from '../../config/define.js';
import {
  defineOptions,
  endpoint,
  integer,
  listOf,
  maybe,
  type OptionKind,
  type OptionValues,
  oneOf,
  textOption,
} from '../../config/define.js';
import { AddressSet } from '../../http/addresses.js';

export const urlKind: OptionKind<string> = {
  wanted: 'a URL that begins with http:// or https://',
  parse: (text) => (/^https?:\/\/[^\s]+$/.test(text) && URL.canParse(text) ? text : undefined),
  format: (value) => value,
};

const chainId: OptionKind<string | undefined> = maybe({
  wanted: '64 hex digits',
  parse: (text) => (/^[0-9a-fA-F]{64}$/.test(text) ? text.toLowerCase() : undefined),
  format: (value) => value,
});

export const assetKind: OptionKind<number> = {
  wanted: 'an asset id such as 1.3.1',
  parse: (text) => {
    const match = /^1\.3\.(\d{1,9})$/.exec(text);
    return match === null ? undefined : Number(match[1]);
  },
  format: (value) => `1.3.${value}`,
};

export const accountKind: OptionKind<string> = {
  wanted: 'the name or the id of an account',
  parse: (text) => (/^(?:1\.2\.\d{1,12}|[a-z][a-z0-9.-]{0,62})$/.test(text) ? text : undefined),
  format: (value) => value,
};

const proxyKind: OptionKind<string> = {
  wanted: 'an address such as 10.0.0.5, or a subnet such as 10.0.0.0/8',
  parse: AddressSet.check,
  format: (value) => value,
};

/** A name that is misspelled would be that of a file, with the password in it. */
const isOtherUrl = (text: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(text);

/** With a password in it. */
const databaseKind: OptionKind<string | undefined> = maybe({
  wanted: 'a file, or a URL that begins with postgres://',
  isSecret: true,
  parse: (text) => ((/^postgres(?:ql)?:/.test(text) ? URL.canParse(text) : !isOtherUrl(text)) ? text : undefined),
  format: (value) => value,
});

/** What every service is told: where it listens, what it keeps, and which node it asks. */
export function serviceOptions({ folder, at }: { readonly folder: string; readonly at: Endpoint }) {
  return defineOptions({
    'data-dir': {
      kind: textOption,
      initial: folder,
      short: 'd',
      help: 'Folder of all that this service keeps',
    },
    database: {
      kind: databaseKind,
      initial: undefined,
      help: 'The database: a file, or postgres://user:password@host:port/name; a file in the data directory without it. Services that belong together share it',
    },
    'database-pool': {
      kind: integer(2, 1000),
      initial: 10,
      help: 'Connections of this instance to PostgreSQL at the same time',
    },
    'database-timeout': {
      kind: integer(1, 600, 'seconds'),
      initial: 15,
      help: 'PostgreSQL has to take a connection and to answer a statement within this time',
    },
    config: {
      kind: maybe(textOption),
      initial: undefined,
      short: 'c',
      help: 'File with further options as name = value; the command line wins',
      commandLineOnly: true,
    },
    endpoint: { kind: endpoint, initial: at, help: 'Answer HTTP here' },
    'monitor-endpoint': {
      kind: maybe(endpoint),
      initial: undefined,
      help: 'Answer /healthz, /readyz and /metrics here as well; on the other address only this machine gets the metrics',
    },
    transport: {
      kind: oneOf('node-http', 'uws'),
      initial: 'node-http' as const,
      help: 'The server: node-http, or uws, which is faster and native code beside the key of this service',
    },
    'host-name': {
      kind: listOf(textOption),
      initial: [],
      help: 'A name under which clients reach this service, besides addresses and localhost',
    },
    'trusted-proxy': {
      kind: listOf(proxyKind),
      initial: [],
      help: 'Address or range of a proxy that says who its clients are',
    },
    'requests-per-second': {
      kind: integer(0, 1_000_000),
      initial: 100,
      help: 'Requests of one address on average; 0 for no limit. This machine itself has none',
    },
    'requests-burst': { kind: integer(1, 1_000_000), initial: 300, help: 'Requests of one address at once' },
    'memory-max': {
      kind: integer(1_048_576, 68_719_476_736, 'bytes'),
      initial: 67_108_864,
      help: 'What unfinished requests and unread answers of all clients may hold together',
    },
    node: { kind: urlKind, initial: 'http://127.0.0.1:8090', short: 's', help: 'URL of the node' },
    'node-timeout': { kind: integer(1, 600, 'seconds'), initial: 10, help: 'A question to the node is given up then' },
    'chain-id': { kind: chainId, initial: undefined, help: 'Chain that the node has to be on; any without it' },
    lease: {
      kind: integer(1, 3600, 'seconds'),
      initial: 30,
      help: 'When another instance takes up what one has left; the next start on the same machine does so at once',
    },
    'log-level': {
      kind: oneOf('debug', 'info', 'warn', 'error', 'off'),
      initial: 'info' as const,
      help: 'Least level that is logged',
    },
    'log-format': { kind: oneOf('text', 'json'), initial: 'text' as const, help: 'How log lines look' },
  });
}

export type ServiceOptions = OptionValues<ReturnType<typeof serviceOptions>>;

/** What the frame itself has to know. */
export type FrameOptions = Omit<
  ServiceOptions,
  'data-dir' | 'database' | 'database-pool' | 'database-timeout' | 'lease'
>;

/** As whom a service acts on the chain, for those that pay or are paid. */
export const ACCOUNT_OPTIONS = defineOptions({
  account: { kind: maybe(accountKind), initial: undefined, help: 'Account that this service acts as' },
  'key-file': {
    kind: maybe(textOption),
    initial: undefined,
    help: 'File with the active key of the account as WIF, and nothing else',
  },
  'fee-asset': { kind: assetKind, initial: 1, help: 'Asset in which the account pays the fees of the chain' },
});

export type AccountOptions = OptionValues<typeof ACCOUNT_OPTIONS>;
