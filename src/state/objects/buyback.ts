import { buybackRecord } from '../../protocol/objects/accounts-and-assets.js';
import { defineObject, unique } from '../define.js';

export const buybackObject = defineObject(
  { ...buybackRecord, keep: 'sparse' },
  { asset: unique((buyback) => buyback.asset_to_buy) },
);
