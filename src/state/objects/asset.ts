import { assetRecord } from '../../protocol/objects/accounts-and-assets.js';
import { defineObject, group, type ObjectOf, ordered, unique } from '../define.js';

export const assetObject = defineObject(assetRecord, {
  symbol: unique((asset) => asset.symbol),
  /** For clients, as the next. */
  symbolOrder: ordered([(asset) => asset.symbol]),
  issuer: group((asset) => asset.issuer),
});
export type AssetObject = ObjectOf<typeof assetObject>;
