import { DEV_SIGNING_KEYS, DEV_WITNESSES } from '../dev/dev-network.js';
import { projectFile } from '../runtime/project.js';

export const NETWORK_NAMES = ['mainnet', 'testnet', 'dev'] as const;
export type NetworkName = (typeof NETWORK_NAMES)[number];

const DEV_DATA_DIR = 'trustnode-dev-data';

/** What each network sets where nobody says otherwise. */
export const NETWORK_DEFAULTS: Readonly<Record<NetworkName, Readonly<Record<string, unknown>>>> = {
  mainnet: { 'genesis-json': projectFile('genesis', 'mainnet.json') },
  testnet: { 'genesis-json': projectFile('genesis', 'testnet.json') },
  dev: {
    'data-dir': DEV_DATA_DIR,
    'genesis-json': projectFile('genesis', 'dev.json'),
    'witness-id': DEV_WITNESSES,
    'private-key': DEV_SIGNING_KEYS,
    'enable-stale-production': true,
    'rpc-endpoint': { host: '127.0.0.1', port: 8090 },
  },
};
