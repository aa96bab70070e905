import { array, optional } from '../../codec/containers.js';
import { text, time, u8, u64 } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import { asset } from '../../protocol/asset.js';
import { extensions } from '../../protocol/extensions.js';
import { accountId, COMMITTEE_ACCOUNT, dataMarketCategoryId, freeDataProductId } from '../../protocol/ids.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { schemaContext } from '../../protocol/schema-context.js';
import { freeDataProductObject } from '../../state/objects/data-market.js';
import { checkFee } from '../checks.js';
import { defineOperation } from '../define.js';
import { flatFee } from '../fee-kinds.js';
import { checkProposed } from '../proposal-only.js';

export const freeDataProductUpdate = defineOperation({
  tag: 64,
  name: 'free_data_product_update',
  schema: struct('free_data_product_update', {
    free_data_product: freeDataProductId,
    new_product_name: optional(text),
    new_brief_desc: optional(text),
    new_datasource: optional(accountId),
    new_category_id: optional(dataMarketCategoryId),
    new_price: optional(u64),
    new_icon: optional(text),
    new_schema_contexts: optional(array(schemaContext)),
    new_parent_id: optional(text),
    new_status: optional(u8),
    new_issuer: optional(accountId),
    new_recommend_expiration_date_time: optional(time),
    fee: asset,
    extensions: extensions,
  }),
  fee: flatFee(100_000n),
  payer: () => COMMITTEE_ACCOUNT,
  validate: checkFee,
  evaluate(s, op, context) {
    checkProposed(context);
    return s.get(freeDataProductObject, op.free_data_product);
  },
  // A new issuer can be given and is ignored.
  apply(s, op, product) {
    s.modify(freeDataProductObject, product, (o) => {
      if (op.new_product_name !== undefined) o.product_name = op.new_product_name;
      if (op.new_brief_desc !== undefined) o.brief_desc = op.new_brief_desc;
      if (op.new_datasource !== undefined) o.datasource = op.new_datasource;
      if (op.new_category_id !== undefined) o.category_id = op.new_category_id;
      if (op.new_price !== undefined) o.price = op.new_price;
      if (op.new_icon !== undefined) o.icon = op.new_icon;
      if (op.new_schema_contexts !== undefined) o.schema_contexts = op.new_schema_contexts;
      if (op.new_parent_id !== undefined) o.parent_id = op.new_parent_id;
      if (op.new_status !== undefined) o.status = op.new_status;
      if (op.new_recommend_expiration_date_time !== undefined) {
        o.recommend_expiration_date_time = op.new_recommend_expiration_date_time;
      }
    });
    return VOID_RESULT;
  },
});
