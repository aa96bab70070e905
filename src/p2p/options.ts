import { ChainError } from '../base/errors.js';
import { parseJson } from '../codec/json.js';
import {
  defineOptions,
  type Endpoint,
  endpoint,
  flag,
  integer,
  listOf,
  maybe,
  type OptionKind,
} from '../config/define.js';
import type { ChainId } from '../crypto/digests.js';
import { P2P_LIMITS } from './limits.js';
import { type EndpointText, endpointOf, parseEndpoint } from './wire/endpoint.js';

/** Of somebody else: at port 0 nobody is. */
const peer: OptionKind<Endpoint> = {
  ...endpoint,
  wanted: 'an address of the form host:port with a port from 1 to 65535',
  parse: (text) => {
    const found = endpoint.parse(text);
    return found !== undefined && found.port > 0 ? found : undefined;
  },
};

/** Peers are told addresses as numbers, never names. */
const ipv4Endpoint: OptionKind<EndpointText> = {
  wanted: 'an IPv4 address and a port from 1 to 65535, a.b.c.d:port',
  parse: (text) => {
    const found = parseEndpoint(text);
    return found !== undefined && found.port > 0 ? endpointOf(found.ip, found.port) : undefined;
  },
  format: (value) => value,
};

/** `["host:port", …]`. */
const endpointsOption: OptionKind<readonly Endpoint[]> = {
  wanted: 'a JSON list of addresses of the form host:port, with ports from 1 to 65535',
  parse: (text) => {
    try {
      const list = parseJson(text);
      if (!Array.isArray(list)) return undefined;
      const read = list.map((one) => (typeof one === 'string' ? peer.parse(one) : undefined));
      return read.every((one) => one !== undefined) ? read : undefined;
    } catch (error) {
      if (error instanceof ChainError) return undefined;
      throw error;
    }
  },
  format: (list) => JSON.stringify(list.map((one) => endpoint.format(one))),
};

/** Nodes that are known to every node of a public chain. */
const PUBLIC_SEEDS: Readonly<Record<ChainId, readonly Endpoint[]>> = {
  '4f7d07969c446f8342033acb3ab2ae5044cbe0fde93db02de75bd17fa8fd84b8': [
    'node1.gxb.io',
    'node5.gxb.io',
    'node8.gxb.io',
    '47.254.18.74',
    '47.74.22.124',
    '47.88.158.101',
    'node23.gxb.io',
    '47.52.114.135',
  ].map((host) => ({ host, port: 6789 })),
};

export const publicSeeds = (chainId: ChainId): readonly Endpoint[] => PUBLIC_SEEDS[chainId] ?? [];

export const p2pOptions = defineOptions({
  'p2p-endpoint': {
    kind: maybe(endpoint),
    initial: undefined,
    help: 'Address on which other nodes can reach this one. Without it, and without seeds or peers, there is no network.',
  },
  'seed-node': {
    kind: listOf(peer),
    initial: [],
    help: 'A node to connect to at the start, beside those of seed-nodes. May be given several times.',
    short: 's',
  },
  'seed-nodes': {
    kind: maybe(endpointsOption),
    initial: undefined,
    help: 'JSON list of nodes to connect to at the start, instead of the known ones of the public chain; [] for none.',
  },
  'p2p-peer': {
    kind: listOf(peer),
    initial: [],
    help: 'A node that this one always keeps a connection with and never bans. May be given several times.',
  },
  'p2p-max-connections': {
    kind: integer(1, 1000, 'connections'),
    initial: P2P_LIMITS.connections_max,
    help: 'Connections with other nodes, those that this node has made among them.',
  },
  'p2p-accept-incoming': {
    kind: flag,
    initial: true,
    help: 'Whether others may connect to the address of p2p-endpoint.',
  },
  'p2p-advertise': {
    kind: maybe(ipv4Endpoint),
    initial: undefined,
    help: 'Address under which others can reach this node, where it stands behind a router: an IPv4 address and a port.',
  },
  'p2p-private-addresses': {
    kind: flag,
    initial: false,
    help: 'Also takes and passes on addresses of private networks and of this machine that other nodes tell of.',
  },
});
