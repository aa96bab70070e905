import { divTrunc64, mul64, sub64, wrapI64, wrapU64 } from '../../base/int.js';
import type { Asset } from '../../protocol/asset.js';
import type { Instance } from '../../protocol/ids.js';
import { unpackObjectId } from '../../protocol/ids.js';
import {
  type DataTransactionObject,
  type LeagueObject,
  leagueDataProductObject,
  leagueObject,
  pocsKey,
  pocsObject,
} from '../../state/objects/data-market.js';
import type { ReadState, WriteState } from '../../state/views.js';
import { findRequest, productPlace } from './products.js';

/**
 * Contribution to a league ("pocs"): what a member has sold and bought there. Members who contribute pay less for
 * their requests, those who mostly buy pay more.
 */

/** Contribution from which the fee is adjusted; the product's own value where the league's list says nothing. */
function threshold(s: ReadState, league: Readonly<LeagueObject>, product: bigint, place: number): bigint {
  // Quirk: the list has one entry per member and is read with the product's place. Beyond its end the reference reads
  // undefined memory; here that counts as 0.
  const isListed = place < league.data_products.length;
  const listed = isListed ? (league.pocs_thresholds[place] ?? 0n) : 0n;
  if (listed !== 0n) return listed;
  return s.get(leagueDataProductObject, unpackObjectId(product).instance).pocs_threshold;
}

/** The fee that a payment for data really costs, instead of the one that it states. */
export function adjustedFee(s: ReadState, payer: Instance, requestId: string, fee: Asset): Asset {
  const request = findRequest(s, requestId);
  if (request === undefined || request.league_id === undefined || !s.active('HF_1001')) return fee;
  const league = s.get(leagueObject, request.league_id);
  const place = productPlace(league, request.product_id);
  const least = threshold(s, league, request.product_id, place);
  const pocs = s.findBy(pocsObject.by.leagueAccount, pocsKey(league.id, payer));
  if (pocs === undefined) return fee;
  const { total_buy: bought, total_sell: sold } = pocs;
  const total = wrapU64(bought + sold);
  if (total < least) return fee;
  const difference = wrapI64(sold - bought);
  let amount = sub64(fee.amount, divTrunc64(mul64(fee.amount, difference), wrapI64(total)));
  const base = league.fee_bases[place];
  if (bought > sold && base !== undefined && base > 1n) amount = mul64(amount, wrapI64(base));
  return { amount, asset_id: fee.asset_id };
}

/** Books a paid request: the buyer first, then the seller, which decides the ids of new records. */
export function recordContribution(
  s: WriteState,
  request: Readonly<DataTransactionObject>,
  buyer: Instance,
  seller: Instance,
): void {
  if (request.league_id === undefined) return;
  const league = s.get(leagueObject, request.league_id);
  const place = productPlace(league, request.product_id);
  // Quirk: guarded by the length of the wrong list.
  const isWeighed = place < league.pocs_thresholds.length;
  const weight = isWeighed ? (league.product_pocs_weights[place] ?? 0n) : 1n;
  addContribution(s, league.id, buyer, 0n, weight);
  addContribution(s, league.id, seller, weight, 0n);
}

function addContribution(s: WriteState, league: Instance, account: Instance, sold: bigint, bought: bigint): void {
  const pocs = s.findBy(pocsObject.by.leagueAccount, pocsKey(league, account));
  if (pocs === undefined) {
    s.create(pocsObject, { league_id: league, account_id: account, total_sell: sold, total_buy: bought });
    return;
  }
  s.modify(pocsObject, pocs, (o) => {
    o.total_sell = wrapU64(o.total_sell + sold);
    o.total_buy = wrapU64(o.total_buy + bought);
  });
}
