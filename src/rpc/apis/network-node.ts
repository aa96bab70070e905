import * as declared from '../../api/network.js';
import { check, defineErrors } from '../../base/errors.js';
import { u32, wrongKind } from '../../codec/scalars.js';
import { isJsonObject } from '../../codec/struct.js';
import { implement, implementApi, type RpcContext } from '../define.js';
import type { NetworkPort } from '../ports.js';

export const NETWORK_API_ERRORS = defineErrors({
  network_off: { kind: 'limit', text: 'this node runs without a peer-to-peer network' },
  network_endpoint: { text: '${endpoint} is not an address of the form host:port with a port from 1 to 65535' },
});

/** What a node without a network answers to who only wants to look. */
const OFFLINE = {
  listening_on: '0.0.0.0:0',
  node_public_key: '',
  node_id: '',
  firewalled: 'unknown',
  connection_count: 0,
};

/** To everybody. */
const BANS_SHOWN = 50;

const DEFAULT_PARAMETERS = {
  peer_connection_retry_timeout: 30,
  desired_number_of_connections: 20,
  maximum_number_of_connections: 200,
  maximum_number_of_blocks_to_handle_at_one_time: 200,
  maximum_number_of_sync_blocks_to_prefetch: 2000,
  maximum_blocks_per_peer_during_syncing: 200,
};

function network({ node }: RpcContext): NetworkPort {
  check(node.network !== undefined, NETWORK_API_ERRORS.network_off);
  return node.network;
}

export const networkStatusMethods = implement(declared.networkStatusMethods, {
  get_network_status: ({ node }) => {
    if (node.network === undefined) return undefined;
    const bans = node.network.bans();
    const { blocksBehind, blocksPerSec, transactionsPerSec, leftSec } = node.network.progress();
    return {
      connection_count: node.network.connectionCount(),
      blocks_behind: blocksBehind,
      blocks_per_second: Math.round(blocksPerSec),
      transactions_per_second: Math.round(transactionsPerSec),
      seconds_left: leftSec === undefined ? undefined : Math.ceil(leftSec),
      banned_count: bans.length,
      bans: bans.slice(-BANS_SHOWN).map((ban) => ({ ...ban })),
    };
  },
});

export const networkNodeApi = implementApi(declared.networkNodeApi, {
  get_info: ({ node }) => {
    const port = node.network;
    if (port === undefined) return OFFLINE;
    return {
      listening_on: port.listeningOn(),
      node_public_key: port.nodePublicKey(),
      node_id: port.nodeId(),
      firewalled: port.firewalled(),
      connection_count: port.connectionCount(),
    };
  },
  add_node: (context, { endpoint }) => {
    const port = Number(/^[^\s:]+:(\d{1,5})$/.exec(endpoint)?.[1]);
    check(port >= 1 && port <= 65_535, NETWORK_API_ERRORS.network_endpoint, { endpoint });
    network(context).addNode(endpoint);
    return undefined;
  },
  get_connected_peers: ({ node }) =>
    (node.network?.peers() ?? []).map(({ host, info: known }) => ({ version: 0, host, info: { ...known } })),
  get_potential_peers: ({ node }) => (node.network?.potentialPeers() ?? []).map((peer) => ({ ...peer })),
  get_banned_addresses: ({ node }) => (node.network?.bans() ?? []).map((ban) => ({ ...ban })),
  get_advanced_node_parameters: ({ node }) => ({ ...DEFAULT_PARAMETERS, ...node.network?.parameters() }),
  set_advanced_node_parameters: (context, { params }) => {
    const changed: Record<string, number> = {};
    const isObject = isJsonObject(params);
    if (params !== null && !isObject) wrongKind(params, 'object');
    for (const [name, value] of Object.entries(isObject ? params : {})) {
      if (Object.hasOwn(DEFAULT_PARAMETERS, name)) changed[name] = u32.fromJson(value);
    }
    network(context).setParameters(changed);
    return undefined;
  },
});
