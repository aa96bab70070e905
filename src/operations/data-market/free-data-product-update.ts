import { COMMITTEE_ACCOUNT } from '../../protocol/ids.js';
import { freeDataProductUpdateOperation } from '../../protocol/operations/data-market.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { freeDataProductObject } from '../../state/objects/data-market.js';
import { checkFee } from '../checks.js';
import { defineOperation } from '../define.js';
import { checkProposed } from '../proposal-only.js';

export const freeDataProductUpdate = defineOperation({
  ...freeDataProductUpdateOperation,
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
