import type { Asset } from '../../../src/protocol/asset.js';
import { payDataTransactionOperation } from '../../../src/protocol/operations/data-market.js';
import { accountObject } from '../../../src/state/objects/account.js';
import {
  type DataTransactionObject,
  dataTransactionObject,
  type LeagueObject,
  leagueDataProductObject,
  pocsObject,
} from '../../../src/state/objects/data-market.js';
import { percentOf, share } from '../amounts.js';
import { flat } from '../fee-rules.js';
import { must } from '../tables.js';
import { hasFee, idOf, mayMove, signed, unsigned } from './checks.js';
import { type OwnModel, ownRule } from './model.js';
import { freeProduct, instanceOf, leagueOf, productOf, requestOf } from './products.js';
import { CONFIRMED } from './request-rules.js';

const PLACES = 65_536;
const UPLOADED = 1;
const PAID = 2;
const GXC = 0;
/** The parameter's tag. */
const COMMISSION = 3;
const OLD_PERCENT = 1000;

const placeOf = (league: LeagueObject, product: bigint): number =>
  league.data_products.findIndex((id) => idOf(18, id) === product);

/** Behind the last one where it is not there; kept in 16 bits. */
function indexOf(league: LeagueObject, product: bigint): number {
  const place = placeOf(league, product);
  return (place < 0 ? league.data_products.length : place) % PLACES;
}

const contribution = (m: OwnModel, league: number, account: number) =>
  m.where(pocsObject, (row) => row.league_id === league && row.account_id === account);

/** Who has contributed enough to a league pays by what was bought more than sold, or sold more than bought. */
function feeOf(m: OwnModel, op: { fee: Asset; from: number; request_id: string }): Asset {
  const request = requestOf(m, op.request_id);
  const league = request && leagueOf(m, request);
  if (request === undefined || league === undefined || !m.isFrom('1001')) return op.fee;
  const i = indexOf(league, request.product_id);
  const own = placeOf(league, request.product_id) < 0 ? 0n : (league.pocs_thresholds[i] ?? 0n);
  // Of the number that the product has, whatever it is.
  const threshold = own === 0n ? m.get(leagueDataProductObject, instanceOf(request.product_id)).pocs_threshold : own;
  const pocs = contribution(m, league.id, op.from);
  if (pocs === undefined) return op.fee;
  const { total_buy, total_sell } = pocs;
  const sum = unsigned(total_buy + total_sell);
  if (sum < threshold) return op.fee;
  const product = share(op.fee.amount * signed(total_sell - total_buy));
  must(sum !== 0n, 'divide_by_zero');
  const part = product / signed(sum);
  let amount = share(op.fee.amount - part);
  const base = league.fee_bases[i] ?? 0n;
  if (total_buy > total_sell && base > 1n) amount = share(amount * signed(base));
  return { amount, asset_id: op.fee.asset_id };
}

function mustCost(m: OwnModel, request: DataTransactionObject, amount: bigint): void {
  const league = leagueOf(m, request);
  if (league === undefined) {
    must(amount === signed(freeProduct(m, request.product_id).price), 'pay_wrong_free_price');
    return;
  }
  const place = placeOf(league, request.product_id);
  must(place >= 0, 'pay_product_not_in_league');
  const price = league.prices[place % PLACES];
  must(price !== undefined, 'pay_price_missing');
  must(amount === signed(price), 'pay_wrong_league_price');
}

function commissionOf(m: OwnModel, total: bigint, isLeague: boolean): bigint {
  const field = isLeague ? 'league_data_market_commission_percent' : 'free_data_market_commission_percent';
  return percentOf(total, m.isFrom('1001') ? m.parameter(COMMISSION, field, OLD_PERCENT) : OLD_PERCENT);
}

/** To the committee, later to an account that a parameter names, less what is burnt. */
function giveCommission(m: OwnModel, commission: bigint): void {
  if (!m.isFrom('1003')) {
    m.give(0, { amount: commission, asset_id: GXC });
    return;
  }
  const name = m.parameter(COMMISSION, 'commission_account', 'commission-account');
  const burnt = percentOf(commission, m.parameter(COMMISSION, 'reserve_percent', 100));
  const receiver = m.where(accountObject, (row) => row.name === name)?.id ?? 0;
  m.give(receiver, { amount: share(commission - burnt), asset_id: GXC });
}

function contribute(m: OwnModel, league_id: number, account_id: number, more: { buy: bigint; sell: bigint }): void {
  const id = contribution(m, league_id, account_id)?.id ?? m.create(pocsObject, { league_id, account_id });
  m.change(pocsObject, id, (o) => {
    o.total_buy = unsigned(o.total_buy + more.buy);
    o.total_sell = unsigned(o.total_sell + more.sell);
  });
}

export const payment = ownRule(payDataTransactionOperation, {
  payer: (op) => op.from,
  fee: flat(100),
  anyFee: true,
  feeOf,
  valid(op) {
    hasFee(op);
    must(op.from !== op.to, 'from_equals_to');
    must(op.amount.amount > 0n, 'amount_not_positive');
  },
  check(m, { from, to, amount, request_id, fee }) {
    const request = requestOf(m, request_id);
    if (request === undefined) return () => undefined;
    must(request.status === CONFIRMED, 'pay_request_not_confirmed');
    const isUploaded = request.datasources_status.some((one) => one.datasource === to && one.status === UPLOADED);
    must(isUploaded, 'pay_source_not_uploaded');
    must(productOf(m, request.product_id) !== undefined, 'pay_product_missing');
    mustCost(m, request, amount.amount);
    mayMove(m, { from, to, amount }, 'pay_restricted');
    const league = leagueOf(m, request);
    return () => {
      m.take(from, amount);
      // Quirk: whatever was paid with, the seller and the commission get GXC.
      const commission = commissionOf(m, amount.amount, league !== undefined);
      m.give(to, { amount: share(amount.amount - commission), asset_id: GXC });
      giveCommission(m, commission);
      m.change(dataTransactionObject, request.id, (o) => {
        for (const one of o.datasources_status) if (one.datasource === to) one.status = PAID;
      });
      if (league !== undefined) {
        const i = indexOf(league, request.product_id);
        const weight = i < league.pocs_thresholds.length ? (league.product_pocs_weights[i] ?? 0n) : 1n;
        contribute(m, league.id, from, { buy: weight, sell: 0n });
        contribute(m, league.id, to, { buy: 0n, sell: weight });
      }
      return [2, { amount: fee.amount, asset_id: GXC }];
    };
  },
});
