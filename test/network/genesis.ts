import type { Json, JsonObject } from '../../src/codec/json.js';
import { newGenesis } from '../../src/commands/genesis/template.js';
import { PrivateKey } from '../../src/crypto/private-key.js';
import { DEFAULT_KEY_PREFIX } from '../../src/crypto/public-key.js';

/** The genesis of a local network: what `trustnode genesis create --all-forks --timestamp now` writes, with public keys. */

export interface NetworkGenesis {
  readonly bytes: Uint8Array;
  /** Of an account: owner, active and memo key are one. */
  accountKey(name: string): PrivateKey;
  signingKey(witness: number): PrivateKey;
}

export interface NetworkGenesisOptions {
  readonly witnesses: number;
  /** Funded. */
  readonly accounts: readonly string[];
  readonly blockIntervalSec: number;
  readonly nowMs: number;
  readonly maintenanceIntervalSec?: number;
}

const SUPPLY = 10_000_000_000_000n;
const MAINTENANCE_SEC = 3600;
/** Genesis times are divisible by it and by the interval. */
const TIME_STEP_SEC = 5;

export function networkGenesis(options: NetworkGenesisOptions): NetworkGenesis {
  const { witnesses, accounts, blockIntervalSec, nowMs, maintenanceIntervalSec = MAINTENANCE_SEC } = options;
  const keyOf = (text: string): PrivateKey => PrivateKey.fromSeed(`trustnode local ${text}`);
  const now = Math.floor(nowMs / 1000);
  const { file } = newGenesis(
    {
      timestamp: now - (now % (TIME_STEP_SEC * blockIntervalSec)),
      blockInterval: blockIntervalSec,
      maintenanceInterval: maintenanceIntervalSec,
      witnesses,
      accounts,
      symbol: 'GXS',
      supply: SUPPLY,
      prefix: DEFAULT_KEY_PREFIX,
      network: { name: 'local network', key_prefix: DEFAULT_KEY_PREFIX, forks: 'all_active' },
    },
    keyOf,
  );
  // All of them take turns without anybody's vote, and from block 1 on: the first turns last as many blocks as there are
  // witnesses, and a lone one that is away meanwhile would take the chain with it.
  const immutable = file.immutable_parameters as JsonObject;
  const count = witnesses % 2 === 0 ? witnesses - 1 : witnesses;
  const genesis: Json = {
    ...file,
    initial_active_witnesses: witnesses,
    immutable_parameters: { ...immutable, min_witness_count: count },
  };
  return {
    bytes: new TextEncoder().encode(`${JSON.stringify(genesis, null, 2)}\n`),
    accountKey: keyOf,
    signingKey: (witness) => keyOf(`init${witness} signing`),
  };
}
