import { ASSET_PERMISSION_MASK, makeAsset } from '../../src/protocol/asset.js';
import type { AssetObject } from '../../src/state/objects/asset.js';
import { operationByName } from './operation-by-name.js';

type Options = AssetObject['options'];

/** What a new asset needs: one to one with the core asset, every permission that is not about market-issued assets. */
export function assetOptions(given: Partial<Options> = {}): Options {
  const defaults = operationByName('asset_create')?.schema.default() as unknown as { common_options: Options };
  return {
    ...defaults.common_options,
    max_supply: 1_000_000_000n,
    issuer_permissions: ASSET_PERMISSION_MASK & ~0x130,
    // In place of the new asset, whose id nobody knows yet, stands 1.3.2.
    core_exchange_rate: { base: makeAsset(1n, 1), quote: makeAsset(1n, 2) },
    ...given,
  };
}
