import type { Instance } from '../../protocol/ids.js';
import { accountBalanceRecord } from '../../protocol/objects/accounts-and-assets.js';
import { defineObject, group, type ObjectOf, unique } from '../define.js';

const ASSETS_MAX = 2 ** 21;
const OWNERS_MAX = 2 ** 32;

/** One number while both fit into 53 bits, which is always but for made-up ids in hostile operations. */
export function balanceKey(owner: Instance, asset: Instance): number | string {
  return owner < OWNERS_MAX && asset < ASSETS_MAX ? owner * ASSETS_MAX + asset : `${owner}|${asset}`;
}

/** Rows stay for ever, even at balance 0. */
export const accountBalanceObject = defineObject(accountBalanceRecord, {
  ownerAsset: unique((row) => balanceKey(row.owner, row.asset_type), { fixed: true }),
  owner: group((row) => row.owner, { fixed: true }),
  /** Holders, for clients. */
  asset: group((row) => row.asset_type, { fixed: true }),
});
export type AccountBalanceObject = ObjectOf<typeof accountBalanceObject>;
