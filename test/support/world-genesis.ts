import { type GenesisSource, readGenesis } from '../../src/chain/genesis-source.js';
import type { Json, JsonObject } from '../../src/codec/json.js';
import { timeToText } from '../../src/codec/time.js';
import { addressOfKey, addressToText } from '../../src/crypto/address.js';
import { PrivateKey } from '../../src/crypto/private-key.js';
import { publicKeyToText } from '../../src/crypto/public-key.js';
import type { ContractEngine } from '../../src/operations/contract/engine.js';
import { NETWORK } from './network.js';

export interface WorldOptions {
  /** Accounts with their core amount at the start. All are lifetime members; each one's key comes from its name. */
  readonly accounts?: Readonly<Record<string, bigint>>;
  /** Names of those among them that are basic accounts. */
  readonly basic?: readonly string[];
  /** Witnesses init0, init1, …; each is a candidate for the committee too. */
  readonly witnesses?: number;
  /** Candidates that are active from the start; the others are after the first maintenance. */
  readonly activeWitnesses?: number;
  /** As in a genesis file's `network`: all forks are active unless a test says otherwise. */
  readonly forks?: Json;
  /** Genesis time; divisible by 5. */
  readonly time?: number;
  /** The default fees are charged; otherwise nothing costs anything. */
  readonly fees?: boolean;
  /** Chain parameters that differ, as JSON. */
  readonly parameters?: JsonObject;
  /** Other members of the genesis file, as JSON. */
  readonly genesis?: JsonObject;
  readonly dataTransactionLifetimeHours?: number;
  /** False where a test runs operations whose quirk moves the supply. */
  readonly keepsSupply?: boolean;
  /** Another one than the node's, or the node's in a wrapping. */
  readonly engine?: ContractEngine;
}

export const WORLD_TIME = 1_700_000_000;
export const CORE_SYMBOL = 'CORE';

/** Everybody's keys are known by name. */
/** A public key costs more than most of what a test asks; every world has the same. */
const keys = new Map<string, PrivateKey>();

function seeded(seed: string): PrivateKey {
  const known = keys.get(seed);
  if (known !== undefined) return known;
  const key = PrivateKey.fromSeed(seed);
  keys.set(seed, key);
  return key;
}

export const accountKey = (name: string): PrivateKey => seeded(`world ${name}`);
export const witnessKey = (name: string): PrivateKey => seeded(`world witness ${name}`);

export function witnessNames(options: WorldOptions): string[] {
  return Array.from({ length: options.witnesses ?? 3 }, (_, i) => `init${i}`);
}

export function worldGenesis(options: WorldOptions): GenesisSource {
  return readGenesis(worldGenesisBytes(options));
}

/** The genesis file itself, for tests that start a process on it. */
export function worldGenesisBytes(options: WorldOptions): Uint8Array {
  const witnesses = witnessNames(options);
  const given = options.accounts ?? {};
  const accounts = [...witnesses, ...Object.keys(given).filter((name) => !witnesses.includes(name))];
  const keyText = (name: string): string => publicKeyToText(accountKey(name).publicKey, NETWORK.keyPrefix);
  const file = {
    initial_timestamp: timeToText(options.time ?? WORLD_TIME),
    initial_parameters: {
      current_fees: { parameters: [[5, {}]], scale: options.fees === true ? 10_000 : 0 },
      block_interval: 3,
      maintenance_interval: 60,
      maintenance_skip_slots: 0,
      maximum_time_until_expiration: 86_400,
      ...options.parameters,
    },
    initial_accounts: accounts.map((name) => ({
      name,
      owner_key: keyText(name),
      active_key: keyText(name),
      is_lifetime_member: options.basic?.includes(name) !== true,
    })),
    initial_assets: [{ symbol: CORE_SYMBOL, issuer_name: 'init0', description: '', max_supply: '100000000000000000' }],
    initial_balances: Object.entries(given)
      .filter(([, amount]) => amount > 0n)
      .map(([name, amount]) => ({
        owner: addressToText(addressOfKey(accountKey(name).publicKey), NETWORK.keyPrefix),
        asset_symbol: CORE_SYMBOL,
        amount: amount.toString(),
      })),
    initial_active_witnesses: options.activeWitnesses ?? witnesses.length,
    initial_witness_candidates: witnesses.map((name) => ({
      owner_name: name,
      block_signing_key: publicKeyToText(witnessKey(name).publicKey, NETWORK.keyPrefix),
    })),
    initial_committee_candidates: witnesses.map((name) => ({ owner_name: name })),
    immutable_parameters: { min_committee_member_count: 1, min_witness_count: 1 },
    network: {
      name: 'test world',
      forks: options.forks ?? 'all_active',
      data_transaction_lifetime_hours: options.dataTransactionLifetimeHours ?? 1,
    },
    ...options.genesis,
  };
  return new TextEncoder().encode(JSON.stringify(file));
}
