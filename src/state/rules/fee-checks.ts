import { check, defineErrors, fail } from '../../base/errors.js';
import { type Asset, multiplyByPrice } from '../../protocol/asset.js';
import { type Instance, ORIGINAL_CORE_ASSET } from '../../protocol/ids.js';
import { type AccountObject, accountObject } from '../objects/account.js';
import { assetObject } from '../objects/asset.js';
import { assetDynamicDataObject } from '../objects/asset-dynamic-data.js';
import type { ReadState } from '../views.js';
import { isAuthorizedAsset } from './authorized-asset.js';
import { prettyAmount } from './pretty.js';

export const FEE_ERRORS = defineErrors({
  fee_payment_negative: { text: 'fee.amount >= 0: ', hint: 'the fee must not be negative' },
  fee_asset_unauthorized: {
    text: "is_authorized_asset( d, *fee_paying_account, *fee_asset ): Account ${acct} '${name}' attempted to pay fee by using asset ${a} '${sym}', which is unauthorized due to whitelist / blacklist",
  },
  fee_not_in_core: { text: 'fee_from_pool.asset_id == asset_id_type(1): fee asset id ${f}' },
  fee_not_in_original_core: {
    text: 'fee_from_pool.asset_id == asset_id_type(): ',
    hint: 'the fee is worth an amount of ${f}, not of the core asset',
  },
  fee_pool_empty: {
    text: "core_fee_paid <= fee_asset_dyn_data->fee_pool: Fee pool balance of '${b}' is less than the ${r} required to convert ${c}",
  },
});

function checkNotNegative(fee: Asset): void {
  check(fee.amount >= 0n, FEE_ERRORS.fee_payment_negative);
}

/** The checks that every fee passes, and what the fee is worth in the core asset. */
export function coreValueOfFee(s: ReadState, payer: Readonly<AccountObject>, fee: Asset): bigint {
  checkNotNegative(fee);
  const asset = s.get(assetObject, fee.asset_id);
  if (s.active('HF_419')) {
    if (!isAuthorizedAsset(s, payer, asset)) {
      fail(FEE_ERRORS.fee_asset_unauthorized, {
        acct: `1.2.${payer.id}`,
        name: payer.name,
        a: `1.3.${asset.id}`,
        sym: asset.symbol,
      });
    }
  }
  const core = s.coreAsset;
  if (fee.asset_id === core) return fee.amount;
  const value = multiplyByPrice(fee, asset.options.core_exchange_rate);
  if (value.asset_id !== core) {
    const row = core === ORIGINAL_CORE_ASSET ? FEE_ERRORS.fee_not_in_original_core : FEE_ERRORS.fee_not_in_core;
    check(false, row, { f: `1.3.${value.asset_id}` });
  }
  const pool = s.get(assetDynamicDataObject, asset.dynamic_asset_data_id).fee_pool;
  check(value.amount <= pool, FEE_ERRORS.fee_pool_empty, () => ({
    r: prettyAmount(s, value),
    // Quirk of the text alone: the pool is printed in 1.3.0 whatever the core asset is.
    b: prettyAmount(s, { amount: pool, asset_id: ORIGINAL_CORE_ASSET }),
    c: prettyAmount(s, fee),
  }));
  return value.amount;
}

/** Payer by id; whether there is one is asked before anything else but whether the fee is negative. */
export function feePayer(s: ReadState, payer: Instance, fee: Asset): Readonly<AccountObject> {
  checkNotNegative(fee);
  return s.get(accountObject, payer);
}
