import { array } from '../../codec/containers.js';
import { text, time, u64 } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import { asset } from '../../protocol/asset.js';
import { extensions } from '../../protocol/extensions.js';
import { accountId, dataMarketCategoryId } from '../../protocol/ids.js';
import { schemaContext } from '../../protocol/schema-context.js';
import { leagueDataProductObject } from '../../state/objects/data-market.js';
import { createdResult } from '../created.js';
import { defineOperation } from '../define.js';
import { flatFee } from '../fee-kinds.js';
import { checkProductThreshold, productThreshold } from './league-lists.js';
import { STATUS_INITIAL } from './products.js';
import { checkLifetimeIssuer } from './roles.js';

/** Data that the members of a league deliver to each other. */
export const leagueDataProductCreate = defineOperation({
  tag: 65,
  name: 'league_data_product_create',
  schema: struct('league_data_product_create', {
    product_name: text,
    brief_desc: text,
    category_id: dataMarketCategoryId,
    refer_price: u64,
    icon: text,
    schema_contexts: array(schemaContext),
    fee: asset,
    create_date_time: time,
    issuer: accountId,
    extensions: extensions,
  }),
  fee: flatFee(1_000_000n),
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
