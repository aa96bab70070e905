import { check } from '../../../base/errors.js';
import { array } from '../../../codec/containers.js';
import { text, u32 } from '../../../codec/scalars.js';
import { accountId, assetId, CORE_ASSET, leagueId, objectId, objectIdText } from '../../../protocol/ids.js';
import { LEGACY_SYMBOL } from '../../../protocol/networks.js';
import { objectOf } from '../../../protocol/objects/declare.js';
import { type AssetObject, assetObject } from '../../../state/objects/asset.js';
import { pocsKey, pocsObject } from '../../../state/objects/data-market.js';
import type { ReadState } from '../../../state/views.js';
import { method } from '../../define.js';
import { ASSETS_MAX, LIST_ERRORS } from '../../limits.js';
import { eachInPieces } from '../../pieces/pieces.js';
import { nullable } from '../../types.js';

const asset = objectOf(assetObject);

function findAsset(s: ReadState, symbolOrId: string): Readonly<AssetObject> | undefined {
  if (/^\d/.test(symbolOrId)) return s.find(assetObject, assetId.fromJson(symbolOrId));
  // The old symbol of the core asset; wallets still ask for it. An asset that has it by itself gives way.
  if (symbolOrId === LEGACY_SYMBOL && s.active('HF_1008')) return s.find(assetObject, CORE_ASSET);
  return s.findBy(assetObject.by.symbol, symbolOrId);
}

export const assetMethods = {
  get_assets: method({
    about: 'Assets by id, in the order asked; null where there is none.',
    params: { ids: array(assetId) },
    result: array(nullable(asset)),
    run: ({ node }, { ids }) => {
      return eachInPieces(ids, (id) => node.chain.state.find(assetObject, id));
    },
  }),
  list_assets: method({
    about: 'Assets from a symbol on, ascending and including it; at most 100.',
    params: { lower_bound_symbol: text, limit: u32 },
    result: array(asset),
    run: ({ node }, { lower_bound_symbol, limit }) => {
      check(limit <= ASSETS_MAX, LIST_ERRORS.limit_100);
      const out: Readonly<AssetObject>[] = [];
      for (const one of node.chain.state.walk(assetObject.by.symbolOrder, [lower_bound_symbol])) {
        if (out.length >= limit) break;
        out.push(one);
      }
      return out;
    },
  }),
  lookup_asset_symbols: method({
    about: 'Assets by exact symbol or by id, in the order asked; null where there is none.',
    params: { symbols_or_ids: array(text) },
    result: array(nullable(asset)),
    run: ({ node }, { symbols_or_ids }) => {
      return eachInPieces(symbols_or_ids, (given) => findAsset(node.chain.state, given));
    },
  }),
  get_pocs_object: method({
    about: 'Proof of contribution of an account in a league, or null.',
    params: { league_id: leagueId, account_id: accountId, product_id: objectId },
    result: nullable(objectOf(pocsObject)),
    run: ({ node, services, handle }, { league_id, account_id, product_id }) => {
      services.subscriptions.touch(handle, objectIdText(product_id));
      return node.chain.state.findBy(pocsObject.by.leagueAccount, pocsKey(league_id, account_id));
    },
  }),
};
