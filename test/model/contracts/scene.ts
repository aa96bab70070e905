import { type AbiDef, abiDef } from '../../../src/protocol/abi.js';
import type { ChainParameters } from '../../../src/protocol/chain-parameters.js';
import { FORKS, type Fork, type ForkTimes, MAINNET_FORKS } from '../../../src/protocol/forks.js';
import { nameFromText } from '../../../src/protocol/name.js';
import type { AccountObject } from '../../../src/state/objects/account.js';
import { type AssetObject, assetObject } from '../../../src/state/objects/asset.js';
import { assetDynamicDataObject } from '../../../src/state/objects/asset-dynamic-data.js';
import { blockSummaryObject } from '../../../src/state/objects/block-summary.js';
import { keyValueObject, tableIdObject } from '../../../src/state/objects/contract-table.js';
import { dynamicGlobalPropertyObject } from '../../../src/state/objects/dynamic-global-property.js';
import { adjustBalance } from '../../../src/state/rules/balances.js';
import type { SeededRandom } from '../../sim/random.js';
import { BareWorld } from '../../support/bare-world.js';
import { MODEL_FORKS } from '../forks.js';
import { OTHER_CODES, RUNNERS, versionOf } from './codes.js';
import { type ContractForks, FORK_NAMES } from './forks.js';

const START = 1_700_000_000;
const NEVER = 0xffff_fff0;
const RICH = 10n ** 12n;
const ODD_CONTRACTS = 2;
export const ASSETS = [0, 1, 2, 3];
export const HEAD = 20;
/** A name, and those of its indexes. */
export const TABLES: readonly bigint[] = [0xc0de_0000n << 32n, (0xc0de_0000n << 32n) + 1n, 0n];
const asset = (amount: bigint, asset_id: number) => ({ amount, asset_id });

/** As nothing else numbers blocks here. */
export const idOfBlock = (number: number): string => number.toString(16).padStart(8, '0') + 'ab'.repeat(16);

export const METHODS = { run: nameFromText('run'), free: nameFromText('free'), none: nameFromText('none') };

export function abiOf(...names: readonly (keyof typeof METHODS)[]): AbiDef {
  const actions = names.map((name) => ({ name: METHODS[name], type: name, payable: name === 'run' }));
  return { ...abiDef.default(), actions };
}

export interface Scene {
  readonly w: BareWorld;
  readonly forks: ContractForks;
  readonly people: readonly number[];
  readonly contracts: readonly number[];
}

/** All are past, or some come while the world runs. */
function forkTimes(random: SeededRandom): ForkTimes {
  const times: Record<string, number> = { ...MAINNET_FORKS };
  if (random.chance(0.6)) {
    const names = (Object.keys(FORKS) as Fork[]).filter((name) => name !== 'HF_1008' && random.chance(0.4));
    for (const name of names) times[name] = random.chance(0.3) ? NEVER : START + random.below(400);
  }
  if (random.chance(0.1)) times.HF_1008 = START + random.below(400);
  return times as ForkTimes;
}

const modelForks = (times: ForkTimes): ContractForks =>
  Object.fromEntries(
    [...FORK_NAMES, ...Object.keys(MODEL_FORKS)].map((one) => [one, times[`HF_${one}` as Fork]]),
  ) as unknown as ContractForks;

function parameters(random: SeededRandom): Partial<ChainParameters> {
  const prices: [number, object] = [
    75,
    {
      fee: random.pick([0n, 100n, 12_345n]),
      price_per_kbyte_ram: random.pick([50_000n, 0n, 1n, 333n]),
      price_per_ms_cpu: random.pick([0n, 3n]),
    },
  ];
  const update: [number, object] = [76, { fee: 7n, price_per_kbyte: 2_000_000n }];
  const calls = {
    max_inter_contract_depth: random.pick([3, 3, 0, 1]),
    contract_basic_fee_vesting_period_seconds: random.pick([259_200, 0, 60]),
    max_inline_action_size: random.pick([65_536, 65_536, 300]),
  };
  return {
    current_fees: {
      parameters: [prices, update].filter(() => random.chance(0.5)) as never,
      scale: random.pick([10_000, 10_000, 9999, 0]),
    },
    extensions: (random.chance(0.6) ? [[10, calls]] : []) as never,
    network_percent_of_fee: random.pick([2000, 1]),
    lifetime_referrer_percent_of_fee: random.pick([3000, 2]),
  };
}

class Builder {
  readonly w: BareWorld;
  readonly random: SeededRandom;

  constructor(w: BareWorld, random: SeededRandom) {
    this.w = w;
    this.random = random;
  }

  account(name: string, funds: bigint, given: Partial<AccountObject> = {}): number {
    const id = this.w.account(name, given);
    for (const one of ASSETS) adjustBalance(this.w.state, id, one, funds);
    return id;
  }

  asset(id: number, core_exchange_rate: AssetObject['options']['core_exchange_rate'], flags: number): void {
    const { state } = this.w;
    state.modify(assetObject, state.get(assetObject, id), (o) => {
      o.options = { ...o.options, core_exchange_rate, flags, whitelist_authorities: [6] };
    });
    state.modify(assetDynamicDataObject, state.get(assetDynamicDataObject, id), (o) => {
      o.fee_pool = this.random.pick([0n, 1000n, RICH, RICH]);
    });
  }

  contract(name: string, registrar: number, code = this.random.pick(RUNNERS)): number {
    const abi = abiOf('run', 'free');
    const funds = this.random.chance(0.9) ? RICH : 100_000n;
    const id = this.account(name, funds, { registrar, code, code_version: versionOf(code), abi });
    if (this.random.chance(0.5)) this.rows(BigInt(id));
    return id;
  }

  /** For which more comes back than the account that sells RAM may have. */
  rows(code: bigint): void {
    const { id } = this.w.create(tableIdObject, {
      code,
      scope: code,
      table: TABLES[0] as bigint,
      payer: code,
      count: 3,
    });
    for (const primary_key of [0n, 1n, 4n])
      this.w.create(keyValueObject, { t_id: id, primary_key, payer: code, value: new Uint8Array(8000) });
  }
}

/** People, contracts of theirs, and somebody who sells RAM. Worlds of neighbouring numbers have other odd contracts. */
export function contractScene(random: SeededRandom, world: number): Scene {
  const times = forkTimes(random);
  const w = new BareWorld(START, times);
  const b = new Builder(w, random);
  const alice = b.account('alice', RICH);
  const people = [alice, b.account('bob', RICH, { whitelisting_accounts: [alice] }), b.account('carol', RICH)];
  people.push(b.account('poor', random.pick([0n, 100n, 20_000n])), b.account('limited', RICH, { allowed_assets: [1] }));
  if (random.chance(0.97)) people.push(b.account('ram-account', random.pick([0n, 5000n, RICH])));
  const contracts = ['one', 'two', 'three'].map((name) => b.contract(name, random.pick(people.slice(0, 2))));
  for (let i = 0; i < ODD_CONTRACTS; i++) {
    const code = OTHER_CODES[(world * ODD_CONTRACTS + i) % OTHER_CODES.length];
    b.contract(`odd-${i}`, alice, code);
  }
  const dynamic_asset_data_id = w.create(assetDynamicDataObject, {}).id;
  w.create(assetObject, { symbol: 'MORE', precision: 2, dynamic_asset_data_id });
  b.asset(0, { base: asset(2n, 0), quote: asset(1n, 1) }, 0);
  b.asset(2, { base: asset(3n, 1), quote: asset(7n, 2) }, 0);
  b.asset(
    3,
    random.pick([
      { base: asset(5n, 3), quote: asset(2n, 1) },
      { base: asset(0n, 0), quote: asset(0n, 0) },
    ]),
    2,
  );
  w.setParameters(parameters(random));
  for (let number = 0; number <= HEAD; number++) w.create(blockSummaryObject, { block_id: idOfBlock(number) });
  w.state.modify(dynamicGlobalPropertyObject, w.state.single(dynamicGlobalPropertyObject), (o) => {
    o.head_block_number = HEAD;
    o.head_block_id = idOfBlock(HEAD);
  });
  return { w, forks: modelForks(times), people, contracts };
}
