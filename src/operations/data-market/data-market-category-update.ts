import { COMMITTEE_ACCOUNT } from '../../protocol/ids.js';
import { dataMarketCategoryUpdateOperation } from '../../protocol/operations/data-market.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { dataMarketCategoryObject } from '../../state/objects/data-market.js';
import { checkFee } from '../checks.js';
import { defineOperation } from '../define.js';
import { checkProposed } from '../proposal-only.js';

export const dataMarketCategoryUpdate = defineOperation({
  ...dataMarketCategoryUpdateOperation,
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
