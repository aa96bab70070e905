import { check } from '../../../base/errors.js';
import type { JsonObject } from '../../../codec/json.js';
import { bool, text, u32 } from '../../../codec/scalars.js';
import type { Type } from '../../../codec/type.js';
import { dataMarketCategoryId, freeDataProductId, leagueDataProductId, leagueId } from '../../../protocol/ids.js';
import type { ChainView } from '../../chain-view.js';
import { LOOKUP_ERRORS } from '../../errors.js';
import type { Wallet } from '../../wallet.js';
import { type AnyCommand, command } from '../define.js';

/** What the commands of the data market have in common. */

export const PRICE_UNIT = 100_000;

/** Recommended for ever, or not at all. */
export const recommendUntil = (isRecommended: boolean): number => (isRecommended ? 0xffff_ffff : 0);

export const idOf = async (wallet: Wallet, name: string): Promise<number> => (await wallet.chain.account(name)).id;

export type Kind = 'category' | 'free' | 'product' | 'league';

const KINDS = {
  category: { id: dataMarketCategoryId, type: 16, missing: LOOKUP_ERRORS.category_unknown },
  free: { id: freeDataProductId, type: 17, missing: LOOKUP_ERRORS.free_product_unknown },
  product: { id: leagueDataProductId, type: 18, missing: LOOKUP_ERRORS.league_product_unknown },
  league: { id: leagueId, type: 19, missing: LOOKUP_ERRORS.league_unknown },
} as const;

/** An object of the data market. What is no such id is as unknown as an id that nothing has. */
export async function found(chain: ChainView, kind: Kind, id: string): Promise<JsonObject> {
  const { type, missing } = KINDS[kind];
  const isId = new RegExp(`^1\\.${type}\\.\\d{1,15}$`).test(id);
  check(isId, missing, { id });
  return chain.objectOr(id, missing);
}

/** Its number, once it is known to be there. */
export async function instanceOf(wallet: Wallet, kind: Kind, id: string): Promise<number> {
  await found(wallet.chain, kind, id);
  return KINDS[kind].id.fromJson(id);
}

/** A query that goes to the node as it is typed. */
export function passed(
  method: string,
  params: Readonly<Record<string, Type<never>>>,
  result: string,
  help: string,
): AnyCommand {
  return command({
    params,
    result,
    help,
    run: (wallet, args) => {
      const given = Object.entries(params).map(([name, type]) =>
        (type as Type<unknown>).toJson((args as Record<string, unknown>)[name], wallet.network),
      );
      return wallet.chain.ask(method, ...given);
    },
  });
}

export const any = <V>(type: Type<V>): Type<never> => type as unknown as Type<never>;

export const SEARCH = {
  data_market_category_id: any(text),
  offset: any(u32),
  limit: any(u32),
  order_by: any(text),
  keyword: any(text),
  show_all: any(bool),
} as const;
