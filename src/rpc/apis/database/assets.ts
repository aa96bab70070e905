import * as declared from '../../../api/market.js';
import { check } from '../../../base/errors.js';
import { assetId, CORE_ASSET, objectIdText } from '../../../protocol/ids.js';
import { LEGACY_SYMBOL } from '../../../protocol/networks.js';
import { type AssetObject, assetObject } from '../../../state/objects/asset.js';
import { pocsKey, pocsObject } from '../../../state/objects/data-market.js';
import type { ReadState } from '../../../state/views.js';
import { implement } from '../../define.js';
import { ASSETS_MAX, LIST_ERRORS } from '../../limits.js';
import { eachInPieces } from '../../pieces/pieces.js';

function findAsset(s: ReadState, symbolOrId: string): Readonly<AssetObject> | undefined {
  if (/^\d/.test(symbolOrId)) return s.find(assetObject, assetId.fromJson(symbolOrId));
  // The old symbol of the core asset; wallets still ask for it. An asset that has it by itself gives way.
  if (symbolOrId === LEGACY_SYMBOL && s.active('HF_1008')) return s.find(assetObject, CORE_ASSET);
  return s.findBy(assetObject.by.symbol, symbolOrId);
}

export const assetMethods = implement(declared.assetMethods, {
  get_assets: ({ node }, { ids }) => {
    return eachInPieces(ids, (id) => node.chain.state.find(assetObject, id));
  },
  list_assets: ({ node }, { lower_bound_symbol, limit }) => {
    check(limit <= ASSETS_MAX, LIST_ERRORS.limit_100);
    const out: Readonly<AssetObject>[] = [];
    for (const one of node.chain.state.walk(assetObject.by.symbolOrder, [lower_bound_symbol])) {
      if (out.length >= limit) break;
      out.push(one);
    }
    return out;
  },
  lookup_asset_symbols: ({ node }, { symbols_or_ids }) => {
    return eachInPieces(symbols_or_ids, (given) => findAsset(node.chain.state, given));
  },
  get_pocs_object: ({ node, services, handle }, { league_id, account_id, product_id }) => {
    services.subscriptions.touch(handle, objectIdText(product_id));
    return node.chain.state.findBy(pocsObject.by.leagueAccount, pocsKey(league_id, account_id));
  },
});
