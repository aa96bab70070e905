import { defineErrors } from '../../base/errors.js';
import { freeDataProductCreateOperation } from '../../protocol/operations/data-market.js';
import { freeDataProductObject } from '../../state/objects/data-market.js';
import { createdResult } from '../created.js';
import { defineOperation } from '../define.js';
import { STATUS_INITIAL } from './products.js';
import { checkDatasource, checkLifetimeIssuer } from './roles.js';

export const FREE_PRODUCT_ERRORS = defineErrors({
  product_source_not_member: {
    text: 'db().get(op.datasource).is_datasource_member(): ',
    hint: 'the account that is to deliver is no data source',
  },
});

/** Data of one source, sold at a fixed price. */
export const freeDataProductCreate = defineOperation({
  ...freeDataProductCreateOperation,
  payer: (op) => op.issuer,
  validate() {},
  evaluate(s, op) {
    checkLifetimeIssuer(s, op.issuer);
    checkDatasource(s, op.datasource, FREE_PRODUCT_ERRORS.product_source_not_member);
  },
  apply(s, op) {
    const created = s.create(freeDataProductObject, {
      product_name: op.product_name,
      brief_desc: op.brief_desc,
      datasource: op.datasource,
      category_id: op.category_id,
      price: op.price,
      status: STATUS_INITIAL,
      icon: op.icon,
      schema_contexts: op.schema_contexts,
      issuer: op.issuer,
      parent_id: op.parent_id,
      create_date_time: op.create_date_time,
      recommend_expiration_date_time: op.recommend_expiration_date_time,
      total: 0n,
    });
    return createdResult(freeDataProductObject, created.id);
  },
});
