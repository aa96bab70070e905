import {
  defineOptions,
  endpoint,
  flag,
  integer,
  listOf,
  maybe,
  type OptionKind,
  oneOf,
  pathOption,
  textOption,
} from '../../config/define.js';
import { AddressSet } from '../../http/addresses.js';

const same = (value: string): string => value;

const origin: OptionKind<string> = {
  wanted: 'an origin such as https://example.com',
  parse: (text) => (/^[a-z][a-z0-9+.-]*:\/\/[^\s/]+\/?$/i.test(text) ? text : undefined),
  format: same,
};

const webAddress: OptionKind<string> = {
  wanted: 'an address of the web such as https://market.example.com',
  parse: (text) =>
    /^(?:https?:\/\/[^\s/?#"<>]+(?:\/[^\s?#"<>]*)?)?$/i.test(text) ? text.replace(/\/+$/, '') : undefined,
  format: same,
};

const hostName: OptionKind<string> = {
  wanted: 'a host name without a port',
  parse: (text) => (/^[a-z0-9_-]+(\.[a-z0-9_-]+)*\.?$/i.test(text) ? text : undefined),
  format: same,
};

const addressOrSubnet: OptionKind<string> = {
  wanted: 'an address such as 10.0.0.5, or a subnet such as 10.0.0.0/8',
  parse: AddressSet.check,
  format: same,
};

export const rpcOptions = defineOptions({
  'rpc-endpoint': {
    kind: { ...maybe(endpoint), bare: '127.0.0.1:8090' },
    initial: undefined,
    help: 'Answer HTTP and WebSocket clients on host:port; off without it.',
  },
  'rpc-tls-endpoint': {
    kind: { ...maybe(endpoint), bare: '127.0.0.1:8089' },
    initial: undefined,
    help: 'Answer clients on host:port with TLS; needs server-pem.',
  },
  'server-pem': {
    kind: pathOption,
    initial: '',
    short: 'p',
    help: 'PEM file with certificate chain and private key for rpc-tls-endpoint.',
  },
  'server-pem-password': {
    kind: { ...textOption, isSecret: true },
    initial: '',
    short: 'P',
    help: 'Password of the private key in server-pem.',
  },
  'explorer-market': {
    kind: webAddress,
    initial: '',
    help: 'The market that the block explorer links to, such as https://market.example.com.',
  },
  'api-access': {
    kind: pathOption,
    initial: '',
    help: 'JSON file that says which user may use which API; without it everybody may use the public ones.',
  },
  'enable-network-node-api': {
    kind: flag,
    initial: false,
    help: 'Open the network_node API to every client.',
  },
  'enable-history-api': {
    kind: flag,
    initial: false,
    help: 'Accepted and always on: every client may use the history API, which answers empty lists until there is a history plugin.',
    commandLineOnly: true,
  },
  'enable-debug-api': {
    kind: flag,
    initial: false,
    help: 'Open the debug API, which makes blocks on demand and changes objects, to every client; for test networks only.',
  },
  'rpc-mock-calc-fee': {
    kind: flag,
    initial: false,
    help: 'Answer 0 when a client asks what a contract call costs.',
  },
  'rpc-transport': {
    kind: oneOf('auto', 'uws', 'node-http'),
    initial: 'auto' as const,
    help: 'Which server answers clients. uws is a fast native one of a third party, node-http the one of Node; auto takes uws where it loads, but node-http where private-key is set.',
  },
  'rpc-cors-origin': {
    kind: textOption,
    initial: '*',
    help: 'Value of Access-Control-Allow-Origin; empty for none.',
  },
  'rpc-origin': {
    kind: listOf(origin),
    initial: [] as readonly string[],
    help: 'Origin of web pages that may use the debug and network_node APIs and create_snapshot where their user may; every page may read and send transactions.',
  },
  'rpc-host-name': {
    kind: listOf(hostName),
    initial: [] as readonly string[],
    help: 'Name under which clients reach this node. Requests that name another host are refused. Without this option they are refused only where the node listens on addresses of this machine or of a private network. Addresses and localhost are always taken.',
  },
  'rpc-trusted-proxy': {
    kind: listOf(addressOrSubnet),
    initial: [] as readonly string[],
    help: 'Address or subnet of proxies whose X-Forwarded-For or Forwarded says who the client is.',
  },
  'rpc-request-bytes-max': {
    kind: integer(1024, 1_000_000_000, 'bytes'),
    initial: 32_000_000,
    help: 'Largest HTTP body.',
  },
  'rpc-message-bytes-max': {
    kind: integer(1024, 1_000_000_000, 'bytes'),
    initial: 10_000_000,
    help: 'Largest WebSocket message, also bounded by rpc-request-bytes-max; for the native server see rpc-memory-max too.',
  },
  'rpc-memory-max': {
    kind: integer(1_000_000, 100_000_000_000, 'bytes'),
    initial: 256_000_000,
    help: 'What all clients together may hold in memory: requests that are not whole yet or wait for their turn, answers in the making or that nobody reads, and idle HTTP connections. Beyond it connections are closed, those first that have held something for the longest time; requests that wait for their turn stay. The native server cannot count unfinished WebSocket messages and keeps half of this for them: each may have its share by rpc-connections-max, at least 64 KiB, and as many connections are taken as fit.',
  },
  'rpc-reply-bytes-max': {
    kind: integer(1024, 1_000_000_000, 'bytes'),
    initial: 64_000_000,
    help: 'Largest answer; more is refused with an error.',
  },
  'rpc-request-values-max': {
    kind: integer(1000, 100_000_000),
    initial: 1_000_000,
    help: 'Values in one request, members and elements all counted; looked at above 64 KiB.',
  },
  'rpc-queue-bytes-max': {
    kind: integer(1_000_000, 10_000_000_000, 'bytes'),
    initial: 128_000_000,
    help: 'Requests of all clients together that wait for their turn, also bounded by rpc-memory-max; more are refused.',
  },
  'rpc-batch-max': { kind: integer(1, 10_000), initial: 100, help: 'Requests in one batch document.' },
  'rpc-connections-max': {
    kind: integer(1, 1_000_000),
    initial: 5000,
    help: 'WebSocket connections at the same time, over all clients.',
  },
  'rpc-connections-per-address-max': {
    kind: integer(0, 1_000_000),
    initial: 200,
    help: 'WebSocket connections of one address, or of one IPv6 network of 64 bits; 0 for no limit; never applied to clients on this machine itself that come through no proxy.',
  },
  'rpc-requests-per-second': {
    kind: integer(0, 1_000_000),
    initial: 0,
    help: 'Requests that one address, or one IPv6 network of 64 bits, may send per second on average; 0 for no limit; never applied to clients on this machine itself that come through no proxy.',
  },
  'rpc-requests-burst': {
    kind: integer(1, 1_000_000),
    initial: 200,
    help: 'Requests that one address may send at once before rpc-requests-per-second applies.',
  },
  'rpc-idle-timeout': {
    kind: integer(8, 960, 'seconds'),
    initial: 120,
    help: 'Close a connection on which nothing comes or goes; WebSockets are kept alive by pings.',
  },
  'rpc-backlog-bytes-max': {
    kind: integer(65_536, 1_000_000_000, 'bytes'),
    initial: 16_000_000,
    help: 'Bytes that may wait for a slow WebSocket client before it is dropped.',
  },
  'monitor-endpoint': {
    kind: maybe(endpoint),
    initial: undefined,
    help: 'Answer /healthz, /readyz and /metrics (Prometheus) on host:port; off without it.',
  },
});
