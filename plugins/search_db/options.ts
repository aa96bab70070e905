import {
  defineOptions,
  flag,
  integer,
  listOf,
  maybe,
  type OptionKind,
  type OptionValues,
  pathOption,
  textOption,
} from '../../src/config/define.js';
import { BLOCK_NUMBER_MAX, DEFAULT_PREFIX, isIndexPrefix } from './names.js';

const url: OptionKind<string> = {
  wanted: 'an address that begins with http:// or https://',
  parse: (text) => {
    try {
      const { protocol, username } = new URL(text);
      return (protocol === 'http:' || protocol === 'https:') && username === '' ? text : undefined;
    } catch {
      return undefined;
    }
  },
  format: (value) => value,
};

const secret: OptionKind<string> = { ...textOption, isSecret: true };

const indexPrefix: OptionKind<string> = {
  wanted: 'the beginning of a name of an index: small letters, digits, - and _, beginning with a letter or a digit',
  parse: (text) => (isIndexPrefix(text) ? text : undefined),
  format: (value) => value,
};

const LINES_MAX = 1_000_000;
const COPIES_MAX = 1000;

/** Lines are counted as the reference counts them: two per document. */
export const searchOptions = defineOptions({
  'searchdb-node-url': {
    alias: 'elasticsearch-node-url',
    kind: listOf(url),
    initial: [],
    help: 'Address of the search database, http://localhost:9200/ if none is given. Several are nodes of one cluster: when one of them does not answer, another one is asked.',
  },
  'searchdb-bulk-replay': {
    alias: 'elasticsearch-bulk-replay',
    kind: integer(0, LINES_MAX, 'lines, two per document'),
    initial: 10_000,
    help: 'Most lines of one request while old blocks are written.',
  },
  'searchdb-bulk-sync': {
    alias: 'elasticsearch-bulk-sync',
    kind: integer(0, LINES_MAX, 'lines, two per document'),
    initial: 100,
    help: 'Most lines of one request when blocks are as new as the chain; what is there is sent after every block.',
  },
  'searchdb-basic-auth': {
    alias: 'elasticsearch-basic-auth',
    kind: maybe(secret),
    initial: undefined,
    help: 'user:password for the search database, split at the first colon.',
  },
  'searchdb-api-key': {
    kind: maybe(secret),
    initial: undefined,
    help: 'API key for the search database, as it shows it encoded; in place of searchdb-basic-auth.',
  },
  'searchdb-tls-ca': {
    kind: maybe(pathOption),
    initial: undefined,
    help: 'File with the certificate, PEM, that the certificate of the search database goes back to, where it is none that everybody knows.',
  },
  'searchdb-index-prefix': {
    alias: 'elasticsearch-index-prefix',
    kind: indexPrefix,
    initial: DEFAULT_PREFIX,
    help: 'Beginning of the names of the indexes: there is one per month, <prefix>YYYY-MM.',
  },
  'searchdb-operation-object': {
    alias: 'elasticsearch-operation-object',
    kind: flag,
    initial: true,
    help: 'Operations as objects that can be searched, in op_object; with false as JSON text, in op.',
  },
  'searchdb-start-after-block': {
    alias: 'elasticsearch-start-es-after-block',
    kind: integer(0, BLOCK_NUMBER_MAX, 'block number'),
    initial: 0,
    help: 'Operations up to this block count for the numbers of later ones but are not written.',
  },
  'searchdb-max-ops-per-account': {
    alias: 'elasticsearch-max-ops-per-account',
    kind: integer(0, BLOCK_NUMBER_MAX, 'operations'),
    initial: 0,
    help: 'Accepted and without effect: the search database has all operations, and this plugin keeps none in memory.',
  },
  'searchdb-head': {
    kind: flag,
    initial: false,
    help: 'Write operations as soon as they are in a block, and take back those whose block leaves the chain. Without it only irreversible ones are written.',
  },
  'searchdb-shards': {
    kind: integer(1, COPIES_MAX, 'shards'),
    initial: 1,
    help: 'Shards of the index of a month that is begun from now on.',
  },
  'searchdb-replicas': {
    kind: integer(0, COPIES_MAX, 'copies'),
    initial: 1,
    help: 'Copies of each shard, on other nodes of the cluster, of indexes that are begun from now on.',
  },
});

export type SearchOptions = OptionValues<typeof searchOptions>;

export const DEFAULT_URL = 'http://localhost:9200/';
