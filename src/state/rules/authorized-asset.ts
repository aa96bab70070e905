import { ASSET_FLAG } from '../../protocol/asset.js';
import type { AccountObject } from '../objects/account.js';
import type { AssetObject } from '../objects/asset.js';
import type { ReadState } from '../views.js';

/** May this account hold, send and pay with this asset? Both lists of accounts are sorted by instance. */
export function isAuthorizedAsset(
  s: ReadState,
  account: Readonly<AccountObject>,
  asset: Readonly<AssetObject>,
): boolean {
  const listed = (asset.options.flags & ASSET_FLAG.white_list) !== 0;
  if (!listed && account.allowed_assets === undefined) return true;
  if (account.allowed_assets !== undefined && !account.allowed_assets.includes(asset.id)) return false;
  const { blacklist_authorities, whitelist_authorities } = asset.options;
  if (account.blacklisting_accounts.some((by) => blacklist_authorities.includes(by))) return false;
  if (s.active('HF_415') && whitelist_authorities.length === 0) return true;
  return account.whitelisting_accounts.some((by) => whitelist_authorities.includes(by));
}

/** Restricted assets move only from or to their issuer. */
export function isTransferRestricted(asset: Readonly<AssetObject>): boolean {
  return (asset.options.flags & ASSET_FLAG.transfer_restricted) !== 0;
}

export function isMarketIssued(asset: Readonly<AssetObject>): boolean {
  return asset.bitasset_data_id !== undefined;
}
