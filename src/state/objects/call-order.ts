import { share } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import { price } from '../../protocol/asset.js';
import { accountId, type Instance } from '../../protocol/ids.js';
import { defineObject, type ObjectOf, unique } from '../define.js';

export function callOrderKey(borrower: Instance, debtAsset: Instance): string {
  return `${borrower}|${debtAsset}`;
}

export const callOrderObject = defineObject(
  {
    name: 'call_order',
    space: 1,
    type: 8,
    keep: 'sparse',
    schema: struct('call_order_object', { borrower: accountId, collateral: share, debt: share, call_price: price }),
  },
  { borrowerDebt: unique((order) => callOrderKey(order.borrower, order.call_price.quote.asset_id)) },
);
export type CallOrderObject = ObjectOf<typeof callOrderObject>;
