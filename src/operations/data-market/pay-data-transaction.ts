import { check, defineErrors } from '../../base/errors.js';
import { sub64, wrapI64 } from '../../base/int.js';
import { text } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import { asset } from '../../protocol/asset.js';
import { PERCENT_100 } from '../../protocol/chain-parameters.js';
import { extensions } from '../../protocol/extensions.js';
import {
  accountId,
  COMMITTEE_ACCOUNT,
  type Instance,
  ORIGINAL_CORE_ASSET,
  unpackObjectId,
} from '../../protocol/ids.js';
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
import { flatFee } from '../fee-kinds.js';
import { checkMayTransfer, checkTransferBalance, explainTransfer } from '../transfer/transfer-checks.js';
import { adjustedFee, recordContribution } from './contribution.js';
import { DATASOURCE_STATUS, findRequest, productIndex, REQUEST_STATUS, withStatus } from './products.js';

export const PAY_DATA_ERRORS = defineErrors({
  pay_request_not_confirmed: { text: 'data_transaction_status_confirmed == dto.status: status must be 1' },
  pay_source_not_uploaded: {
    text: 'iter != dto.datasources_status.end(): datasource ${d} not found or status not uploaded',
  },
  pay_product_not_in_league: { text: 'league_data_product: the product is not in the list of the league' },
  pay_wrong_amount: { text: 'op.amount.amount == price: amount is not the price of the product' },
});

/** Commission before fork 1001, in hundredths of a percent. */
const COMMISSION_BEFORE_FORK = 1000;

function priceOf(s: ReadState, request: Readonly<DataTransactionObject>): bigint {
  if (request.league_id === undefined) {
    return s.get(freeDataProductObject, unpackObjectId(request.product_id).instance).price;
  }
  const league = s.get(leagueObject, request.league_id);
  const price = league.prices[productIndex(league, request.product_id)];
  check(price !== undefined, PAY_DATA_ERRORS.pay_product_not_in_league);
  return price;
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
  tag: 57,
  name: 'pay_data_transaction',
  schema: struct('pay_data_transaction', {
    fee: asset,
    from: accountId,
    to: accountId,
    amount: asset,
    request_id: text,
    extensions: extensions,
  }),
  fee: flatFee(100n),
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
    check(op.amount.amount === wrapI64(priceOf(s, request)), PAY_DATA_ERRORS.pay_wrong_amount);
    const from = s.get(accountObject, op.from);
    const to = s.get(accountObject, op.to);
    const what = s.get(assetObject, op.amount.asset_id);
    explainTransfer(s, 'pay', op.amount, from, to, () => {
      checkMayTransfer(s, from, to, what);
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
