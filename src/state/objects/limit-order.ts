import { share, time } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import { price } from '../../protocol/asset.js';
import { accountId } from '../../protocol/ids.js';
import { defineObject, type ObjectOf } from '../define.js';

export const limitOrderObject = defineObject({
  name: 'limit_order',
  space: 1,
  type: 7,
  keep: 'sparse',
  schema: struct('limit_order_object', {
    expiration: time,
    seller: accountId,
    for_sale: share,
    sell_price: price,
    deferred_fee: share,
  }),
});
export type LimitOrderObject = ObjectOf<typeof limitOrderObject>;
