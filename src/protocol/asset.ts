import { check, defineErrors } from '../base/errors.js';
import { set } from '../codec/containers.js';
import { share, text, u8, u16, u32 } from '../codec/scalars.js';
import { struct } from '../codec/struct.js';
import type { PlainType, ValueOf } from '../codec/type.js';
import { extensions } from './extensions.js';
import { accountId, assetId, type Instance } from './ids.js';

export const ASSET_ERRORS = defineErrors({
  // The reference passes the asset under another name, so that its placeholder stays in the text, as was recorded. The
  // hint names the asset.
  price_asset: {
    text: 'invalid asset * price, asset ${a} price ${p}',
    hint: 'asset ${asset} is neither side of the price; where a fee is asked for, the issuer of ${asset} has to give it a core_exchange_rate first',
  },
  price_base_empty: {
    text: 'b.base.amount.value > 0: ',
    hint: 'the base of the price is no amount; a fee in an asset that has no core_exchange_rate yet ends here, too',
  },
  price_quote_empty: { text: 'b.quote.amount.value > 0: ', hint: 'the quote of the price is no amount' },
  amount_above_supply: {
    text: 'result <= GRAPHENE_MAX_SHARE_SUPPLY: ',
    hint: 'the result is above the largest amount',
  },
});

/** Largest amount of any asset. */
export const SHARE_SUPPLY_MAX = 100_000_000_000_000_000n;

export const asset = struct('asset', { amount: share, asset_id: assetId });
export type Asset = ValueOf<typeof asset>;

export const price = struct('price', { base: asset, quote: asset });
export type Price = ValueOf<typeof price>;

export const priceFeed = struct('price_feed', {
  settlement_price: price,
  maintenance_collateral_ratio: u16,
  maximum_short_squeeze_ratio: u16,
  core_exchange_rate: price,
});
export type PriceFeed = ValueOf<typeof priceFeed>;

const withValue = <V>(type: PlainType<V>, value: V): PlainType<V> => ({ ...type, default: () => value });

export const assetOptions = struct('asset_options', {
  max_supply: withValue(share, SHARE_SUPPLY_MAX),
  market_fee_percent: u16,
  max_market_fee: withValue(share, SHARE_SUPPLY_MAX),
  issuer_permissions: withValue(u16, 0x4f),
  flags: u16,
  core_exchange_rate: price,
  whitelist_authorities: set(accountId),
  blacklist_authorities: set(accountId),
  whitelist_markets: set(assetId),
  blacklist_markets: set(assetId),
  description: text,
  extensions,
});
export type AssetOptions = ValueOf<typeof assetOptions>;

export const bitassetOptions = struct('bitasset_options', {
  feed_lifetime_sec: withValue(u32, 86_400),
  minimum_feeds: withValue(u8, 1),
  force_settlement_delay_sec: withValue(u32, 86_400),
  force_settlement_offset_percent: u16,
  maximum_force_settlement_volume: withValue(u16, 2000),
  short_backing_asset: assetId,
  extensions,
});
export type BitassetOptions = ValueOf<typeof bitassetOptions>;

/** Bits of an asset's flags and of its issuer's permissions. */
export const ASSET_FLAG = {
  charge_market_fee: 0x01,
  white_list: 0x02,
  override_authority: 0x04,
  transfer_restricted: 0x08,
  disable_force_settle: 0x10,
  global_settle: 0x20,
  disable_confidential: 0x40,
  witness_fed_asset: 0x80,
  committee_fed_asset: 0x100,
} as const;
export const ASSET_PERMISSION_MASK = 0x1ff;

export function makeAsset(amount: bigint, asset_id: Instance): Asset {
  return { amount, asset_id };
}

/**
 * Amount times price, rounded down. The base side is looked at first, which decides when both sides hold the same
 * asset.
 */
export function multiplyByPrice(value: Asset, rate: Price): Asset {
  const forward = value.asset_id === rate.base.asset_id;
  const [from, to] = forward ? [rate.base, rate.quote] : [rate.quote, rate.base];
  check(value.asset_id === from.asset_id, ASSET_ERRORS.price_asset, () => ({
    s: asset.toJson(value),
    asset: assetId.toJson(value.asset_id),
    p: price.toJson(rate),
  }));
  check(from.amount > 0n, forward ? ASSET_ERRORS.price_base_empty : ASSET_ERRORS.price_quote_empty);
  // The intermediate product is an unsigned 128-bit integer in the reference, so a negative amount wraps to a huge one.
  const product = BigInt.asUintN(128, value.amount * to.amount);
  const amount = product / from.amount;
  check(amount <= SHARE_SUPPLY_MAX, ASSET_ERRORS.amount_above_supply);
  return { amount, asset_id: to.asset_id };
}
