import { ASSET_FLAG } from '../../protocol/asset.js';
import type { Instance } from '../../protocol/ids.js';
import { accountObject } from '../objects/account.js';
import { type AssetObject, assetObject } from '../objects/asset.js';
import type { ReadState } from '../views.js';
import { isMarketIssued } from './authorized-asset.js';

/** Owner and active authority of the issuer are both set by the top holders. */
const BOTH_CONTROLLED = 3;

/** The asset whose holders get a share of confidential fees, if everything about it is as it must be. */
export function configuredFbaAsset(s: ReadState, id: Instance | undefined): Readonly<AssetObject> | undefined {
  const asset = id === undefined ? undefined : s.find(assetObject, id);
  if (asset === undefined || isMarketIssued(asset) || asset.buyback_account === undefined) return undefined;
  const { issuer_permissions, flags } = asset.options;
  if (((issuer_permissions | flags) & ~ASSET_FLAG.charge_market_fee) !== 0) return undefined;
  const issuer = s.get(accountObject, asset.issuer);
  const isHeldByTop = [issuer.owner_special_authority, issuer.active_special_authority].every(
    (special) => special[0] === 1 && special[1].asset === asset.id,
  );
  return isHeldByTop && issuer.top_n_control_flags === BOTH_CONTROLLED ? asset : undefined;
}
