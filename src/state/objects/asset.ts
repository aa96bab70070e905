import { optional } from '../../codec/containers.js';
import { text, u8 } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import { assetOptions } from '../../protocol/asset.js';
import { accountId, assetBitassetDataId, assetDynamicDataId } from '../../protocol/ids.js';
import { defineObject, group, type ObjectOf, ordered, unique } from '../define.js';

export const assetObject = defineObject(
  {
    name: 'asset',
    space: 1,
    type: 3,
    schema: struct('asset_object', {
      symbol: text,
      precision: u8,
      issuer: accountId,
      options: assetOptions,
      dynamic_asset_data_id: assetDynamicDataId,
      bitasset_data_id: optional(assetBitassetDataId),
      buyback_account: optional(accountId),
    }),
  },
  {
    symbol: unique((asset) => asset.symbol),
    /** For clients, as the next. */
    symbolOrder: ordered([(asset) => asset.symbol]),
    issuer: group((asset) => asset.issuer),
  },
);
export type AssetObject = ObjectOf<typeof assetObject>;
