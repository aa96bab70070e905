import { leagueDataProductCreateOperation } from '../../protocol/operations/data-market.js';
import { leagueDataProductObject } from '../../state/objects/data-market.js';
import { createdResult } from '../created.js';
import { defineOperation } from '../define.js';
import { checkProductThreshold, productThreshold } from './league-lists.js';
import { STATUS_INITIAL } from './products.js';
import { checkLifetimeIssuer } from './roles.js';

/** Data that the members of a league deliver to each other. */
export const leagueDataProductCreate = defineOperation({
  ...leagueDataProductCreateOperation,
  payer: (op) => op.issuer,
  validate() {},
  evaluate(s, op) {
    checkLifetimeIssuer(s, op.issuer);
    checkProductThreshold(op.extensions);
  },
  apply(s, op) {
    const created = s.create(leagueDataProductObject, {
      product_name: op.product_name,
      brief_desc: op.brief_desc,
      category_id: op.category_id,
      refer_price: op.refer_price,
      status: STATUS_INITIAL,
      icon: op.icon,
      schema_contexts: op.schema_contexts,
      issuer: op.issuer,
      total: 0n,
      create_date_time: op.create_date_time,
      pocs_threshold: productThreshold(op.extensions) ?? 0n,
    });
    return createdResult(leagueDataProductObject, created.id);
  },
});
