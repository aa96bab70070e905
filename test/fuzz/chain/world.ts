import type { GenesisSource } from '../../../src/chain/genesis-source.js';
import type { Json, JsonObject } from '../../../src/codec/json.js';
import { addressOfKey, addressToText } from '../../../src/crypto/address.js';
import { FORKS, type Fork, MAINNET_FORKS } from '../../../src/protocol/forks.js';
import type { SeededRandom } from '../../sim/random.js';
import { NETWORK } from '../../support/network.js';
import { CORE_SYMBOL, WORLD_TIME, worldGenesis } from '../../support/world-genesis.js';
import { keyOf } from './keys.js';
import { FUNDED, NAMED, WITNESSES } from './scene.js';

const FUNDS = 100_000_000_000_000n;
const FORK_NAMES = Object.keys(FORKS) as Fork[];
/** Later than anything that a run reaches. */
const NEVER = 0xffff_ffff;

/** All rules of today, those of some day in history, or a chain on which the rules change one after the other. */
function forksOf(random: SeededRandom, time: number): { forks: Json; how: string } {
  const order = [...FORK_NAMES].sort((a, b) => MAINNET_FORKS[a] - MAINNET_FORKS[b]);
  const dice = random.next();
  if (dice < 0.5) return { forks: 'all_active', how: 'all forks' };
  const moments = [...new Set(order.map((fork) => MAINNET_FORKS[fork]))];
  const reached = random.below(moments.length + 1);
  const last = moments[reached - 1] ?? 0;
  const isGradual = dice > 0.75;
  const at = (fork: Fork): number => {
    const place = moments.indexOf(MAINNET_FORKS[fork]);
    if (MAINNET_FORKS[fork] <= last) return -1;
    return isGradual ? time + (place - reached + 1) * 60 : NEVER;
  };
  const forks = Object.fromEntries(FORK_NAMES.map((fork) => [fork, at(fork)]));
  return { forks, how: `${isGradual ? 'gradual' : 'fixed'} forks from ${reached} of ${moments.length}` };
}

/** Everybody who has money from the start has it in both assets of the beginning. */
export function balances(): JsonObject[] {
  const row = (name: string, asset_symbol: string, amount: bigint): JsonObject => ({
    owner: addressToText(addressOfKey(keyOf(name).publicKey), NETWORK.keyPrefix),
    asset_symbol,
    amount: amount.toString(),
  });
  const funds = ['GXC', CORE_SYMBOL].flatMap((symbol) => FUNDED.map((name) => row(name, symbol, FUNDS)));
  return [...funds, row('late', CORE_SYMBOL, 1_000_000n), row('late', 'GXC', 1_000_000n)];
}

export function fuzzGenesis(random: SeededRandom): { genesis: GenesisSource; how: string } {
  const time = WORLD_TIME;
  const { forks, how } = forksOf(random, time);
  const block_interval = random.pick([1, 3, 5]);
  const vote = {
    staking_mode_on: random.chance(0.3),
    set_commission_interval: 0,
    missed_block_limit: random.pick([2, 50]),
    min_staking_amount: 100_000,
  };
  const genesis = worldGenesis({
    witnesses: WITNESSES,
    accounts: Object.fromEntries([...FUNDED, ...NAMED].map((name) => [name, 0n])),
    forks,
    time,
    fees: true,
    parameters: {
      block_interval,
      maintenance_interval: block_interval * random.pick([8, 14, 30]),
      accounts_per_fee_scale: random.pick([3, 1000]),
      account_fee_scale_bitshifts: random.pick([0, 1, 4]),
      witness_pay_per_block: 1000,
      cashback_vesting_period_seconds: random.pick([0, 60, 31_536_000]),
      extensions: [
        [6, { params: [['1', { lock_days: 0, interest_rate: 0, is_valid: true }]] }],
        [9, { amount: 1_000_000 }],
        [
          11,
          {
            params: [
              ['1', { staking_days: 0, weight: 1, is_valid: true }],
              ['2', { staking_days: 1, weight: 2, is_valid: true }],
            ],
          },
        ],
        [12, vote],
      ],
    },
    genesis: {
      initial_balances: balances(),
      immutable_parameters: { min_committee_member_count: 3, min_witness_count: 11 },
    },
  });
  return { genesis, how };
}
