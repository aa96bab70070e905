import { check, defineErrors } from '../../base/errors.js';
import { array } from '../../codec/containers.js';
import { text, time, u64 } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import { asset } from '../../protocol/asset.js';
import { extensions } from '../../protocol/extensions.js';
import { accountId, dataMarketCategoryId, leagueDataProductId, leagueId } from '../../protocol/ids.js';
import { dataMarketCategoryObject, leagueDataProductObject, leagueObject } from '../../state/objects/data-market.js';
import { createdResult } from '../created.js';
import { defineOperation } from '../define.js';
import { flatFee } from '../fee-kinds.js';
import { checkLeagueLists, leagueLists } from './league-lists.js';
import { STATUS_INITIAL } from './products.js';
import { checkDatasource, checkLifetimeIssuer } from './roles.js';

export const LEAGUE_CREATE_ERRORS = defineErrors({
  league_member_not_source: {
    text: 'db().get(datasource).is_datasource_member(): ',
    hint: 'a member of the league is no data source',
  },
  league_product_missing: { text: 'db().find_object(data_opt): This product_id is not found, product_id is ${id}' },
  league_category_missing: {
    text: 'db().find_object(op.category_id): ',
    hint: 'there is no category 1.16.${category}',
  },
});

/** A group of data sources that deliver to each other. The id that the operation carries means nothing. */
export const leagueCreate = defineOperation({
  tag: 67,
  name: 'league_create',
  schema: struct('league_create', {
    league: leagueId,
    league_name: text,
    brief_desc: text,
    data_products: array(leagueDataProductId),
    prices: array(u64),
    category_id: dataMarketCategoryId,
    icon: text,
    fee: asset,
    issuer: accountId,
    create_date_time: time,
    recommend_expiration_date_time: time,
    members: array(accountId),
    extensions: extensions,
  }),
  fee: flatFee(1_000_000n),
  payer: (op) => op.issuer,
  validate() {},
  evaluate(s, op) {
    for (const member of op.members) checkDatasource(s, member, LEAGUE_CREATE_ERRORS.league_member_not_source);
    for (const product of op.data_products) {
      const isThere = s.find(leagueDataProductObject, product) !== undefined;
      check(isThere, LEAGUE_CREATE_ERRORS.league_product_missing, () => ({ id: `1.18.${product}` }));
    }
    checkLeagueLists(op.extensions, op.members.length, op.data_products.length);
    checkLifetimeIssuer(s, op.issuer);
    const category = s.find(dataMarketCategoryObject, op.category_id);
    check(category !== undefined, LEAGUE_CREATE_ERRORS.league_category_missing, { category: op.category_id });
  },
  apply(s, op) {
    const created = s.create(leagueObject, {
      league_name: op.league_name,
      brief_desc: op.brief_desc,
      data_products: op.data_products,
      prices: op.prices,
      status: STATUS_INITIAL,
      category_id: op.category_id,
      icon: op.icon,
      issuer: op.issuer,
      create_date_time: op.create_date_time,
      recommend_expiration_date_time: op.recommend_expiration_date_time,
      total: 0n,
      members: op.members,
      ...leagueLists(op.extensions, op.members.length, op.data_products.length),
    });
    return createdResult(leagueObject, created.id);
  },
});
