import { keyAuthority } from '../../../src/protocol/authority.js';
import type { ChainParameters } from '../../../src/protocol/chain-parameters.js';
import { FORKS, type Fork, type ForkTimes, MAINNET_FORKS } from '../../../src/protocol/forks.js';
import type { AccountObject } from '../../../src/state/objects/account.js';
import { type AssetObject, assetObject } from '../../../src/state/objects/asset.js';
import { assetDynamicDataObject } from '../../../src/state/objects/asset-dynamic-data.js';
import { globalPropertyObject } from '../../../src/state/objects/global-property.js';
import { trustNodePledgeObject } from '../../../src/state/objects/trust-node-pledge.js';
import { witnessObject } from '../../../src/state/objects/witness.js';
import { adjustBalance } from '../../../src/state/rules/balances.js';
import type { SeededRandom } from '../../sim/random.js';
import { BareWorld } from '../../support/bare-world.js';
import { MODEL_FORKS } from '../forks.js';
import { FOREVER, OWN_FORKS, type OwnFork, type OwnForks } from './model.js';
import { LOCKS, STAKINGS } from './programs.js';
import { KEYS } from './signers.js';

const START = 1_700_000_000;
const NEVER = 0xffff_fff0;
const RICH = 10n ** 12n;
const I64 = (1n << 63n) - 1n;
const U64 = (1n << 64n) - 1n;
const amount = (value: bigint, asset_id: number) => ({ amount: value, asset_id });

export interface Scene {
  readonly w: BareWorld;
  readonly forks: OwnForks;
  readonly people: Readonly<Record<string, number>>;
}

/** All are past, or some come while the world runs. */
function forkTimes(random: SeededRandom): ForkTimes {
  const times: Record<string, number> = { ...MAINNET_FORKS };
  const names = Object.keys(FORKS) as Fork[];
  if (random.chance(0.6)) {
    for (const name of names.filter(() => random.chance(0.5)))
      times[name] = random.chance(0.2) ? NEVER : START + random.below(6000);
  }
  if (random.chance(0.7)) times.HF_1008 = MAINNET_FORKS.HF_1008;
  return times as ForkTimes;
}

const modelForks = (times: ForkTimes): OwnForks =>
  Object.fromEntries(
    [...(Object.keys(MODEL_FORKS) as OwnFork[]), ...OWN_FORKS].map((one) => [one, times[`HF_${one}` as Fork]]),
  ) as OwnForks;

class Builder {
  readonly people: Record<string, number> = {};
  readonly w: BareWorld;
  readonly random: SeededRandom;

  constructor(w: BareWorld, random: SeededRandom) {
    this.w = w;
    this.random = random;
  }

  account(name: string, given: Partial<AccountObject> = {}, funds = RICH): number {
    const id = this.w.account(name, {
      active: keyAuthority(this.random.pick(KEYS).publicKey),
      registrar: 6,
      referrer: 6,
      lifetime_referrer: 6,
      network_fee_percentage: 2000,
      lifetime_referrer_fee_percentage: 3000,
      referrer_rewards_percentage: this.random.pick([0, 5000, 10_000]),
      ...given,
    });
    for (const asset of [0, 1, 2, 3, 4]) adjustBalance(this.w.state, id, asset, funds);
    this.people[name] = id;
    return id;
  }

  accounts(): void {
    const { random } = this;
    const lifetime = { membership_expiration_date: FOREVER };
    const source = { merchant_expiration_date: FOREVER, datasource_expiration_date: FOREVER };
    this.account('alice', lifetime);
    this.account('bob', lifetime);
    this.account('carol');
    this.account('dave', lifetime, 100_000n);
    this.account('source-one', source);
    this.account('source-two', { ...source, referrer: 8, lifetime_referrer: 7 });
    this.account('merchant', { merchant_expiration_date: FOREVER });
    this.account('exchange', { data_transaction_member_expiration_date: FOREVER });
    this.account('node-one', lifetime);
    this.account('node-two', lifetime);
    this.account('node-three', lifetime, 5_000_000n);
    this.account('poor', lifetime, random.pick([0n, 100n, 100_099n, 100_100n]));
    this.account('limited', { ...lifetime, allowed_assets: [1, 3] });
    this.account('listed', { ...lifetime, blacklisting_accounts: [7], whitelisting_accounts: [6] });
    this.account('good', { whitelisting_accounts: [6] });
    const two = KEYS.slice(0, 2).map(({ publicKey }) => [publicKey, 1] as [string, number]);
    this.account('two-keys', { active: { ...keyAuthority(''), key_auths: two } });
    if (random.chance(0.6)) this.account('commission-account', {}, random.pick([0n, 10n ** 10n]));
    // What only the committee may do costs it something.
    for (const asset of [0, 1]) if (random.chance(0.5)) adjustBalance(this.w.state, 0, asset, 10n ** 13n);
  }

  asset(id: number, options: Partial<AssetObject['options']>, given: Partial<AssetObject> = {}): void {
    const { state } = this.w;
    state.modify(assetObject, state.get(assetObject, id), (o) => {
      Object.assign(o, given);
      o.options = { ...o.options, ...options };
    });
    state.modify(assetDynamicDataObject, state.get(assetDynamicDataObject, id), (o) => {
      o.fee_pool = this.random.pick([0n, 1000n, 10n ** 9n]);
    });
  }

  assets(): void {
    const { random, w } = this;
    const core = w.state.coreAsset;
    for (const symbol of ['LISTED', 'STUCK']) {
      const { id } = w.create(assetDynamicDataObject, {});
      w.create(assetObject, { symbol, precision: 5, dynamic_asset_data_id: id, issuer: 7 });
    }
    const odd = random.chance(0.9) ? core : 1 - core;
    this.asset(2, { core_exchange_rate: { base: amount(3n, odd), quote: amount(7n, 2) } });
    const [own, inCore] = [amount(1n, 3), amount(2n, core)];
    const core_exchange_rate = random.chance(0.5) ? { base: own, quote: inCore } : { base: inCore, quote: own };
    const whitelist_authorities = random.chance(0.3) ? [] : [6];
    const lists = { whitelist_authorities, blacklist_authorities: [7] };
    this.asset(3, { flags: 2, ...lists, core_exchange_rate }, { issuer: 6 });
    this.asset(4, { flags: 8, core_exchange_rate: { base: amount(1n, 4), quote: amount(1n, core) } });
  }

  nodes(): void {
    // Left by somebody who is no node.
    const owner_account = this.people.carol as number;
    this.w.create(trustNodePledgeObject, { owner_account, amount: amount(1000n, 1) });

    for (const [i, name] of ['node-one', 'node-two', 'alice'].entries()) {
      this.w.create(witnessObject, {
        witness_account: this.people[name] as number,
        vote_id: (2001 + i) * 256 + 1,
        is_banned: this.random.chance(0.3),
        signing_key: (KEYS[0] as (typeof KEYS)[0]).publicKey,
        total_vote_weights: this.random.chance(0.9) ? 0n : I64 - 1_000_000n,
      });
    }
  }
}

function extensions(random: SeededRandom): ChainParameters['extensions'] {
  const percent = () => random.pick([1000, 1000, 0, 10_000, 10_001, 65_535, 3333, 1]);
  const all: [number, object][] = [
    [
      3,
      {
        league_data_market_commission_percent: percent(),
        free_data_market_commission_percent: percent(),
        commission_account: random.pick(['commission-account', 'commission-account', 'nobody', 'alice', '']),
        reserve_percent: random.pick([100, 0, 10_000, 10_001, 65_535]),
      },
    ],
    [6, { params: random.chance(0.05) ? [] : LOCKS }],
    [9, { amount: random.pick([1_000_000_000n, 1_000_000_000n, 0n, 1n, -1n, RICH, I64]) }],
    [11, { params: random.chance(0.05) ? [] : STAKINGS }],
    [
      12,
      {
        staking_mode_on: random.chance(0.4),
        set_commission_interval: random.pick([0, 0, 1, 100, 100, 604_800, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff]),
        staking_rewards_vesting_seconds: 3600,
        missed_block_limit: 100,
        max_staking_count: random.pick([0, 3, 10, 10, 0xffff_ffff]),
        witness_reward_proportion: 500,
        valid_nodes_number: 35,
        min_staking_amount: random.chance(0.8) ? 100_000n : random.pick([0n, 1n, U64, I64 + 1n, I64]),
      },
    ],
  ];
  return structuredClone(all.filter(() => random.chance(0.9))) as never;
}

function parameters(random: SeededRandom): Partial<ChainParameters> {
  const odd: [number, object][] = [
    [78, { fee: 5n, price_per_kbyte: 3_000_000 }],
    [80, { fee: random.chance(0.9) ? 1n : U64 }],
    [83, { fee: random.pick([0n, -1n, 3n]) }],
  ];
  const scale = random.chance(0.05) ? 0xffff_ffff : random.pick([10_000, 10_000, 0, 1, 9999]);
  return {
    current_fees: { parameters: random.chance(0.15) ? odd : [], scale },
    extensions: extensions(random),
    cashback_vesting_threshold: random.pick([10_000_000n, 0n, -1n, 99n, 100n]),
    cashback_vesting_period_seconds: random.pick([31_536_000, 0, 0xffff_ffff, 60]),
    maximum_time_until_expiration: random.pick([86_400, 10, 0xffff_ffff]),
  };
}

/** A chain with its nodes and a market that is still empty, while forks come. */
export function ownScene(random: SeededRandom): Scene {
  const times = forkTimes(random);
  const w = new BareWorld(START, times);
  const builder = new Builder(w, random);
  builder.accounts();
  builder.assets();
  builder.nodes();
  w.setParameters(parameters(random));
  w.state.modify(globalPropertyObject, w.state.single(globalPropertyObject), (o) => {
    o.next_available_vote_id = random.pick([0, 5, 1000]);
  });
  return { w, forks: modelForks(times), people: builder.people };
}
