import { check, defineErrors, type ErrorRow } from '../../base/errors.js';
import { ASSET_FLAG, multiplyByPrice } from '../../protocol/asset.js';
import { EXTENSION_TAG, findExtension } from '../../protocol/extensions.js';
import { COMMITTEE_ACCOUNT, CORE_ASSET, type Instance, NULL_ACCOUNT, ORIGINAL_CORE_ASSET } from '../../protocol/ids.js';
import { isValidSymbol } from '../../protocol/names.js';
import { LEGACY_SYMBOL } from '../../protocol/networks.js';
import { assetUpdateOperation } from '../../protocol/operations/assets.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { accountObject } from '../../state/objects/account.js';
import { type AssetObject, assetObject } from '../../state/objects/asset.js';
import { assetDynamicDataObject } from '../../state/objects/asset-dynamic-data.js';
import { isMarketIssued } from '../../state/rules/authorized-asset.js';
import { parameters } from '../../state/rules/parameters.js';
import type { ReadState } from '../../state/views.js';
import { checkFee } from '../checks.js';
import { defineOperation } from '../define.js';
import { hasSide, validateAssetLists, validateAssetOptions, validatePrice } from './options.js';

export const ASSET_UPDATE_ERRORS = defineErrors({
  asset_update_same_issuer: { text: 'issuer != *new_issuer: ', hint: 'the new issuer is the old one' },
  asset_update_market_issued_flags: {
    text: '!(options.flags & disable_force_settle || options.flags & global_settle): ',
    hint: 'only market-issued assets have these flags',
  },
  asset_update_market_issued_permissions: {
    text: '!(options.issuer_permissions & disable_force_settle || options.issuer_permissions & global_settle): ',
    hint: 'only market-issued assets have these permissions',
  },
  asset_update_rate_without_core: {
    text: 'a_copy.options.core_exchange_rate.base.asset_id == asset_id_type(1) || a_copy.options.core_exchange_rate.quote.asset_id == asset_id_type(1): ',
    hint: 'the new core_exchange_rate has the core asset on neither side',
  },
  asset_update_rate_without_original_core: {
    text: 'a_copy.options.core_exchange_rate.base.asset_id == asset_id_type() || a_copy.options.core_exchange_rate.quote.asset_id == asset_id_type(): ',
    hint: 'the new core_exchange_rate has the core asset on neither side',
  },
  asset_update_issuer_missing: { text: 'd.find_object(*o.new_issuer): ', hint: 'the new issuer does not exist' },
  asset_update_symbol_invalid: {
    text: 'is_valid_symbol(ast.symbol): ',
    hint: '${symbol} can not be the symbol of an asset',
  },
  asset_update_symbol_legacy: { text: 'GRAPHENE_SYMBOL_GXS != ast.symbol: new asset symbol can not be GXS' },
  asset_update_symbol_taken: { text: 'itr == asset_indx.end(): symbol: ${x} exist' },
  asset_update_permissions: {
    text: '!(o.new_options.issuer_permissions & ~a.options.issuer_permissions): Cannot reinstate previously revoked issuer permissions on an asset.',
  },
  asset_update_flags: {
    text: '!((o.new_options.flags ^ a.options.flags) & ~a.options.issuer_permissions): Flag change is forbidden by issuer permissions',
  },
  asset_update_not_committee: {
    text: 'o.issuer == account_id_type(): ',
    hint: 'as long as nobody issues 1.3.0 the committee account changes it',
  },
  asset_update_not_issuer: { text: 'o.issuer == a.issuer: ', hint: '${a.issuer} issues the asset, not ${o.issuer}' },
  asset_update_whitelist_too_long: {
    text: 'o.new_options.whitelist_authorities.size() <= chain_parameters.maximum_asset_whitelist_authorities: ',
    hint: 'the white list has more than ${max} authorities',
  },
  asset_update_blacklist_too_long: {
    text: 'o.new_options.blacklist_authorities.size() <= chain_parameters.maximum_asset_whitelist_authorities: ',
    hint: 'the black list has more than ${max} authorities',
  },
  asset_update_rate: {
    text: 'dummy.asset_id == asset_id_type(1): ',
    hint: 'the new core_exchange_rate does not turn the asset into the core asset',
  },
  asset_update_original_rate: {
    text: 'dummy.asset_id == asset_id_type(): ',
    hint: 'the new core_exchange_rate does not turn the asset into the core asset',
  },
});

function checkIssuer(a: Readonly<AssetObject>, issuer: Instance): void {
  const data = () => ({ 'o.issuer': `1.2.${issuer}`, 'a.issuer': `1.2.${a.issuer}` });
  if (a.id === ORIGINAL_CORE_ASSET && a.issuer === NULL_ACCOUNT) {
    // Nobody can act for the null account; the committee does.
    check(issuer === COMMITTEE_ACCOUNT, ASSET_UPDATE_ERRORS.asset_update_not_committee, data);
  } else check(issuer === a.issuer, ASSET_UPDATE_ERRORS.asset_update_not_issuer, data);
}

function checkSymbol(s: ReadState, symbol: string): void {
  check(isValidSymbol(symbol), ASSET_UPDATE_ERRORS.asset_update_symbol_invalid, { symbol });
  check(symbol !== LEGACY_SYMBOL, ASSET_UPDATE_ERRORS.asset_update_symbol_legacy);
  const isFree = s.findBy(assetObject.by.symbol, symbol) === undefined;
  check(isFree, ASSET_UPDATE_ERRORS.asset_update_symbol_taken, { x: symbol });
}

function checkList(s: ReadState, accounts: readonly Instance[], tooLong: ErrorRow): void {
  const max = parameters(s).maximum_asset_whitelist_authorities;
  check(accounts.length <= max, tooLong, { max });
  for (const account of accounts) s.get(accountObject, account);
}

export const assetUpdate = defineOperation({
  ...assetUpdateOperation,
  payer: (op) => op.issuer,
  validate(op) {
    checkFee(op);
    check(op.new_issuer !== op.issuer, ASSET_UPDATE_ERRORS.asset_update_same_issuer);
    validateAssetOptions(op.new_options);
    const isCore = op.asset_to_update === ORIGINAL_CORE_ASSET || op.asset_to_update === CORE_ASSET;
    if (!isCore) validatePrice(op.new_options.core_exchange_rate);
    validateAssetLists(op.new_options);
  },
  evaluate(s, op) {
    const a = s.get(assetObject, op.asset_to_update);
    const { flags, issuer_permissions, core_exchange_rate } = op.new_options;
    if (!isMarketIssued(a)) {
      const bits = ASSET_FLAG.disable_force_settle | ASSET_FLAG.global_settle;
      check((flags & bits) === 0, ASSET_UPDATE_ERRORS.asset_update_market_issued_flags);
      check((issuer_permissions & bits) === 0, ASSET_UPDATE_ERRORS.asset_update_market_issued_permissions);
    }
    const [withoutCore, wrongRate] =
      s.coreAsset === CORE_ASSET
        ? [ASSET_UPDATE_ERRORS.asset_update_rate_without_core, ASSET_UPDATE_ERRORS.asset_update_rate]
        : [ASSET_UPDATE_ERRORS.asset_update_rate_without_original_core, ASSET_UPDATE_ERRORS.asset_update_original_rate];
    check(hasSide(core_exchange_rate, s.coreAsset), withoutCore);
    if (op.new_issuer !== undefined) {
      const isKnown = s.find(accountObject, op.new_issuer) !== undefined;
      check(isKnown, ASSET_UPDATE_ERRORS.asset_update_issuer_missing);
    }
    const symbol = findExtension(op.extensions, EXTENSION_TAG.asset_symbol)?.symbol;
    if (symbol !== undefined) checkSymbol(s, symbol);
    const dynamic = s.get(assetDynamicDataObject, a.dynamic_asset_data_id);
    if (dynamic.current_supply !== 0n || !s.active('HF_572')) {
      const isNarrower = (issuer_permissions & ~a.options.issuer_permissions) === 0;
      check(isNarrower, ASSET_UPDATE_ERRORS.asset_update_permissions);
    }
    const mayChange = ((flags ^ a.options.flags) & ~a.options.issuer_permissions) === 0;
    check(mayChange, ASSET_UPDATE_ERRORS.asset_update_flags);
    checkIssuer(a, op.issuer);
    const { whitelist_authorities, blacklist_authorities } = op.new_options;
    checkList(s, whitelist_authorities, ASSET_UPDATE_ERRORS.asset_update_whitelist_too_long);
    checkList(s, blacklist_authorities, ASSET_UPDATE_ERRORS.asset_update_blacklist_too_long);
    const value = multiplyByPrice({ amount: 1n, asset_id: a.id }, core_exchange_rate);
    check(value.asset_id === s.coreAsset, wrongRate);
    return { a, dynamic, symbol };
  },
  apply(s, op, { a, dynamic, symbol }) {
    // A pool that was filled in the first core asset says nothing in the second. Quirk: the supply stays as it was.
    const isForeign = a.id !== ORIGINAL_CORE_ASSET && !hasSide(a.options.core_exchange_rate, CORE_ASSET);
    if (s.active('HF_1008') && (a.id === CORE_ASSET || isForeign)) {
      s.modify(assetDynamicDataObject, dynamic, (o) => {
        o.fee_pool = 0n;
      });
    }
    s.modify(assetObject, a, (o) => {
      if (op.new_issuer !== undefined) o.issuer = op.new_issuer;
      o.options = op.new_options;
      if (symbol !== undefined) o.symbol = symbol;
    });
    return VOID_RESULT;
  },
});
