import {
  defineOptions,
  type Endpoint,
  endpoint,
  flag,
  integer,
  listOf,
  maybe,
  type OptionKind,
  oneOf,
  textOption,
} from '../config/define.js';

const secret: OptionKind<string> = { ...textOption, isSecret: true };
/** An endpoint whose option may stand alone. */
const endpointOr = (bare: string): OptionKind<Endpoint | undefined> => ({ ...maybe(endpoint), bare });
const chainIdOption: OptionKind<string | undefined> = maybe({
  wanted: '64 hex digits',
  parse: (text) => (/^[0-9a-fA-F]{64}$/.test(text) ? text.toLowerCase() : undefined),
  format: (value) => value,
});

/** The names are those of the family's wallet; what it does not have stands behind them. */
export const WALLET_OPTIONS = defineOptions({
  'server-rpc-endpoint': {
    kind: { ...maybe(textOption), bare: 'ws://127.0.0.1:8090' },
    initial: undefined,
    short: 's',
    help: 'URL of the node, ws:// or wss://; without it that of the wallet file, else ws://localhost:8090',
  },
  'server-rpc-user': { kind: maybe(textOption), initial: undefined, short: 'u', help: 'User at the node' },
  'server-rpc-password': { kind: maybe(secret), initial: undefined, short: 'p', help: 'Password at the node' },
  'rpc-endpoint': {
    kind: endpointOr('127.0.0.1:8091'),
    initial: undefined,
    short: 'r',
    help: 'Answer JSON-RPC over HTTP and WebSocket here',
  },
  'rpc-tls-endpoint': {
    kind: endpointOr('127.0.0.1:8092'),
    initial: undefined,
    short: 't',
    help: 'The same over TLS',
  },
  'rpc-tls-certificate': {
    kind: { ...textOption, bare: 'server.pem' },
    initial: 'server.pem',
    short: 'c',
    help: 'PEM file with certificate chain and key for TLS',
  },
  'rpc-http-endpoint': {
    kind: endpointOr('127.0.0.1:8093'),
    initial: undefined,
    short: 'H',
    help: 'Answer JSON-RPC over HTTP alone here, in the form of the family’s wallet',
  },
  daemon: { kind: flag, initial: false, short: 'd', help: 'No prompt; run until a signal' },
  'enable-rpc-log': {
    kind: flag,
    initial: false,
    help: 'Log what the servers are asked, without secrets, to logs/rpc/rpc.log in the data directory',
  },
  'wallet-file': {
    kind: { ...textOption, bare: 'wallet.json' },
    initial: 'wallet.json',
    short: 'w',
    help: 'The wallet file',
  },
  'data-dir': {
    kind: textOption,
    initial: 'witness_node_data_dir',
    short: 'D',
    help: 'Where the log of --enable-rpc-log goes',
  },
  'chain-id': {
    kind: chainIdOption,
    initial: undefined,
    help: 'Chain of a new wallet file; an existing one must be of it',
  },
  'suggest-brain-key': { kind: flag, initial: false, help: 'Print words for new keys and end' },
  exec: {
    kind: listOf(textOption),
    initial: [],
    help: 'Run this command instead of asking; the exit code tells whether it was refused',
  },
  'lock-after': {
    kind: maybe(integer(0, 1_000_000, 'seconds')),
    initial: undefined,
    help: 'Lock when nothing was asked for so long; 0 never. Without it a prompt locks after 900, a daemon never',
  },
  yes: { kind: flag, initial: false, short: 'y', help: 'Send without asking at the prompt' },
  wait: {
    kind: oneOf('none', 'block', 'irreversible'),
    initial: 'none' as const,
    help: 'Tell what becomes of a sent transaction, until it is in a block or irreversible, before the next command',
  },
  allow: {
    kind: listOf(textOption),
    initial: [],
    help: 'A command that the servers answer; without this option all',
  },
  'http-user': { kind: textOption, initial: '', help: 'User that the servers ask for' },
  'http-password': { kind: secret, initial: '', help: 'Password that the servers ask for' },
  origin: {
    kind: listOf(textOption),
    initial: [],
    help: 'A page that may use the servers, as browsers name its origin',
  },
  'host-name': { kind: listOf(textOption), initial: [], help: 'A name under which clients reach the servers' },
});
