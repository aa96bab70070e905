import { add64 } from '../../base/int.js';
import { PERCENT_100 } from '../../protocol/chain-parameters.js';
import type { Instance } from '../../protocol/ids.js';
import { CORE_ASSET, ORIGINAL_CORE_ASSET } from '../../protocol/ids.js';
import { type AccountObject, accountObject } from '../objects/account.js';
import { type AccountStatisticsObject, accountStatisticsObject } from '../objects/account-statistics.js';
import { assetObject } from '../objects/asset.js';
import { assetDynamicDataObject } from '../objects/asset-dynamic-data.js';
import type { WriteState } from '../views.js';
import { isBasic } from './accounts.js';
import { depositFeeCashback } from './cashback.js';
import { parameters } from './parameters.js';

/** The fee pool of the asset pays the core amount and the asset keeps what was paid. Nothing to do in the core asset. */
export function convertFee(s: WriteState, asset: Instance, amount: bigint, core: bigint): void {
  if (asset === s.coreAsset) return;
  const dynamic = s.get(assetDynamicDataObject, s.get(assetObject, asset).dynamic_asset_data_id);
  s.modify(assetDynamicDataObject, dynamic, (o) => {
    o.accumulated_fees = add64(o.accumulated_fees, amount);
    o.fee_pool = add64(o.fee_pool, -core);
  });
}

/** Books a fee to its payer; at the next maintenance it is paid out to network, referrers and registrar. */
export function bookFee(s: WriteState, payer: Readonly<AccountObject>, core: bigint): void {
  const threshold = parameters(s).cashback_vesting_threshold;
  const statistics = s.get(accountStatisticsObject, payer.statistics);
  if (core > threshold) {
    const pending = add64(statistics.pending_fees, core);
    s.edit(accountStatisticsObject, statistics).pending_fees = pending;
  } else {
    const pending = add64(statistics.pending_vested_fees, core);
    s.edit(accountStatisticsObject, statistics).pending_vested_fees = pending;
  }
}

const cut = (amount: bigint, percent: number): bigint => (amount * BigInt(percent)) / BigInt(PERCENT_100);

/** Pays out what an account's operations have cost. Also run at once when an account is upgraded. */
export function payOutFees(s: WriteState, account: Readonly<AccountObject>): void {
  const statistics: Readonly<AccountStatisticsObject> = s.get(accountStatisticsObject, account.statistics);
  const { pending_fees, pending_vested_fees } = statistics;
  if (pending_fees <= 0n && pending_vested_fees <= 0n) return;
  payOutShare(s, account, pending_fees, true);
  payOutShare(s, account, pending_vested_fees, false);
  s.modify(accountStatisticsObject, statistics, (o) => {
    o.lifetime_fees_paid = add64(o.lifetime_fees_paid, add64(pending_fees, pending_vested_fees));
    o.pending_fees = 0n;
    o.pending_vested_fees = 0n;
  });
}

function payOutShare(s: WriteState, account: Readonly<AccountObject>, total: bigint, mustVest: boolean): void {
  if (isBasic(s.get(accountObject, account.referrer), s.headTime)) {
    s.modify(accountObject, account, (o) => {
      o.referrer = o.lifetime_referrer;
    });
  }
  const network = cut(total, account.network_fee_percentage);
  const lifetime = cut(total, account.lifetime_referrer_fee_percentage);
  const referral = total - network - lifetime;
  // Hard-wired numbers of the dynamic data objects, not those of whatever asset is the core asset.
  const coreData = s.get(assetDynamicDataObject, s.active('HF_1008') ? CORE_ASSET : ORIGINAL_CORE_ASSET);
  s.modify(assetDynamicDataObject, coreData, (o) => {
    o.accumulated_fees = add64(o.accumulated_fees, network);
  });
  const toReferrer = cut(referral, account.referrer_rewards_percentage);
  depositFeeCashback(s, s.get(accountObject, account.lifetime_referrer), lifetime, mustVest);
  depositFeeCashback(s, s.get(accountObject, account.referrer), toReferrer, mustVest);
  depositFeeCashback(s, s.get(accountObject, account.registrar), referral - toReferrer, mustVest);
}
