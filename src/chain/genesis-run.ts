import { invariant } from '../base/errors.js';
import { add64 } from '../base/int.js';
import type { OperationContext } from '../operations/define.js';
import { runOperation } from '../operations/pipeline.js';
import { definitionOf } from '../operations/registered.js';
import { makeAsset } from '../protocol/asset.js';
import type { GenesisFile } from '../protocol/genesis-file.js';
import { type Instance, ORIGINAL_CORE_ASSET } from '../protocol/ids.js';
import type { OperationBody } from '../protocol/operation-slot.js';
import type { OperationResult } from '../protocol/results.js';
import type { ChainState } from '../state/chain-state.js';
import { accountObject } from '../state/objects/account.js';
import { type AssetObject, assetObject } from '../state/objects/asset.js';
import { type AssetDynamicDataObject, assetDynamicDataObject } from '../state/objects/asset-dynamic-data.js';
import type { GenesisSource } from './genesis-source.js';

/** What the steps of the genesis share. */
export interface GenesisRun {
  readonly state: ChainState;
  readonly file: GenesisFile;
  readonly source: GenesisSource;
  readonly context: OperationContext;
  /** Amounts in circulation by asset. */
  readonly supply: Map<Instance, bigint>;
  /** Debts of collateral positions by asset. */
  readonly debt: Map<Instance, bigint>;
}

/** Runs an operation for the genesis: no signatures, no stateless checks, no fee. */
export function runGenesisOperation(g: GenesisRun, tag: number, fields: Record<string, unknown>): OperationResult {
  const body = {
    ...definitionOf(tag).schema.default(),
    ...fields,
    fee: makeAsset(0n, ORIGINAL_CORE_ASSET),
  } as OperationBody;
  return runOperation(g.state, [tag, body], g.context);
}

export function addSupply(totals: Map<Instance, bigint>, asset: Instance, amount: bigint): void {
  totals.set(asset, add64(totals.get(asset) ?? 0n, amount));
}

export function createAsset(
  g: GenesisRun,
  given: { symbol: string } & Partial<Omit<AssetObject, 'id' | 'symbol'>>,
  dynamic: Partial<AssetDynamicDataObject> = {},
): Readonly<AssetObject> {
  const data = g.state.create(assetDynamicDataObject, {
    ...(assetDynamicDataObject.schema.default() as Omit<AssetDynamicDataObject, 'id'>),
    ...dynamic,
  });
  return g.state.create(assetObject, {
    ...(assetObject.schema.default() as Omit<AssetObject, 'id'>),
    ...given,
    dynamic_asset_data_id: data.id,
  });
}

export function accountNamed(g: GenesisRun, name: string): Instance {
  const account = g.state.findBy(accountObject.by.name, name);
  invariant(account !== undefined, 'names of the genesis file are checked before');
  return account.id;
}
