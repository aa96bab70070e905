import type { JsonObject } from '../../src/codec/json.js';
import { timeToText } from '../../src/codec/time.js';
import { zeroFeeSchedule } from '../../src/operations/required-fee.js';
import { ASSET_PERMISSION_MASK } from '../../src/protocol/asset.js';
import type { ForkTimes } from '../../src/protocol/forks.js';
import { objectIdText } from '../../src/protocol/ids.js';
import type { OperationResult } from '../../src/protocol/results.js';
import { type AccountObject, accountObject } from '../../src/state/objects/account.js';
import { type AssetObject, assetObject } from '../../src/state/objects/asset.js';
import { assetDynamicDataObject } from '../../src/state/objects/asset-dynamic-data.js';
import { FOREVER } from '../../src/state/rules/accounts.js';
import { adjustBalance } from '../../src/state/rules/balances.js';
import { BareWorld } from './bare-world.js';

/** A bare world in which operations cost nothing, with the short ways that tests of evaluators need. */
export class FreeWorld extends BareWorld {
  constructor(headTime?: number, forks?: ForkTimes) {
    super(headTime, forks);
    this.setParameters({ current_fees: zeroFeeSchedule(), block_interval: 3 });
  }

  lifetimeMember(name: string, core = 0n): number {
    return this.account(name, { membership_expiration_date: FOREVER }, core);
  }

  changeAccount(id: number, changes: Partial<AccountObject>): void {
    const { state } = this;
    state.modify(accountObject, state.get(accountObject, id), (o) => Object.assign(o, changes));
  }

  changeAsset(id: number, changes: Partial<AssetObject['options']>, others: Partial<AssetObject> = {}): void {
    const { state } = this;
    state.modify(assetObject, state.get(assetObject, id), (o) => {
      Object.assign(o, others);
      o.options = { ...o.options, ...changes };
    });
  }

  /** An asset with every permission; `given` are its flags and lists. */
  asset(symbol: string, issuer: number, given: Partial<AssetObject['options']> = {}): number {
    const data = this.create(assetDynamicDataObject, {});
    const { id } = this.create(assetObject, { symbol, precision: 2, issuer, dynamic_asset_data_id: data.id });
    this.changeAsset(id, { issuer_permissions: ASSET_PERMISSION_MASK, ...given });
    return id;
  }

  give(account: number, asset: number, amount: bigint): void {
    adjustBalance(this.state, account, asset, amount);
  }

  /** The text of head time, some seconds later. */
  at(seconds: number): string {
    return timeToText(this.state.headTime + seconds);
  }
}

export const accountText = (id: number): string => `1.2.${id}`;
export const assetText = (id: number): string => `1.3.${id}`;
export const amountJson = (amount: number | bigint, asset: number): JsonObject => ({
  amount: amount.toString(),
  asset_id: assetText(asset),
});

/** Text of the id that an operation answered with. */
export function createdId(result: OperationResult): string {
  return result[0] === 1 ? objectIdText(result[1]) : `no id but ${JSON.stringify(result)}`;
}

/** Its last number. */
export function createdInstance(result: OperationResult): number {
  return Number(createdId(result).split('.')[2]);
}
