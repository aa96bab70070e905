import { check, defineErrors, FAMILY } from '../../base/errors.js';
import { sub64, wrapI64 } from '../../base/int.js';
import { PERCENT_100 } from '../../protocol/chain-parameters.js';
import {
  COMMITTEE_ACCOUNT,
  type Instance,
  ORIGINAL_CORE_ASSET,
  objectIdText,
  unpackObjectId,
} from '../../protocol/ids.js';
import { payDataTransactionOperation } from '../../protocol/operations/data-market.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { accountObject } from '../../state/objects/account.js';
import { assetObject } from '../../state/objects/asset.js';
import {
  type DataTransactionObject,
  dataTransactionObject,
  freeDataProductObject,
  leagueObject,
} from '../../state/objects/data-market.js';
import { adjustBalance } from '../../state/rules/balances.js';
import { commissionParameters } from '../../state/rules/parameters.js';
import type { ReadState } from '../../state/views.js';
import { checkAmountPositive, checkDifferent, checkFee } from '../checks.js';
import { defineOperation } from '../define.js';
import {
  checkMayTransfer,
  checkTransferBalance,
  explainTransfer,
  TRANSFER_ERRORS,
} from '../transfer/transfer-checks.js';
import { adjustedFee, recordContribution } from './contribution.js';
import {
  checkProductExists,
  DATASOURCE_STATUS,
  findRequest,
  productPlace,
  REQUEST_STATUS,
  withStatus,
} from './products.js';

export const PAY_DATA_ERRORS = defineErrors({
  pay_request_not_confirmed: {
    text: 'data_transaction_status_confirmed == maybe_found->status: dto status must be confirmed',
  },
  pay_source_not_uploaded: {
    text: 'iter != dto.datasources_status.end(): datasource ${d} not found or status not uploaded',
  },
  pay_product_missing: {
    text: '_db.find_object(dto.product_id) != nullptr: product not found, product_id ${p}',
  },
  pay_product_not_in_league: {
    ...FAMILY.unspecified,
    text: 'cannot find product price from league, product_id ${p}, league_id ${l}',
  },
  pay_price_missing: { text: 'the league has fewer prices than products, product_id ${p}, league_id ${l}' },
  pay_wrong_league_price: {
    text: "op.amount.amount == league_obj.prices[idx]: pay amount doesn't match product price",
  },
  pay_wrong_free_price: { text: "op.amount.amount == free_data_obj.price: pay amount doesn't match product price" },
  // Quirk of the text alone: the asset is not filled in.
  pay_restricted: {
    code: TRANSFER_ERRORS.transfer_restricted.code,
    name: TRANSFER_ERRORS.transfer_restricted.name,
    title: TRANSFER_ERRORS.transfer_restricted.title,
    text: 'Asset {asset} has transfer_restricted flag enabled',
    hint: 'asset ${asset} can only be sent to its issuer and by its issuer',
  },
});

/** Commission before fork 1001, in hundredths of a percent. */
const COMMISSION_BEFORE_FORK = 1000;

function checkPrice(s: ReadState, request: Readonly<DataTransactionObject>, amount: bigint): void {
  const { product_id, league_id } = request;
  checkProductExists(s, product_id, PAY_DATA_ERRORS.pay_product_missing);
  if (league_id === undefined) {
    const { price } = s.get(freeDataProductObject, unpackObjectId(product_id).instance);
    check(amount === wrapI64(price), PAY_DATA_ERRORS.pay_wrong_free_price);
    return;
  }
  const league = s.get(leagueObject, league_id);
  const ids = () => ({ p: objectIdText(product_id), l: `1.19.${league_id}` });
  const place = productPlace(league, product_id);
  check(place < league.data_products.length, PAY_DATA_ERRORS.pay_product_not_in_league, ids);
  const price = league.prices[place];
  // The reference reads past the end of the list.
  check(price !== undefined, PAY_DATA_ERRORS.pay_price_missing, ids);
  check(amount === wrapI64(price), PAY_DATA_ERRORS.pay_wrong_league_price);
}

function commissionOf(s: ReadState, request: Readonly<DataTransactionObject>, amount: bigint): bigint {
  const { league_data_market_commission_percent: league, free_data_market_commission_percent: free } =
    commissionParameters(s);
  const isLeague = request.league_id !== undefined;
  const percent = s.active('HF_1001') ? (isLeague ? league : free) : COMMISSION_BEFORE_FORK;
  return (amount * BigInt(percent)) / BigInt(PERCENT_100);
}

/** Who gets the commission. The reserved part of it vanishes, and the supply does not change. */
function commissionShare(s: ReadState, commission: bigint): { receiver: Instance; amount: bigint } {
  if (!s.active('HF_1003')) return { receiver: COMMITTEE_ACCOUNT, amount: commission };
  const { commission_account, reserve_percent } = commissionParameters(s);
  const reserved = (commission * BigInt(reserve_percent)) / BigInt(PERCENT_100);
  const receiver = s.findBy(accountObject.by.name, commission_account)?.id ?? COMMITTEE_ACCOUNT;
  return { receiver, amount: sub64(commission, reserved) };
}

/** A merchant pays a data source for what it delivered. An unknown request costs the fee and does nothing. */
export const payDataTransaction = defineOperation({
  ...payDataTransactionOperation,
  payer: (op) => op.from,
  validate(op) {
    checkFee(op);
    checkDifferent(op.from, op.to);
    checkAmountPositive(op.amount);
  },
  feePolicy: {
    minimum: 'waived',
    effectiveFee: (s, op) => adjustedFee(s, op.from, op.request_id, op.fee),
  },
  evaluate(s, op) {
    const fee = adjustedFee(s, op.from, op.request_id, op.fee).amount;
    const request = findRequest(s, op.request_id);
    if (request === undefined) return undefined;
    check(request.status === REQUEST_STATUS.confirmed, PAY_DATA_ERRORS.pay_request_not_confirmed);
    const hasDelivered = request.datasources_status.some(
      (entry) => entry.datasource === op.to && entry.status === DATASOURCE_STATUS.uploaded,
    );
    check(hasDelivered, PAY_DATA_ERRORS.pay_source_not_uploaded, () => ({ d: `1.2.${op.to}` }));
    // The asset is not looked at.
    checkPrice(s, request, op.amount.amount);
    const from = s.get(accountObject, op.from);
    const to = s.get(accountObject, op.to);
    const what = s.get(assetObject, op.amount.asset_id);
    explainTransfer(s, 'pay_data_transaction', op.amount, from, to, () => {
      checkMayTransfer(s, from, to, what, { restricted: PAY_DATA_ERRORS.pay_restricted });
      checkTransferBalance(s, from, to, op.amount);
    });
    return { fee, request };
  },
  apply(s, op, plan) {
    if (plan === undefined) return VOID_RESULT;
    const { fee, request } = plan;
    const { amount, asset_id } = op.amount;
    const commission = commissionOf(s, request, amount);
    adjustBalance(s, op.from, asset_id, -amount);
    // Quirk: paid out in 1.3.0 whatever was paid in.
    adjustBalance(s, op.to, ORIGINAL_CORE_ASSET, sub64(amount, commission));
    const share = commissionShare(s, commission);
    adjustBalance(s, share.receiver, ORIGINAL_CORE_ASSET, share.amount);
    s.modify(dataTransactionObject, request, (o) => {
      o.datasources_status = withStatus(o, op.to, DATASOURCE_STATUS.paid);
    });
    recordContribution(s, request, op.from, op.to);
    return [2, { amount: fee, asset_id: ORIGINAL_CORE_ASSET }];
  },
});
