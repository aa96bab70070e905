import { share } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import { defineObject, type ObjectOf } from '../define.js';

export const assetDynamicDataObject = defineObject({
  name: 'asset_dynamic_data',
  space: 2,
  type: 3,
  schema: struct('asset_dynamic_data_object', {
    current_supply: share,
    confidential_supply: share,
    /** In the asset itself. */
    accumulated_fees: share,
    /** In the core asset. */
    fee_pool: share,
  }),
});
export type AssetDynamicDataObject = ObjectOf<typeof assetDynamicDataObject>;
