import { defineOptions, endpoint, flag, integer, maybe, oneOf, textOption } from '../config/define.js';

export const rpcOptions = defineOptions({
  'rpc-endpoint': {
    kind: { ...maybe(endpoint), bare: '127.0.0.1:8090' },
    initial: undefined,
    help: 'answer HTTP and WebSocket clients on host:port; off without it',
  },
  'rpc-tls-endpoint': {
    kind: { ...maybe(endpoint), bare: '127.0.0.1:8089' },
    initial: undefined,
    help: 'the same with TLS; needs server-pem',
  },
  'server-pem': {
    kind: textOption,
    initial: '',
    short: 'p',
    help: 'PEM file with certificate chain and private key for rpc-tls-endpoint',
  },
  'server-pem-password': {
    kind: { ...textOption, isSecret: true },
    initial: '',
    short: 'P',
    help: 'password of the private key in server-pem',
  },
  'api-access': {
    kind: textOption,
    initial: '',
    help: 'JSON file that says which user may use which API; without it everybody may use the public ones',
  },
  'enable-network-node-api': {
    kind: flag,
    initial: false,
    help: 'open the network_node API to every client',
  },
  'enable-history-api': {
    kind: flag,
    initial: false,
    help: 'accepted and always on: every client may use the history API, which answers empty lists until there is a history plugin',
    commandLineOnly: true,
  },
  'enable-debug-api': {
    kind: flag,
    initial: false,
    help: 'open the debug API, which makes blocks on demand and changes objects, to every client; for test networks only',
  },
  'rpc-mock-calc-fee': {
    kind: flag,
    initial: false,
    help: 'answer 0 when a client asks what a contract call costs',
  },
  'rpc-transport': {
    kind: oneOf('auto', 'uws', 'node-http'),
    initial: 'auto' as const,
    help: 'uws is a fast native server of a third party, node-http the one of Node; auto takes uws where it loads, but node-http where private-key is set',
  },
  'rpc-cors-origin': {
    kind: textOption,
    initial: '*',
    help: 'value of Access-Control-Allow-Origin; empty for none',
  },
  'rpc-request-bytes-max': {
    kind: integer(1024, 1_000_000_000, 'bytes'),
    initial: 32_000_000,
    help: 'largest HTTP body',
  },
  'rpc-message-bytes-max': {
    kind: integer(1024, 1_000_000_000, 'bytes'),
    initial: 10_000_000,
    help: 'largest WebSocket message, also bounded by rpc-request-bytes-max; unfinished messages have no limit over all clients: one address can hold this much on each of its connections',
  },
  'rpc-uploads-bytes-max': {
    kind: integer(1_000_000, 100_000_000_000, 'bytes'),
    initial: 256_000_000,
    help: 'HTTP bodies of all clients together that are not whole yet; more are refused',
  },
  'rpc-reply-bytes-max': {
    kind: integer(1024, 1_000_000_000, 'bytes'),
    initial: 64_000_000,
    help: 'largest answer; more is refused with an error',
  },
  'rpc-request-values-max': {
    kind: integer(1000, 100_000_000),
    initial: 1_000_000,
    help: 'values in one request, members and elements all counted; looked at above 64 KiB',
  },
  'rpc-queue-bytes-max': {
    kind: integer(1_000_000, 10_000_000_000, 'bytes'),
    initial: 128_000_000,
    help: 'requests of all clients together that wait for their turn; more are refused',
  },
  'rpc-batch-max': { kind: integer(1, 10_000), initial: 100, help: 'requests in one batch document' },
  'rpc-connections-max': {
    kind: integer(1, 1_000_000),
    initial: 5000,
    help: 'WebSocket connections at the same time, over all clients',
  },
  'rpc-connections-per-address-max': {
    kind: integer(0, 1_000_000),
    initial: 200,
    help: 'WebSocket connections of one address; 0 for no limit; never applied to this machine itself',
  },
  'rpc-requests-per-second': {
    kind: integer(0, 1_000_000),
    initial: 0,
    help: 'requests that one address may send per second on average; 0 for no limit; never applied to this machine itself',
  },
  'rpc-requests-burst': {
    kind: integer(1, 1_000_000),
    initial: 200,
    help: 'requests that one address may send at once before rpc-requests-per-second applies',
  },
  'rpc-idle-timeout': {
    kind: integer(8, 960, 'seconds'),
    initial: 120,
    help: 'close a connection on which nothing comes or goes; WebSockets are kept alive by pings',
  },
  'rpc-backlog-bytes-max': {
    kind: integer(65_536, 1_000_000_000, 'bytes'),
    initial: 16_000_000,
    help: 'bytes that may wait for a slow WebSocket client before it is dropped',
  },
  'monitor-endpoint': {
    kind: maybe(endpoint),
    initial: undefined,
    help: 'answer /healthz, /readyz and /metrics (Prometheus) on host:port; off without it',
  },
});
