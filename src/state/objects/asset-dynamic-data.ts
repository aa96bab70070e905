import { assetDynamicDataRecord } from '../../protocol/objects/accounts-and-assets.js';
import { defineObject, type ObjectOf } from '../define.js';

export const assetDynamicDataObject = defineObject(assetDynamicDataRecord);
export type AssetDynamicDataObject = ObjectOf<typeof assetDynamicDataObject>;
