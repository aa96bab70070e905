import { dataMarketCategoryCreateOperation } from '../../protocol/operations/data-market.js';
import { dataMarketCategoryObject } from '../../state/objects/data-market.js';
import { createdResult } from '../created.js';
import { defineOperation } from '../define.js';
import { STATUS_INITIAL } from './products.js';
import { checkLifetimeIssuer } from './roles.js';

export const dataMarketCategoryCreate = defineOperation({
  ...dataMarketCategoryCreateOperation,
  payer: (op) => op.issuer,
  validate() {},
  evaluate(s, op) {
    checkLifetimeIssuer(s, op.issuer);
  },
  apply(s, op) {
    const { category_name, data_market_type, order_num, issuer, create_date_time } = op;
    const created = s.create(dataMarketCategoryObject, {
      category_name,
      data_market_type,
      order_num,
      issuer,
      status: STATUS_INITIAL,
      create_date_time,
    });
    return createdResult(dataMarketCategoryObject, created.id);
  },
});
