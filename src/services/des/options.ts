import { flag, integer, type OptionValues, oneOf } from '../../config/define.js';
import { ALARM_OPTIONS } from '../alarm/options.js';
import { ACCOUNT_OPTIONS, serviceOptions } from '../common/options.js';
import { CONTENT_OPTIONS } from '../content/opening.js';

const SHARED = serviceOptions({ folder: 'trustnode-exchange', at: { host: '127.0.0.1', port: 7001 } });

export const DES_OPTIONS = {
  ...SHARED,
  ...ACCOUNT_OPTIONS,
  // Clients look for their result every 60 ms, and many may come from one address.
  'requests-per-second': { ...SHARED['requests-per-second'], initial: 600 },
  'requests-burst': { ...SHARED['requests-burst'], initial: 1800 },
  ...CONTENT_OPTIONS,
  percent: {
    kind: integer(0, 10_000),
    initial: 1000,
    help: 'Share of each payment that this exchange keeps, of 10000',
  },
  'release-at': {
    kind: oneOf('accepted', 'included', 'final'),
    initial: 'accepted' as const,
    help: 'Buyers get their data when a node has accepted the payment, when a block has it, or when it is irreversible',
  },
  'source-timeout': {
    kind: integer(1, 600, 'seconds'),
    initial: 5,
    help: 'A source has to answer within this time after the request',
  },
  'consent-timeout': {
    kind: integer(1, 3600, 'seconds'),
    initial: 5,
    help: 'The same for products that need the consent of a person',
  },
  'connect-timeout': {
    kind: integer(1, 60, 'seconds'),
    initial: 1,
    help: 'A source has to take the connection within this time',
  },
  'asks-max': { kind: integer(1, 100_000), initial: 500, help: 'Sources that are asked at the same time' },
  'answer-bytes-max': {
    kind: integer(1024, 67_108_864, 'bytes'),
    initial: 4_194_304,
    help: 'The largest answer of a source',
  },
  'private-sources': {
    kind: flag,
    initial: false,
    help: 'Ask sources at addresses of this machine and of private networks as well',
  },
  'require-chain-roles': {
    kind: flag,
    initial: false,
    help: 'Buyers have to be registered as merchants on the chain, and sources as data sources',
  },
  'clock-skew': {
    kind: integer(0, 60_000, 'milliseconds'),
    initial: 1000,
    help: 'How far clocks of sources may be off, beside the three seconds that a heartbeat is valid',
  },
  'creates-per-second': {
    kind: integer(0, 1_000_000),
    initial: 20,
    help: 'Requests of one buyer on average, five times as many at once; 0 for no limit',
  },
  'heartbeats-per-second': {
    kind: integer(0, 1_000_000),
    initial: 2,
    help: 'Heartbeats of one source on average, five times as many at once; 0 for no limit',
  },
  'products-per-second': {
    kind: integer(0, 1_000_000),
    initial: 50,
    help: 'Product queries of one address on average, five times as many at once; 0 for no limit. This machine itself has none',
  },
  'looks-per-second': {
    kind: integer(0, 1_000_000),
    initial: 30,
    help: 'Questions for one result on average, five times as many at once; 0 for no limit',
  },
  'data-days': { kind: integer(1, 36_500, 'days'), initial: 7, help: 'How long results are shown with their data' },
  'content-days': {
    kind: integer(1, 36_500, 'days'),
    initial: 30,
    help: 'How long what was delivered is kept by its content id',
  },
  'request-days': { kind: integer(1, 36_500, 'days'), initial: 400, help: 'How long requests are kept at all' },
  ...ALARM_OPTIONS,
};

export type DesOptions = OptionValues<typeof DES_OPTIONS>;
