import { optional } from '../../codec/containers.js';
import { text, u8, u32 } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import { asset } from '../../protocol/asset.js';
import { extensions } from '../../protocol/extensions.js';
import { COMMITTEE_ACCOUNT, dataMarketCategoryId } from '../../protocol/ids.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { dataMarketCategoryObject } from '../../state/objects/data-market.js';
import { checkFee } from '../checks.js';
import { defineOperation } from '../define.js';
import { flatFee } from '../fee-kinds.js';
import { checkProposed } from '../proposal-only.js';

export const dataMarketCategoryUpdate = defineOperation({
  tag: 62,
  name: 'data_market_category_update',
  schema: struct('data_market_category_update', {
    new_category_name: optional(text),
    new_order_num: optional(u32),
    data_market_category: dataMarketCategoryId,
    data_market_type: u8,
    fee: asset,
    new_status: optional(u8),
    extensions: extensions,
  }),
  fee: flatFee(0n),
  payer: () => COMMITTEE_ACCOUNT,
  validate: checkFee,
  evaluate(_s, _op, context) {
    checkProposed(context);
  },
  apply(s, op) {
    s.modify(dataMarketCategoryObject, s.get(dataMarketCategoryObject, op.data_market_category), (o) => {
      if (op.new_category_name !== undefined) o.category_name = op.new_category_name;
      if (op.new_order_num !== undefined) o.order_num = op.new_order_num;
      if (op.new_status !== undefined) o.status = op.new_status;
    });
    return VOID_RESULT;
  },
});
