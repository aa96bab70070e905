import type { Instance } from '../../src/protocol/ids.js';
import { accountBalanceObject } from '../../src/state/objects/account-balance.js';
import { accountStatisticsObject } from '../../src/state/objects/account-statistics.js';
import { assetObject } from '../../src/state/objects/asset.js';
import { assetBitassetDataObject } from '../../src/state/objects/asset-bitasset-data.js';
import { assetDynamicDataObject } from '../../src/state/objects/asset-dynamic-data.js';
import { balanceObject } from '../../src/state/objects/balance.js';
import { callOrderObject } from '../../src/state/objects/call-order.js';
import { dynamicGlobalPropertyObject } from '../../src/state/objects/dynamic-global-property.js';
import { fbaAccumulatorObject } from '../../src/state/objects/fba-accumulator.js';
import { forceSettlementObject } from '../../src/state/objects/force-settlement.js';
import { limitOrderObject } from '../../src/state/objects/limit-order.js';
import { lockBalanceObject } from '../../src/state/objects/lock-balance.js';
import { stakingObject } from '../../src/state/objects/staking.js';
import { trustNodePledgeObject } from '../../src/state/objects/trust-node-pledge.js';
import { vestingBalanceObject } from '../../src/state/objects/vesting-balance.js';
import { witnessObject } from '../../src/state/objects/witness.js';
import type { ReadState } from '../../src/state/views.js';

/** Where amounts lie. Those of the first line belong to the core asset of the moment, whatever it is. */
type Place =
  | 'fee pools'
  | 'pending fees'
  | 'budget'
  | 'staking rewards'
  | 'fba'
  | 'deferred fees'
  | 'balances'
  | 'genesis balances'
  | 'vesting'
  | 'pledges'
  | 'locks'
  | 'stakings'
  | 'accumulated fees'
  | 'confidential'
  | 'orders';

export interface AssetSupply {
  readonly supply: bigint;
  readonly held: bigint;
  readonly places: ReadonlyMap<Place, bigint>;
}

export interface SupplySnapshot {
  readonly core: Instance;
  readonly assets: ReadonlyMap<Instance, AssetSupply>;
}

/**
 * Adds up every amount of the state by asset. `held` equals the asset's current supply except for what the chain's own
 * quirks have moved since genesis:
 * - at the change of the core asset, everything in the core-asset places becomes 1.3.1 although it was paid in as 1.3.0;
 * - an asset update that clears a fee pool leaves the supply as it is;
 * - a contract call that is paid in another asset deposits its price in the core asset, whatever the pool gave for it;
 * - a data transaction takes the operation's asset, gives 1.3.0, and lets a reserved part vanish.
 * So the difference is not zero on an old chain; what must hold is that it changes by nothing else.
 */
export function supplySnapshot(s: ReadState): SupplySnapshot {
  const core = s.coreAsset;
  const held = new Map<Instance, Map<Place, bigint>>();
  const add = (asset: Instance, place: Place, amount: bigint): void => {
    if (amount === 0n) return;
    let places = held.get(asset);
    if (places === undefined) {
      places = new Map();
      held.set(asset, places);
    }
    places.set(place, (places.get(place) ?? 0n) + amount);
  };

  for (const row of s.all(accountBalanceObject)) add(row.asset_type, 'balances', row.balance);
  for (const { balance } of s.all(balanceObject)) add(balance.asset_id, 'genesis balances', balance.amount);
  for (const { balance } of s.all(vestingBalanceObject)) add(balance.asset_id, 'vesting', balance.amount);
  for (const { amount } of s.all(trustNodePledgeObject)) add(amount.asset_id, 'pledges', amount.amount);
  for (const { amount } of s.all(lockBalanceObject)) add(amount.asset_id, 'locks', amount.amount);
  for (const { amount } of s.all(stakingObject)) add(amount.asset_id, 'stakings', amount.amount);
  for (const statistics of s.all(accountStatisticsObject)) {
    add(core, 'pending fees', statistics.pending_fees + statistics.pending_vested_fees);
  }
  for (const { vote_reward_pool } of s.all(witnessObject)) add(core, 'staking rewards', vote_reward_pool);
  for (const { accumulated_fba_fees } of s.all(fbaAccumulatorObject)) add(core, 'fba', accumulated_fba_fees);
  const dynamic = s.single(dynamicGlobalPropertyObject);
  add(core, 'budget', dynamic.witness_budget);
  add(core, 'staking rewards', dynamic.current_staking_reward_pool);
  addMarket(s, add);

  const assets = new Map<Instance, AssetSupply>();
  for (const asset of s.all(assetObject)) {
    const data = s.get(assetDynamicDataObject, asset.dynamic_asset_data_id);
    add(asset.id, 'accumulated fees', data.accumulated_fees);
    add(asset.id, 'confidential', data.confidential_supply);
    add(core, 'fee pools', data.fee_pool);
  }
  // Amounts of an asset that does not exist must show up as well.
  const known = new Set<Instance>([...held.keys()]);
  for (const asset of s.all(assetObject)) known.add(asset.id);
  for (const id of [...known].sort((a, b) => a - b)) {
    const asset = s.find(assetObject, id);
    const supply = asset === undefined ? 0n : s.get(assetDynamicDataObject, asset.dynamic_asset_data_id).current_supply;
    const places = held.get(id) ?? new Map<Place, bigint>();
    let total = 0n;
    for (const amount of places.values()) total += amount;
    assets.set(id, { supply, held: total, places });
  }
  return { core, assets };
}

/** Left-overs of the market, which only a genesis file can bring into being. */
function addMarket(s: ReadState, add: (asset: Instance, place: Place, amount: bigint) => void): void {
  for (const order of s.all(callOrderObject)) add(order.call_price.base.asset_id, 'orders', order.collateral);
  for (const order of s.all(limitOrderObject)) {
    add(order.sell_price.base.asset_id, 'orders', order.for_sale);
    add(s.coreAsset, 'deferred fees', order.deferred_fee);
  }
  for (const { balance } of s.all(forceSettlementObject)) add(balance.asset_id, 'orders', balance.amount);
  for (const bitasset of s.all(assetBitassetDataObject)) {
    add(bitasset.options.short_backing_asset, 'orders', bitasset.settlement_fund);
  }
}

/** `held - supply` of an asset. */
export function supplyDifference(snapshot: SupplySnapshot, asset: Instance): bigint {
  const found = snapshot.assets.get(asset);
  return found === undefined ? 0n : found.held - found.supply;
}

/**
 * What is wrong with the amounts of `after`, given those of `before`; empty if nothing is. `allowed` names by how much
 * each asset's difference may have moved through operations whose quirk it is (see above). When the core asset changed
 * in between, what one core asset lost the other must have gained.
 */
export function supplyViolations(
  before: SupplySnapshot,
  after: SupplySnapshot,
  allowed: ReadonlyMap<Instance, bigint> = new Map(),
): string[] {
  const out: string[] = [];
  let crossing = 0n;
  for (const asset of new Set([...before.assets.keys(), ...after.assets.keys()])) {
    const moved = supplyDifference(after, asset) - supplyDifference(before, asset) - (allowed.get(asset) ?? 0n);
    if (before.core !== after.core && (asset === before.core || asset === after.core)) crossing += moved;
    else if (moved !== 0n) out.push(`1.3.${asset}: amounts and supply drifted apart by ${moved}`);
  }
  if (crossing !== 0n) out.push(`core assets: amounts and supply drifted apart by ${crossing} at their change`);
  return out;
}
