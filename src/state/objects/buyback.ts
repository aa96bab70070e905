import { buybackRecord } from '../../protocol/objects/accounts-and-assets.js';
import { defineObject, type ObjectOf, unique } from '../define.js';

export const buybackObject = defineObject(
  { ...buybackRecord, keep: 'sparse' },
  { asset: unique((buyback) => buyback.asset_to_buy) },
);
export type BuybackObject = ObjectOf<typeof buybackObject>;
