import { atField, check, defineErrors, invariant } from '../base/errors.js';
import { U128_MASK } from '../base/int.js';
import { NULL_BLOCK_ID } from '../crypto/digests.js';
import { NULL_PUBLIC_KEY } from '../crypto/public-key.js';
import type { OperationContext } from '../operations/define.js';
import { zeroFeeSchedule } from '../operations/required-fee.js';
import { makeAsset, type Price } from '../protocol/asset.js';
import { type Authority, emptyAuthority, keyAuthority } from '../protocol/authority.js';
import type { GenesisAccount } from '../protocol/genesis-file.js';
import {
  COMMITTEE_ACCOUNT,
  CORE_ASSET,
  type Instance,
  NULL_ACCOUNT,
  ORIGINAL_CORE_ASSET,
  PROXY_TO_SELF_ACCOUNT,
  RELAXED_COMMITTEE_ACCOUNT,
  TEMP_ACCOUNT,
  WITNESS_ACCOUNT,
} from '../protocol/ids.js';
import { ORIGINAL_CORE_SYMBOL } from '../protocol/networks.js';
import type { ChainState } from '../state/chain-state.js';
import { accountObject } from '../state/objects/account.js';
import { accountBalanceObject, balanceKey } from '../state/objects/account-balance.js';
import { type AssetObject, assetObject } from '../state/objects/asset.js';
import { assetDynamicDataObject } from '../state/objects/asset-dynamic-data.js';
import { balanceObject } from '../state/objects/balance.js';
import { BLOCK_SUMMARY_COUNT, blockSummaryObject } from '../state/objects/block-summary.js';
import { chainPropertyObject } from '../state/objects/chain-property.js';
import {
  type DynamicGlobalPropertyObject,
  dynamicGlobalPropertyObject,
} from '../state/objects/dynamic-global-property.js';
import { fbaAccumulatorObject } from '../state/objects/fba-accumulator.js';
import { globalPropertyObject } from '../state/objects/global-property.js';
import { type WitnessObject, witnessObject } from '../state/objects/witness.js';
import { witnessScheduleObject } from '../state/objects/witness-schedule.js';
import { FOREVER } from '../state/rules/accounts.js';
import { createAccount } from '../state/rules/new-account.js';
import { createInitialAssets } from './genesis-assets.js';
import { accountNamed, addSupply, createAsset, type GenesisRun, runGenesisOperation } from './genesis-run.js';
import { checkGenesis, type GenesisSource } from './genesis-source.js';

export const GENESIS_STATE_ERRORS = defineErrors({
  genesis_core_asset_missing: {
    text: 'genesis file, initial_assets: the first one becomes the core asset 1.3.1 of a chain that begins after fork 1008',
  },
});

/** All built-in accounts own 10^17 of the original core asset until the genesis balances say otherwise. */
const INITIAL_SUPPLY = 100_000_000_000_000_000n;
const FBA_ACCUMULATORS = 3;
const FBA_ASSET = 743;
const OPERATION = { accountCreate: 5, accountUpgrade: 8, witnessCreate: 20, committeeMemberCreate: 29 } as const;

interface GenesisStep {
  readonly name: string;
  run(g: GenesisRun): void;
}

interface BuiltInAccount {
  readonly name: string;
  readonly threshold: number;
  readonly network: number;
  readonly lifetimeReferrer: number;
  readonly referrer: Instance;
}

function createBuiltIn(g: GenesisRun, given: BuiltInAccount): void {
  createAccount(g.state, {
    name: given.name,
    membership_expiration_date: FOREVER,
    network_fee_percentage: given.network,
    lifetime_referrer_fee_percentage: given.lifetimeReferrer,
    owner: emptyAuthority(given.threshold),
    active: emptyAuthority(given.threshold),
    registrar: given.referrer,
    referrer: given.referrer,
    lifetime_referrer: given.referrer,
  });
}

const plain = (name: string, referrer: Instance): BuiltInAccount => ({
  name,
  threshold: 1,
  network: 2000,
  lifetimeReferrer: 8000,
  referrer,
});
const outOfPlay = (name: string): BuiltInAccount => ({
  name,
  threshold: 1,
  network: 0,
  lifetimeReferrer: 10_000,
  referrer: NULL_ACCOUNT,
});

function createBuiltInAccounts(g: GenesisRun): void {
  const { state, file } = g;
  state.create(accountBalanceObject, {
    owner: COMMITTEE_ACCOUNT,
    asset_type: ORIGINAL_CORE_ASSET,
    balance: INITIAL_SUPPLY,
  });
  createBuiltIn(g, plain('committee-account', COMMITTEE_ACCOUNT));
  createBuiltIn(g, plain('witness-account', WITNESS_ACCOUNT));
  createBuiltIn(g, plain('relaxed-committee-account', RELAXED_COMMITTEE_ACCOUNT));
  createBuiltIn(g, outOfPlay('null-account'));
  createBuiltIn(g, { ...plain('temp-account', TEMP_ACCOUNT), threshold: 0 });
  createBuiltIn(g, outOfPlay('proxy-to-self'));
  invariant(state.nextInstance(accountObject) === PROXY_TO_SELF_ACCOUNT + 1, 'the built-in accounts have their ids');
  while (state.nextInstance(accountObject) < file.immutable_parameters.num_special_accounts) {
    const id = state.nextInstance(accountObject);
    createBuiltIn(g, plain(`special-account-${id}`, id));
    // The statistics stay behind, as in the reference.
    state.remove(accountObject, state.get(accountObject, id));
  }
}

const rate = (asset: Instance, to: Instance): Price => ({ base: makeAsset(1n, asset), quote: makeAsset(1n, to) });

function createCoreAsset(g: GenesisRun): void {
  const options = {
    ...assetObject.schema.default().options,
    max_supply: g.file.max_core_supply,
    issuer_permissions: 0,
    flags: 0,
  } as AssetObject['options'];
  const core = { ...options, core_exchange_rate: rate(ORIGINAL_CORE_ASSET, ORIGINAL_CORE_ASSET) };
  createAsset(
    g,
    { symbol: ORIGINAL_CORE_SYMBOL, precision: 5, issuer: NULL_ACCOUNT, options: core },
    { current_supply: INITIAL_SUPPLY },
  );
  while (g.state.nextInstance(assetObject) < g.file.immutable_parameters.num_special_assets) {
    const symbol = `SPECIAL${g.state.nextInstance(assetObject)}`;
    g.state.remove(assetObject, createAsset(g, { symbol, precision: 5, issuer: NULL_ACCOUNT, options: core }));
  }
}

function createProperties(g: GenesisRun): void {
  const { state, file, source } = g;
  state.create(globalPropertyObject, {
    // Nothing costs anything while the genesis is made.
    parameters: { ...file.initial_parameters, current_fees: { ...zeroFeeSchedule(), scale: 0 } },
    pending_parameters: undefined,
    next_available_vote_id: 0,
    active_committee_members: [],
    active_witnesses: [],
  });
  state.create(dynamicGlobalPropertyObject, {
    ...(dynamicGlobalPropertyObject.schema.default() as Omit<DynamicGlobalPropertyObject, 'id'>),
    time: file.initial_timestamp,
    recent_slots_filled: U128_MASK,
  });
  state.create(chainPropertyObject, {
    chain_id: source.chainId,
    immutable_parameters: file.immutable_parameters,
  });
  for (let i = 0; i < BLOCK_SUMMARY_COUNT; i++) state.create(blockSummaryObject, { block_id: NULL_BLOCK_ID });
}

function createInitialAccount(g: GenesisRun, account: GenesisAccount): void {
  const ownerKey = account.owner_key;
  const activeKey = account.active_key === NULL_PUBLIC_KEY ? ownerKey : account.active_key;
  const active: Authority = keyAuthority(activeKey);
  const created = runGenesisOperation(g, OPERATION.accountCreate, {
    registrar: TEMP_ACCOUNT,
    referrer: COMMITTEE_ACCOUNT,
    referrer_percent: 0,
    name: account.name,
    owner: keyAuthority(ownerKey),
    active,
    options: { ...accountObject.schema.default().options, memo_key: activeKey },
  });
  if (!account.is_lifetime_member) return;
  invariant(created[0] === 1, 'account creation gives the new id');
  runGenesisOperation(g, OPERATION.accountUpgrade, {
    account_to_upgrade: Number(created[1] & 0xffff_ffff_ffffn),
    upgrade_to_lifetime_member: true,
  });
}

function assetNamed(g: GenesisRun, symbol: string): Instance {
  const asset = g.state.findBy(assetObject.by.symbol, symbol);
  invariant(asset !== undefined, 'symbols of the genesis file are checked before');
  return asset.id;
}

function createBalances(g: GenesisRun): void {
  for (const given of g.file.initial_balances) {
    const asset = assetNamed(g, given.asset_symbol);
    g.state.create(balanceObject, {
      owner: given.owner,
      balance: makeAsset(given.amount, asset),
      vesting_policy: undefined,
      last_claim_date: 0,
    });
    addSupply(g.supply, asset, given.amount);
  }
  for (const given of g.file.initial_vesting_balances) {
    const asset = assetNamed(g, given.asset_symbol);
    g.state.create(balanceObject, {
      owner: given.owner,
      balance: makeAsset(given.amount, asset),
      vesting_policy: {
        begin_timestamp: given.begin_timestamp,
        vesting_cliff_seconds: 0,
        vesting_duration_seconds: given.vesting_duration_seconds,
        begin_balance: given.begin_balance,
      },
      last_claim_date: 0,
    });
    addSupply(g.supply, asset, given.amount);
  }
}

function settleSupply(g: GenesisRun): void {
  const { state, supply, debt } = g;
  if ((supply.get(ORIGINAL_CORE_ASSET) ?? 0n) > 0n) {
    const row = state.findBy(accountBalanceObject.by.ownerAsset, balanceKey(COMMITTEE_ACCOUNT, ORIGINAL_CORE_ASSET));
    invariant(row !== undefined, 'the committee account owns the initial supply');
    state.modify(accountBalanceObject, row, (o) => {
      o.balance = 0n;
    });
  } else {
    supply.set(ORIGINAL_CORE_ASSET, INITIAL_SUPPLY);
  }
  for (const { id, symbol, bitasset_data_id } of state.all(assetObject)) {
    if (bitasset_data_id === undefined) continue;
    const circulating = supply.get(id) ?? 0n;
    const covered = debt.get(id) ?? 0n;
    check(circulating === covered, GENESIS_SUPPLY_ERRORS.genesis_debt, { symbol, supply: circulating, debt: covered });
  }
  // Quirk: nobody compares with max_supply.
  for (const [asset, amount] of supply) {
    const { dynamic_asset_data_id } = state.get(assetObject, asset);
    state.modify(assetDynamicDataObject, state.get(assetDynamicDataObject, dynamic_asset_data_id), (o) => {
      o.current_supply = amount;
    });
  }
}

export const GENESIS_SUPPLY_ERRORS = defineErrors({
  genesis_debt: {
    text: 'genesis file, initial_balances: ${supply} of ${symbol} are in circulation, collateral covers ${debt}',
  },
});

function createCandidates(g: GenesisRun): void {
  const { state, file } = g;
  const nobody = state.create(witnessObject, {
    ...(witnessObject.schema.default() as Omit<WitnessObject, 'id'>),
  });
  state.remove(witnessObject, nobody);
  file.initial_witness_candidates.forEach((candidate, i) => {
    atField(`initial_witness_candidates[${i}]`, () =>
      runGenesisOperation(g, OPERATION.witnessCreate, {
        witness_account: accountNamed(g, candidate.owner_name),
        url: '',
        block_signing_key: candidate.block_signing_key,
      }),
    );
  });
  file.initial_committee_candidates.forEach((candidate, i) => {
    atField(`initial_committee_candidates[${i}]`, () =>
      runGenesisOperation(g, OPERATION.committeeMemberCreate, {
        committee_member_account: accountNamed(g, candidate.owner_name),
        url: '',
      }),
    );
  });
}

function activate(g: GenesisRun): void {
  const { state, file } = g;
  const active = Array.from({ length: Number(file.initial_active_witnesses) }, (_, i) => i + 1);
  state.modify(globalPropertyObject, state.single(globalPropertyObject), (o) => {
    o.active_witnesses = active;
    o.parameters = { ...o.parameters, current_fees: file.initial_parameters.current_fees };
  });
  state.create(witnessScheduleObject, { current_shuffled_witnesses: active });
  for (let i = 0; i < FBA_ACCUMULATORS; i++) {
    state.create(fbaAccumulatorObject, { accumulated_fba_fees: 0n, designated_asset: FBA_ASSET });
  }
}

/** Order of creation gives the ids; all of it is consensus. */
const GENESIS_STEPS: readonly GenesisStep[] = [
  { name: 'create_built_in_accounts', run: createBuiltInAccounts },
  { name: 'create_core_asset', run: createCoreAsset },
  { name: 'create_properties', run: createProperties },
  {
    name: 'create_accounts',
    run: (g) =>
      g.file.initial_accounts.forEach((account, i) => {
        atField(`initial_accounts[${i}]`, () => createInitialAccount(g, account));
      }),
  },
  { name: 'create_assets', run: createInitialAssets },
  { name: 'create_balances', run: createBalances },
  { name: 'settle_supply', run: settleSupply },
  { name: 'create_candidates', run: createCandidates },
  { name: 'activate', run: activate },
];

/**
 * Builds the first state. Our extension: the reference cannot begin a chain after fork 1008, because genesis operations
 * pay nothing in 1.3.0 and that asset has no rate to the new core asset yet. Here such a genesis is made under the
 * rules for fees and pledges from before, and afterwards 1.3.0 has a rate, so that its balances can be claimed.
 */
export function buildGenesis(state: ChainState, source: GenesisSource, context: OperationContext): void {
  checkGenesis(source);
  const { file } = source;
  const run: GenesisRun = { state, file, source, context, supply: new Map(), debt: new Map() };
  const build = () => {
    for (const step of GENESIS_STEPS) step.run(run);
  };
  state.withoutForks(['HF_1008', 'HF_1129'], build);
  if (!state.active('HF_1008')) return;
  const core = state.find(assetObject, CORE_ASSET);
  check(core !== undefined, GENESIS_STATE_ERRORS.genesis_core_asset_missing);
  state.modify(assetObject, state.get(assetObject, ORIGINAL_CORE_ASSET), (o) => {
    o.options = { ...o.options, core_exchange_rate: rate(ORIGINAL_CORE_ASSET, CORE_ASSET) };
  });
}
