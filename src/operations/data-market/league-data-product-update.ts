import { COMMITTEE_ACCOUNT } from '../../protocol/ids.js';
import { leagueDataProductUpdateOperation } from '../../protocol/operations/data-market.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { leagueDataProductObject } from '../../state/objects/data-market.js';
import { checkFee } from '../checks.js';
import { defineOperation } from '../define.js';
import { checkProposed } from '../proposal-only.js';
import { checkProductThreshold, productThreshold } from './league-lists.js';

export const leagueDataProductUpdate = defineOperation({
  ...leagueDataProductUpdateOperation,
  payer: () => COMMITTEE_ACCOUNT,
  validate: checkFee,
  evaluate(s, op, context) {
    checkProposed(context);
    checkProductThreshold(op.extensions);
    return s.get(leagueDataProductObject, op.league_data_product);
  },
  apply(s, op, product) {
    const threshold = productThreshold(op.extensions);
    s.modify(leagueDataProductObject, product, (o) => {
      if (op.new_product_name !== undefined) o.product_name = op.new_product_name;
      if (op.new_brief_desc !== undefined) o.brief_desc = op.new_brief_desc;
      if (op.new_category_id !== undefined) o.category_id = op.new_category_id;
      if (op.new_refer_price !== undefined) o.refer_price = op.new_refer_price;
      if (op.new_status !== undefined) o.status = op.new_status;
      if (op.new_icon !== undefined) o.icon = op.new_icon;
      if (op.new_schema_contexts !== undefined) o.schema_contexts = op.new_schema_contexts;
      if (threshold !== undefined) o.pocs_threshold = threshold;
    });
    return VOID_RESULT;
  },
});
