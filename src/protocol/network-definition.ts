import { check, defineErrors, FAMILY } from '../base/errors.js';
import type { Build } from '../codec/decode-rules.js';
import { type Json, parseJson } from '../codec/json.js';
import { isJsonObject } from '../codec/struct.js';
import type { ChainId } from '../crypto/digests.js';
import { DEFAULT_KEY_PREFIX } from '../crypto/public-key.js';
import { ALL_FORKS_ACTIVE, type Fork, type ForkTimes, MAINNET_FORKS } from './forks.js';

/**
 * What a network chooses for itself besides its genesis objects. It stands in the genesis file as the member
 * `network`, which the reference's nodes ignore, so that the chain id covers it: two nodes of one chain cannot have
 * different rules. A genesis file without it belongs to a network with the rules of the main network.
 */
export interface NetworkDefinition {
  readonly name: string;
  readonly keyPrefix: string;
  readonly forks: ForkTimes;
  /** Whose bounds decide whether a block of others can be decoded; see codec/decode-rules.ts. */
  readonly decoder: Build;
  /** After that many hours of chain time, finished data transactions are forgotten; 0 keeps them. */
  readonly dataTransactionLifetimeHours: number;
}

export const NETWORK_ERRORS = defineErrors({
  network_definition: { ...FAMILY.invalidArgument, text: 'genesis file, network: ${what}' },
});

const DEFAULT_LIFETIME_HOURS = 1;
const LIFETIME_HOURS_MAX = 0xffff;
const FORK_TIME_MAX = 0xffff_ffff;
const MEMBERS = ['name', 'key_prefix', 'forks', 'decoder', 'data_transaction_lifetime_hours'];

/**
 * The live networks, whose genesis files say nothing of themselves. Their witnesses run the published binaries, which
 * are the old build; whoever begins a chain today compiles the new one.
 */
const LIVE_NETWORKS: ReadonlyMap<ChainId, string> = new Map([
  ['4f7d07969c446f8342033acb3ab2ae5044cbe0fde93db02de75bd17fa8fd84b8', 'mainnet'],
  ['c2af30ef9340ff81fd61654295e98a1ff04b23189748f86727d0b26b40bb0ff4', 'testnet'],
]);

function forkTimes(given: Json | undefined): ForkTimes {
  if (given === undefined || given === 'mainnet') return MAINNET_FORKS;
  if (given === 'all_active') return ALL_FORKS_ACTIVE;
  const what = 'forks must be "mainnet", "all_active" or times by name such as {"HF_1008": 0}';
  check(isJsonObject(given), NETWORK_ERRORS.network_definition, { what });
  const times: Partial<Record<Fork, number>> = {};
  for (const [name, time] of Object.entries(given)) {
    check(Object.hasOwn(MAINNET_FORKS, name), NETWORK_ERRORS.network_definition, { what: `there is no fork ${name}` });
    const isTime = typeof time === 'number' && Number.isInteger(time) && time >= -1 && time <= FORK_TIME_MAX;
    check(isTime, NETWORK_ERRORS.network_definition, { what: `the time of ${name} is no number of seconds` });
    times[name as Fork] = time;
  }
  // One moment in the reference, with two comparisons: whoever moves the one moves the other.
  const sameMoment = times.HF_1024 === undefined ? {} : { HF_1024_SAME_CODE: times.HF_1024 };
  return { ...MAINNET_FORKS, ...sameMoment, ...times };
}

/** Reads the member `network` of a genesis file's text. Without the chain's id the file is that of no live network. */
export function networkOf(genesisText: string, chainId?: ChainId): NetworkDefinition {
  const genesis = parseJson(genesisText);
  const given = isJsonObject(genesis) ? genesis.network : undefined;
  if (given === undefined) {
    const live = chainId === undefined ? undefined : LIVE_NETWORKS.get(chainId);
    return {
      name: live ?? 'main rules',
      keyPrefix: DEFAULT_KEY_PREFIX,
      forks: MAINNET_FORKS,
      decoder: live === undefined ? 'new' : 'old',
      dataTransactionLifetimeHours: DEFAULT_LIFETIME_HOURS,
    };
  }
  check(isJsonObject(given), NETWORK_ERRORS.network_definition, { what: 'it is no object' });
  for (const member of Object.keys(given)) {
    check(MEMBERS.includes(member), NETWORK_ERRORS.network_definition, { what: `there is no ${member}` });
  }
  const { name = 'unnamed', key_prefix: keyPrefix = DEFAULT_KEY_PREFIX } = given;
  const hours = given.data_transaction_lifetime_hours ?? DEFAULT_LIFETIME_HOURS;
  check(typeof name === 'string', NETWORK_ERRORS.network_definition, { what: 'name is no text' });
  const isPrefix = typeof keyPrefix === 'string' && /^[A-Z]{2,8}$/.test(keyPrefix);
  check(isPrefix, NETWORK_ERRORS.network_definition, { what: 'key_prefix must be 2 to 8 capital letters' });
  const isHours = typeof hours === 'number' && Number.isInteger(hours) && hours >= 0 && hours <= LIFETIME_HOURS_MAX;
  check(isHours, NETWORK_ERRORS.network_definition, { what: 'data_transaction_lifetime_hours must be 0 to 65535' });
  const decoder = given.decoder ?? 'new';
  const isBuild = decoder === 'new' || decoder === 'old';
  check(isBuild, NETWORK_ERRORS.network_definition, { what: 'decoder must be "new" or "old"' });
  return { name, keyPrefix, forks: forkTimes(given.forks), decoder, dataTransactionLifetimeHours: hours };
}
