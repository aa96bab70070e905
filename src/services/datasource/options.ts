import { flag, integer, listOf, maybe, type OptionValues, textOption } from '../../config/define.js';
import { ACCOUNT_OPTIONS, serviceOptions, urlKind } from '../common/options.js';

// It keeps nothing, and pays nothing.
const {
  'data-dir': _folder,
  database: _database,
  lease: _lease,
  ...SHARED
} = serviceOptions({
  folder: '',
  at: { host: '127.0.0.1', port: 7002 },
});
const { 'fee-asset': _fee, ...ACCOUNT } = ACCOUNT_OPTIONS;

export const DATASOURCE_OPTIONS = {
  ...SHARED,
  ...ACCOUNT,
  exchange: { kind: urlKind, initial: 'http://127.0.0.1:7001', help: 'URL of the exchange through which data is sold' },
  'exchange-timeout': {
    kind: integer(1, 600, 'seconds'),
    initial: 10,
    help: 'A heartbeat, and any other question to the exchange, is given up then',
  },
  product: {
    kind: listOf(integer(0, Number.MAX_SAFE_INTEGER)),
    initial: [],
    help: 'Number of a product that is sold; once for each',
  },
  ask: {
    kind: maybe(urlKind),
    initial: undefined,
    help: 'URL of your own that knows the data: it gets each question as JSON by POST',
  },
  module: {
    kind: maybe(textOption),
    initial: undefined,
    help: 'File of a JavaScript module that knows the data: its default export is called with each question',
  },
  'query-url': {
    kind: maybe(urlKind),
    initial: undefined,
    help: 'URL at which the exchange is to ask; without it the one that is bound at the market',
  },
  'ask-timeout': {
    // As long as an exchange may wait for somebody's consent.
    kind: integer(1, 3600, 'seconds'),
    initial: 4,
    help: 'What takes longer than this could not be found out',
  },
  'ask-bytes-max': {
    kind: integer(1024, 67_108_864, 'bytes'),
    initial: 1_048_576,
    help: 'The largest answer of your own program',
  },
  'any-exchange': {
    kind: flag,
    initial: false,
    help: 'Answer whoever asks, also exchanges that do not sign their questions; they may then never pay',
  },
  'asks-max': { kind: integer(1, 100_000), initial: 100, help: 'Questions that are worked on at the same time' },
};

export type DatasourceOptions = OptionValues<typeof DATASOURCE_OPTIONS>;
