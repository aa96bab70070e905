import { defineErrors } from '../../base/errors.js';
import { array } from '../../codec/containers.js';
import { text, time, u64 } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import { asset } from '../../protocol/asset.js';
import { extensions } from '../../protocol/extensions.js';
import { accountId, dataMarketCategoryId } from '../../protocol/ids.js';
import { schemaContext } from '../../protocol/schema-context.js';
import { freeDataProductObject } from '../../state/objects/data-market.js';
import { createdResult } from '../created.js';
import { defineOperation } from '../define.js';
import { flatFee } from '../fee-kinds.js';
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
  tag: 63,
  name: 'free_data_product_create',
  schema: struct('free_data_product_create', {
    product_name: text,
    brief_desc: text,
    datasource: accountId,
    category_id: dataMarketCategoryId,
    price: u64,
    icon: text,
    schema_contexts: array(schemaContext),
    parent_id: text,
    fee: asset,
    issuer: accountId,
    create_date_time: time,
    recommend_expiration_date_time: time,
    extensions: extensions,
  }),
  fee: flatFee(1_000_000n),
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
