import type { Instance } from '../../protocol/ids.js';
import { callOrderRecord } from '../../protocol/objects/accounts-and-assets.js';
import { defineObject, unique } from '../define.js';

function callOrderKey(borrower: Instance, debtAsset: Instance): string {
  return `${borrower}|${debtAsset}`;
}

export const callOrderObject = defineObject(
  { ...callOrderRecord, keep: 'sparse' },
  { borrowerDebt: unique((order) => callOrderKey(order.borrower, order.call_price.quote.asset_id)) },
);
