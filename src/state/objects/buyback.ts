import { struct } from '../../codec/struct.js';
import { assetId } from '../../protocol/ids.js';
import { defineObject, type ObjectOf, unique } from '../define.js';

export const buybackObject = defineObject(
  {
    name: 'buyback',
    space: 2,
    type: 15,
    keep: 'sparse',
    schema: struct('buyback_object', { asset_to_buy: assetId }),
  },
  { asset: unique((buyback) => buyback.asset_to_buy) },
);
export type BuybackObject = ObjectOf<typeof buybackObject>;
