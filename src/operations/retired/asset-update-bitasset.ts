import { struct } from '../../codec/struct.js';
import { asset, bitassetOptions } from '../../protocol/asset.js';
import { extensions } from '../../protocol/extensions.js';
import { accountId, assetId } from '../../protocol/ids.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { validateBitassetOptions } from '../asset/options.js';
import { checkFee } from '../checks.js';
import { defineOperation } from '../define.js';
import { flatFee } from '../fee-kinds.js';
import { endedBy } from './retire.js';

/** Pays its fee and changes nothing else until the fork that ended market-issued assets. */
export const assetUpdateBitasset = defineOperation({
  tag: 12,
  name: 'asset_update_bitasset',
  schema: struct('asset_update_bitasset', {
    fee: asset,
    issuer: accountId,
    asset_to_update: assetId,
    new_options: bitassetOptions,
    extensions,
  }),
  fee: flatFee(10_000_000_000n),
  payer: (op) => op.issuer,
  validate(op) {
    checkFee(op);
    validateBitassetOptions(op.new_options);
  },
  evaluate: endedBy('HF_1008', 'bitassets_ended'),
  apply: () => VOID_RESULT,
});
