import * as fs from 'node:fs';
import { join } from 'node:path';
import { check, defineErrors, FAMILY } from '../base/errors.js';
import { type GenesisSource, readGenesis } from '../chain/genesis-source.js';
import { decodeText } from '../codec/text.js';
import { networkOf } from '../protocol/network-definition.js';
import { useKeyPrefix } from '../protocol/networks.js';
import { guarded } from '../storage/errors.js';
import { absolute } from './options.js';
import type { Settings } from './settings.js';

export const NODE_GENESIS_ERRORS = defineErrors({
  genesis_missing: {
    ...FAMILY.invalidArgument,
    text: 'no genesis file: give --genesis-json FILE to join or begin a network, or --dev for the development network',
  },
  genesis_differs: {
    ...FAMILY.invalidArgument,
    text: '${stored} of this data directory differs from ${given}: the directory belongs to another network. Use another --data-dir, or drop its chain with --resync-blockchain',
  },
});

/** The genesis file that a data directory was begun with. */
export const GENESIS_COPY = 'genesis.json';

export interface LoadedGenesis {
  readonly source: GenesisSource;
  /** Keeps the file's exact bytes in the data directory; for when its store has accepted the chain id. */
  keepCopy(): void;
}

/**
 * Reads the network's genesis file. Also chooses the prefix of public keys, which everything that reads JSON after this
 * relies on.
 */
export function loadGenesis(settings: Settings): LoadedGenesis {
  const stored = join(settings.dataDir, GENESIS_COPY);
  const hasCopy = fs.existsSync(stored);
  const given = settings.options['genesis-json'];
  check(given !== undefined || hasCopy, NODE_GENESIS_ERRORS.genesis_missing);
  const path = given === undefined ? stored : absolute(given);
  const bytes = guarded(path, () => fs.readFileSync(path));
  useKeyPrefix(networkOf(decodeText(bytes, 0, bytes.length)).keyPrefix);
  const source = readGenesis(bytes);
  const isSame = hasCopy && guarded(stored, () => fs.readFileSync(stored)).equals(bytes);
  const mayReplace = !hasCopy || settings.options['resync-blockchain'];
  check(isSame || mayReplace, NODE_GENESIS_ERRORS.genesis_differs, { stored, given: path });
  const hours = settings.options['data-transaction-lifetime'];
  return {
    source:
      hours === undefined ? source : { ...source, network: { ...source.network, dataTransactionLifetimeHours: hours } },
    keepCopy: () => {
      if (!isSame) guarded(stored, () => fs.writeFileSync(stored, bytes));
    },
  };
}
