import type { JsonObject } from '../../src/codec/json.js';
import { FREE_PRODUCT_ERRORS } from '../../src/operations/data-market/free-data-product-create.js';
import { LEAGUE_CREATE_ERRORS as LEAGUE } from '../../src/operations/data-market/league-create.js';
import { LEAGUE_LIST_ERRORS as LISTS } from '../../src/operations/data-market/league-lists.js';
import { LEAGUE_UPDATE_ERRORS } from '../../src/operations/data-market/league-update.js';
import { ROLE_ERRORS } from '../../src/operations/data-market/roles.js';
import { PROPOSAL_ONLY_ERRORS } from '../../src/operations/proposal-only.js';
import { freeMarket } from '../support/free-market.js';
import { assertion, type Refusal } from './define.js';

const { w, issuer, one, merchant, league } = freeMarket();

const run = (tag: number, json: JsonObject) => () => w.run(tag, json);
const lists = (pocs_thresholds: number[], fee_bases: number[], product_pocs_weights: number[]) =>
  run(67, { ...league, extensions: [[4, { pocs_thresholds, fee_bases, product_pocs_weights }]] });
const NOT_LIFETIME = 'db().get(op.issuer).is_lifetime_member(): ';

export const refusals: readonly Refusal[] = [
  assertion(ROLE_ERRORS.issuer_not_lifetime, NOT_LIFETIME, run(61, { issuer: merchant })),
  assertion(ROLE_ERRORS.issuer_not_lifetime, NOT_LIFETIME, run(63, { issuer: merchant, datasource: one })),
  assertion(ROLE_ERRORS.issuer_not_lifetime, NOT_LIFETIME, run(65, { issuer: merchant, extensions: [[5, {}]] })),
  assertion(
    FREE_PRODUCT_ERRORS.product_source_not_member,
    'db().get(op.datasource).is_datasource_member(): ',
    run(63, { issuer, datasource: merchant }),
  ),
  assertion(
    LISTS.pocs_threshold_small,
    'pocs_threshold >= 1: pocs_threshold must be larger than 0',
    run(65, { issuer, extensions: [[5, { pocs_threshold: 0 }]] }),
  ),
  assertion(
    LEAGUE.league_member_not_source,
    'db().get(datasource).is_datasource_member(): ',
    // Members are looked at before products.
    run(67, { ...league, members: [one, merchant], data_products: ['1.18.9'] }),
  ),
  assertion(
    LEAGUE.league_product_missing,
    'db().find_object(data_opt): This product_id is not found, product_id is 1.18.9',
    run(67, { ...league, data_products: ['1.18.0', '1.18.9'], extensions: [[4, {}]] }),
  ),
  assertion(
    LISTS.league_thresholds_size,
    'op.members.size() == ext.get<pocs_threshold_league_t>().pocs_thresholds.size(): pocs_thresholds size error',
    lists([1], [1], []),
  ),
  assertion(
    LISTS.league_fee_bases_size,
    'op.members.size() == ext.get<pocs_threshold_league_t>().fee_bases.size(): fee_bases size error',
    lists([1, 1], [1], []),
  ),
  assertion(
    LISTS.league_weights_size,
    'op.data_products.size() == ext.get<pocs_threshold_league_t>().product_pocs_weights.size(): product_pocs_weights size error',
    lists([1, 1], [1, 1], [1, 1]),
  ),
  assertion(
    ROLE_ERRORS.issuer_not_lifetime,
    NOT_LIFETIME,
    run(67, { ...league, issuer: merchant, category_id: '1.16.9' }),
  ),
  assertion(
    LEAGUE.league_category_missing,
    'db().find_object(op.category_id): ',
    run(67, { ...league, category_id: '1.16.9' }),
  ),
  ...[62, 64, 66, 68, 69].map((tag) =>
    assertion(PROPOSAL_ONLY_ERRORS.not_inside_proposal, 'trx_state->_is_proposed_trx: ', run(tag, {})),
  ),
  // Undefined in the reference, see docs/decisions/differences.md.
  assertion(
    LEAGUE_UPDATE_ERRORS.league_update_lists_missing,
    'new_members and new_data_products must both be given',
    () => w.run(68, { new_members: [one] }, { proposed: true }),
  ),
];
