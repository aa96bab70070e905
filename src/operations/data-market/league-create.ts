import { check, defineErrors } from '../../base/errors.js';
import { leagueCreateOperation } from '../../protocol/operations/data-market.js';
import { dataMarketCategoryObject, leagueDataProductObject, leagueObject } from '../../state/objects/data-market.js';
import { createdResult } from '../created.js';
import { defineOperation } from '../define.js';
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
  ...leagueCreateOperation,
  payer: (op) => op.issuer,
  validate() {},
  leagueMembers: (op) => op.members.length,
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
