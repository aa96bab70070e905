import { check, defineErrors } from '../../base/errors.js';
import { COMMITTEE_ACCOUNT } from '../../protocol/ids.js';
import { leagueUpdateOperation } from '../../protocol/operations/data-market.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { leagueObject } from '../../state/objects/data-market.js';
import { checkFee } from '../checks.js';
import { defineOperation } from '../define.js';
import { checkProposed } from '../proposal-only.js';
import { checkLeagueLists, leagueLists } from './league-lists.js';

export const LEAGUE_UPDATE_ERRORS = defineErrors({
  league_update_lists_missing: { text: 'new_members and new_data_products must both be given' },
});

export const leagueUpdate = defineOperation({
  ...leagueUpdateOperation,
  payer: () => COMMITTEE_ACCOUNT,
  validate: checkFee,
  leagueMembers: (op) => op.new_members?.length ?? 0,
  evaluate(s, op, context) {
    checkProposed(context);
    // The reference reads both lists without looking whether they are there; what it does without them is undefined.
    const { new_members: members, new_data_products: products } = op;
    check(members !== undefined && products !== undefined, LEAGUE_UPDATE_ERRORS.league_update_lists_missing);
    checkLeagueLists(op.extensions, members.length, products.length);
    return { league: s.get(leagueObject, op.league), members, products };
  },
  // A new issuer can be given and is ignored.
  apply(s, op, { league, members, products }) {
    s.modify(leagueObject, league, (o) => {
      if (op.new_league_name !== undefined) o.league_name = op.new_league_name;
      if (op.new_brief_desc !== undefined) o.brief_desc = op.new_brief_desc;
      if (op.new_prices !== undefined) o.prices = op.new_prices;
      if (op.new_status !== undefined) o.status = op.new_status;
      if (op.new_category_id !== undefined) o.category_id = op.new_category_id;
      if (op.new_icon !== undefined) o.icon = op.new_icon;
      if (op.new_recommend_expiration_date_time !== undefined) {
        o.recommend_expiration_date_time = op.new_recommend_expiration_date_time;
      }
      o.data_products = products;
      o.members = members;
      Object.assign(o, leagueLists(op.extensions, members.length, products.length));
    });
    return VOID_RESULT;
  },
});
