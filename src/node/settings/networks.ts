import { DEV_SIGNING_KEYS, DEV_WITNESSES } from '../dev/dev-network.js';
import { projectFile } from '../runtime/project.js';

export const NETWORK_NAMES = ['mainnet', 'testnet', 'dev'] as const;
export type NetworkName = (typeof NETWORK_NAMES)[number];

const DEV_DATA_DIR = 'trustnode-dev-data';

const DEV_HISTORY_OPERATIONS = 1000;

/** Where nodes of the live networks expect each other. */
const LIVE_PORT = 6789;
const LIVE_ENDPOINT = { host: '0.0.0.0', port: LIVE_PORT };

/**
 * What each network sets where nobody says otherwise; the key prefix comes with the genesis file. The main network's
 * seeds belong to its chain id, so that whoever begins another chain never dials them: see p2p/options.
 */
export const NETWORK_DEFAULTS: Readonly<Record<NetworkName, Readonly<Record<string, unknown>>>> = {
  mainnet: { 'genesis-json': projectFile('genesis', 'mainnet.json'), 'p2p-endpoint': LIVE_ENDPOINT },
  testnet: {
    'genesis-json': projectFile('genesis', 'testnet.json'),
    'p2p-endpoint': LIVE_ENDPOINT,
    'seed-nodes': [{ host: 'testnet.gxchain.org', port: LIVE_PORT }],
  },
  dev: {
    'data-dir': DEV_DATA_DIR,
    'genesis-json': projectFile('genesis', 'dev.json'),
    'witness-id': DEV_WITNESSES,
    'private-key': DEV_SIGNING_KEYS,
    'enable-stale-production': true,
    'rpc-endpoint': { host: '127.0.0.1', port: 8090 },
    // Whoever tries something wants to see what has come of it.
    'max-ops-per-account': DEV_HISTORY_OPERATIONS,
  },
};

/** So many accounts with known keys a fork has where nobody says otherwise. */
const FORK_ACCOUNTS = 3;

/**
 * What a fork of a chain sets where nobody says otherwise: what a development network does, but with the genesis file of
 * the network that it came from, with the witnesses of that one, and without anybody to connect to.
 */
export function forkDefaults(of: NetworkName | undefined): Readonly<Record<string, unknown>> {
  const { 'genesis-json': _, 'witness-id': __, ...dev } = NETWORK_DEFAULTS.dev;
  return {
    ...dev,
    'data-dir': 'trustnode-fork-data',
    ...(of === undefined ? {} : { 'genesis-json': NETWORK_DEFAULTS[of]['genesis-json'] }),
    'seed-nodes': [],
    'dev-accounts': FORK_ACCOUNTS,
  };
}
