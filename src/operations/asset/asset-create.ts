import { check, defineErrors } from '../../base/errors.js';
import { add64 } from '../../base/int.js';
import { ASSET_FLAG, type AssetOptions, multiplyByPrice } from '../../protocol/asset.js';
import { type Instance, ORIGINAL_CORE_ASSET } from '../../protocol/ids.js';
import { isValidSymbol } from '../../protocol/names.js';
import { LEGACY_SYMBOL } from '../../protocol/networks.js';
import { assetCreateOperation } from '../../protocol/operations/assets.js';
import { accountObject } from '../../state/objects/account.js';
import { assetObject } from '../../state/objects/asset.js';
import { assetDynamicDataObject } from '../../state/objects/asset-dynamic-data.js';
import { coreValueOfFee } from '../../state/rules/fee-checks.js';
import { parameters } from '../../state/rules/parameters.js';
import type { ReadState, WriteState } from '../../state/views.js';
import { checkFee } from '../checks.js';
import { createdResult } from '../created.js';
import { defineOperation } from '../define.js';
import {
  hasSide,
  validateAssetLists,
  validateAssetOptions,
  validateBitassetOptions,
  validatePrice,
} from './options.js';

export const ASSET_CREATE_ERRORS = defineErrors({
  asset_symbol_invalid: { text: 'is_valid_symbol(symbol): ', hint: 'this can not be the symbol of an asset' },
  asset_needs_bitasset_options: {
    text: 'bitasset_opts.valid(): ',
    hint: 'the permissions are those of a market-issued asset',
  },
  asset_prediction_without_bitasset: {
    text: 'bitasset_opts.valid(): Cannot have a User-Issued Asset implement a prediction market.',
  },
  asset_prediction_without_settlement: {
    text: 'common_options.issuer_permissions & global_settle: ',
    hint: 'a prediction market needs the permission to settle',
  },
  asset_precision: { text: 'precision <= 12: ', hint: 'amounts have at most 12 decimal places' },
  asset_whitelist_too_long: {
    text: 'op.common_options.whitelist_authorities.size() <= chain_parameters.maximum_asset_whitelist_authorities: ',
    hint: 'the white list has more than ${max} authorities',
  },
  asset_blacklist_too_long: {
    text: 'op.common_options.blacklist_authorities.size() <= chain_parameters.maximum_asset_whitelist_authorities: ',
    hint: 'the black list has more than ${max} authorities',
  },
  asset_symbol_legacy: { text: 'GRAPHENE_SYMBOL_GXS != op.symbol: new asset symbol can not be GXS' },
  asset_symbol_taken: { text: 'asset_symbol_itr == asset_indx.end(): ', hint: 'there is an asset of this symbol' },
  asset_prefix_unknown: {
    text: 'asset_symbol_itr != asset_indx.end(): Asset ${s} may only be created by issuer of ${p}, but ${p} has not been registered',
  },
  asset_prefix_of_other: {
    text: 'asset_symbol_itr->issuer == op.issuer: Asset ${s} may only be created by issuer of ${p}, ${i}',
  },
  asset_rate_without_core: {
    text: 'op.common_options.core_exchange_rate.base.asset_id == asset_id_type(1) || op.common_options.core_exchange_rate.quote.asset_id == asset_id_type(1): ',
    hint: 'core_exchange_rate has the core asset on neither side',
  },
  asset_rate_without_original_core: {
    text: 'op.common_options.core_exchange_rate.base.asset_id == asset_id_type() || op.common_options.core_exchange_rate.quote.asset_id == asset_id_type(): ',
    hint: 'core_exchange_rate has the core asset on neither side',
  },
  asset_rate_placeholder: {
    text: 'dummy.asset_id == asset_id_type(2): ',
    hint: 'core_exchange_rate must exchange the core asset for 1.3.2, which stands for the new asset',
  },
  asset_rate_original_placeholder: {
    text: 'dummy.asset_id == asset_id_type(1): ',
    hint: 'core_exchange_rate must exchange the core asset for 1.3.1, which stands for the new asset',
  },
  asset_bitasset_ended: { text: 'false: disabled since hardfork 1008' },
});

const PRECISION_MAX = 12;

/** Both lists of authorities must be short enough and name existing accounts. */
function evaluateAuthorityLists(s: ReadState, options: AssetOptions): void {
  const { whitelist_authorities, blacklist_authorities } = options;
  const max = parameters(s).maximum_asset_whitelist_authorities;
  check(whitelist_authorities.length <= max, ASSET_CREATE_ERRORS.asset_whitelist_too_long, { max });
  check(blacklist_authorities.length <= max, ASSET_CREATE_ERRORS.asset_blacklist_too_long, { max });
  for (const account of whitelist_authorities) s.get(accountObject, account);
  for (const account of blacklist_authorities) s.get(accountObject, account);
}

/** `A.B` belongs to whoever issued `A`. */
function checkPrefix(s: ReadState, symbol: string, issuer: Instance): void {
  const dot = symbol.lastIndexOf('.');
  if (dot < 0) return;
  const prefix = symbol.slice(0, dot);
  const owner = s.findBy(assetObject.by.symbol, prefix);
  const data = () => ({ s: symbol, p: prefix, i: s.get(accountObject, issuer).name });
  check(owner !== undefined, ASSET_CREATE_ERRORS.asset_prefix_unknown, data);
  check(owner.issuer === issuer, ASSET_CREATE_ERRORS.asset_prefix_of_other, data);
}

/** The new asset has no id yet; the rate names the id after the core asset in its place. */
function checkRate(s: ReadState, { core_exchange_rate }: AssetOptions): void {
  const [withoutCore, placeholder] = s.active('HF_1008')
    ? [ASSET_CREATE_ERRORS.asset_rate_without_core, ASSET_CREATE_ERRORS.asset_rate_placeholder]
    : [ASSET_CREATE_ERRORS.asset_rate_without_original_core, ASSET_CREATE_ERRORS.asset_rate_original_placeholder];
  check(hasSide(core_exchange_rate, s.coreAsset), withoutCore);
  const other = multiplyByPrice({ amount: 1n, asset_id: s.coreAsset }, core_exchange_rate);
  check(other.asset_id === s.coreAsset + 1, placeholder);
}

function withOwnRate(options: AssetOptions, core: Instance, id: Instance): AssetOptions {
  const { base, quote } = options.core_exchange_rate;
  const rate =
    quote.asset_id === core ? { base: { ...base, asset_id: id }, quote } : { base, quote: { ...quote, asset_id: id } };
  return { ...options, core_exchange_rate: rate };
}

/** Half of the fee fills the new asset's fee pool; until fork 1005 an odd fee came to one unit more than was paid. */
function feePool(s: WriteState, core: bigint): bigint {
  const half = core / 2n;
  if (core % 2n === 0n || s.active('HF_1005')) return half;
  const original = s.get(assetDynamicDataObject, s.get(assetObject, ORIGINAL_CORE_ASSET).dynamic_asset_data_id);
  s.modify(assetDynamicDataObject, original, (o) => {
    o.current_supply = add64(o.current_supply, 1n);
  });
  return half + 1n;
}

export const assetCreate = defineOperation({
  ...assetCreateOperation,
  feePolicy: { bookedFee: (_s, _op, core) => (core + 1n) / 2n },
  payer: (op) => op.issuer,
  validate(op) {
    checkFee(op);
    check(isValidSymbol(op.symbol), ASSET_CREATE_ERRORS.asset_symbol_invalid);
    validateAssetOptions(op.common_options);
    validatePrice(op.common_options.core_exchange_rate);
    validateAssetLists(op.common_options);
    const permissions = op.common_options.issuer_permissions;
    const marketIssued = ASSET_FLAG.disable_force_settle | ASSET_FLAG.global_settle;
    const hasBitasset = op.bitasset_opts !== undefined;
    check(hasBitasset || (permissions & marketIssued) === 0, ASSET_CREATE_ERRORS.asset_needs_bitasset_options);
    if (op.is_prediction_market) {
      check(hasBitasset, ASSET_CREATE_ERRORS.asset_prediction_without_bitasset);
      const maySettle = (permissions & ASSET_FLAG.global_settle) !== 0;
      check(maySettle, ASSET_CREATE_ERRORS.asset_prediction_without_settlement);
    }
    if (op.bitasset_opts !== undefined) validateBitassetOptions(op.bitasset_opts);
    check(op.precision <= PRECISION_MAX, ASSET_CREATE_ERRORS.asset_precision);
  },
  evaluate(s, op) {
    evaluateAuthorityLists(s, op.common_options);
    const isLegacy = s.active('HF_1008') && op.symbol === LEGACY_SYMBOL;
    check(!isLegacy, ASSET_CREATE_ERRORS.asset_symbol_legacy);
    const isFree = s.findBy(assetObject.by.symbol, op.symbol) === undefined;
    check(isFree, ASSET_CREATE_ERRORS.asset_symbol_taken);
    checkPrefix(s, op.symbol, op.issuer);
    checkRate(s, op.common_options);
    const isPlain = !s.active('HF_1008') || op.bitasset_opts === undefined;
    check(isPlain, ASSET_CREATE_ERRORS.asset_bitasset_ended);
    return { coreFee: coreValueOfFee(s, s.get(accountObject, op.issuer), op.fee) };
  },
  apply(s, op, { coreFee }) {
    const dynamic = s.create(assetDynamicDataObject, {
      current_supply: 0n,
      confidential_supply: 0n,
      accumulated_fees: 0n,
      fee_pool: feePool(s, coreFee),
    });
    const created = s.create(assetObject, {
      symbol: op.symbol,
      precision: op.precision,
      issuer: op.issuer,
      options: withOwnRate(op.common_options, s.coreAsset, s.nextInstance(assetObject)),
      dynamic_asset_data_id: dynamic.id,
      bitasset_data_id: undefined,
      buyback_account: undefined,
    });
    return createdResult(assetObject, created.id);
  },
});
