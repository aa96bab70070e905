import { text, time, u8, u32 } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import { asset } from '../../protocol/asset.js';
import { extensions } from '../../protocol/extensions.js';
import { accountId } from '../../protocol/ids.js';
import { dataMarketCategoryObject } from '../../state/objects/data-market.js';
import { createdResult } from '../created.js';
import { defineOperation } from '../define.js';
import { flatFee } from '../fee-kinds.js';
import { STATUS_INITIAL } from './products.js';
import { checkLifetimeIssuer } from './roles.js';

export const dataMarketCategoryCreate = defineOperation({
  tag: 61,
  name: 'data_market_category_create',
  schema: struct('data_market_category_create', {
    category_name: text,
    data_market_type: u8,
    order_num: u32,
    fee: asset,
    issuer: accountId,
    create_date_time: time,
    extensions: extensions,
  }),
  fee: flatFee(1_000_000n),
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
