import { array, optional } from '../../codec/containers.js';
import { text, u8, u64 } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import { asset } from '../../protocol/asset.js';
import { extensions } from '../../protocol/extensions.js';
import { COMMITTEE_ACCOUNT, dataMarketCategoryId, leagueDataProductId } from '../../protocol/ids.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { schemaContext } from '../../protocol/schema-context.js';
import { leagueDataProductObject } from '../../state/objects/data-market.js';
import { checkFee } from '../checks.js';
import { defineOperation } from '../define.js';
import { flatFee } from '../fee-kinds.js';
import { checkProposed } from '../proposal-only.js';
import { checkProductThreshold, productThreshold } from './league-lists.js';

export const leagueDataProductUpdate = defineOperation({
  tag: 66,
  name: 'league_data_product_update',
  schema: struct('league_data_product_update', {
    league_data_product: leagueDataProductId,
    new_product_name: optional(text),
    new_brief_desc: optional(text),
    new_category_id: optional(dataMarketCategoryId),
    new_refer_price: optional(u64),
    new_status: optional(u8),
    new_icon: optional(text),
    new_schema_contexts: optional(array(schemaContext)),
    fee: asset,
    extensions: extensions,
  }),
  fee: flatFee(100_000n),
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
