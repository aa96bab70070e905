import { check } from '../../../base/errors.js';
import { operationOf } from '../../../client/operations.js';
import { array } from '../../../codec/containers.js';
import { bool, text, u8, u64 } from '../../../codec/scalars.js';
import { EXTENSION_TAG, type Extensions } from '../../../protocol/extensions.js';
import { accountId, leagueDataProductId, leagueId, objectId } from '../../../protocol/ids.js';
import { leagueCreateOperation, leagueUpdateOperation } from '../../../protocol/operations/data-market.js';
import { accountIdText } from '../../chain-view.js';
import { CHECK_ERRORS } from '../../errors.js';
import { act, BROADCAST, SIGNED_TRANSACTION } from '../common.js';
import { type CommandTable, command } from '../define.js';
import { propose } from '../proposals.js';
import { found, idOf, instanceOf, PRICE_UNIT, passed, recommendUntil, SEARCH } from './common.js';

/** Leagues of data sources. */

const leaguePrices = (units: readonly bigint[]): bigint[] => units.map((one) => one * BigInt(PRICE_UNIT));

const pocsOfLeague = (thresholds: bigint[], bases: bigint[], weights: bigint[]): Extensions => [
  [
    EXTENSION_TAG.pocs_threshold_league,
    { pocs_thresholds: thresholds, fee_bases: bases, product_pocs_weights: weights },
  ],
];

export const leagueCommands = {
  create_league: command({
    params: {
      league_name: text,
      brief_desc: text,
      members: array(accountId),
      data_products: array(leagueDataProductId),
      prices: array(u64),
      category_id: text,
      icon: text,
      issuer: text,
      pocs_thresholds: array(u64),
      fee_bases: array(u64),
      pocs_weights: array(u64),
      recommend: bool,
      ...BROADCAST,
    },
    result: SIGNED_TRANSACTION,
    acts: true,
    help: 'Makes a league whose members trade the given products among themselves; one price for each product.',
    run: async (wallet, args) => {
      check(args.data_products.length === args.prices.length, CHECK_ERRORS.league_sizes);
      const operation = operationOf(leagueCreateOperation, {
        league_name: args.league_name,
        brief_desc: args.brief_desc,
        data_products: args.data_products,
        prices: leaguePrices(args.prices),
        category_id: await instanceOf(wallet, 'category', args.category_id),
        icon: args.icon,
        issuer: await idOf(wallet, args.issuer),
        create_date_time: wallet.nowSec(),
        recommend_expiration_date_time: recommendUntil(args.recommend),
        members: args.members,
        extensions: pocsOfLeague(args.pocs_thresholds, args.fee_bases, args.pocs_weights),
      });
      return act(wallet, [operation], { broadcast: args.broadcast });
    },
  }),
  propose_league_update: command({
    params: {
      proposing_account: text,
      league: text,
      new_league_name: text,
      new_brief_desc: text,
      new_members: array(accountId),
      new_data_products: array(leagueDataProductId),
      new_prices: array(u64),
      new_category_id: text,
      new_icon: text,
      new_status: u8,
      new_pocs_thresholds: array(u64),
      new_fee_bases: array(u64),
      new_pocs_weights: array(u64),
      new_recommend: bool,
      ...BROADCAST,
    },
    result: SIGNED_TRANSACTION,
    acts: true,
    help: 'Proposes a change of a league: all that is given replaces what was.',
    run: async (wallet, args) => {
      check(args.new_data_products.length === args.new_prices.length, CHECK_ERRORS.league_sizes);
      const payer = await idOf(wallet, args.proposing_account);
      const operation = operationOf(leagueUpdateOperation, {
        league: await instanceOf(wallet, 'league', args.league),
        new_league_name: args.new_league_name,
        new_brief_desc: args.new_brief_desc,
        new_data_products: args.new_data_products,
        new_prices: leaguePrices(args.new_prices),
        new_status: args.new_status,
        new_category_id: await instanceOf(wallet, 'category', args.new_category_id),
        new_icon: args.new_icon,
        new_recommend_expiration_date_time: recommendUntil(args.new_recommend),
        new_members: args.new_members,
        extensions: pocsOfLeague(args.new_pocs_thresholds, args.new_fee_bases, args.new_pocs_weights),
      });
      return propose(wallet, { payer, operations: [operation], broadcast: args.broadcast });
    },
  }),
  get_league: command({
    params: { league_id: text },
    result: 'league_object',
    help: 'A league by its id.',
    run: (wallet, { league_id }) => found(wallet.chain, 'league', league_id),
  }),
  list_leagues: passed('list_leagues', SEARCH, 'search_results', 'Leagues of a category.'),
  get_pocs_object: command({
    params: { league_id: leagueId, account: text, product_id: objectId },
    result: 'optional<pocs_object>',
    help: 'What an account has contributed to a league with a product.',
    run: async (wallet, { league_id, account, product_id }) =>
      wallet.chain.ask(
        'get_pocs_object',
        leagueId.toJson(league_id),
        accountIdText(await idOf(wallet, account)),
        objectId.toJson(product_id),
      ),
  }),
} satisfies CommandTable;
