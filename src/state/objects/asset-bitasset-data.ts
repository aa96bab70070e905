import { assetBitassetDataRecord } from '../../protocol/objects/accounts-and-assets.js';
import { defineObject, type ObjectOf } from '../define.js';

/** Exists for assets of the genesis file alone; nothing creates a market-issued asset later. */
export const assetBitassetDataObject = defineObject(assetBitassetDataRecord);
export type AssetBitassetDataObject = ObjectOf<typeof assetBitassetDataObject>;
