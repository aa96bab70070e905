import { check, defineErrors } from '../../base/errors.js';
import { struct } from '../../codec/struct.js';
import { asset, price } from '../../protocol/asset.js';
import { extensions } from '../../protocol/extensions.js';
import { accountId, assetId } from '../../protocol/ids.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { checkFee } from '../checks.js';
import { defineOperation } from '../define.js';
import { flatFee } from '../fee-kinds.js';
import { endedBy } from './retire.js';

export const ASSET_GLOBAL_SETTLE_ERRORS = defineErrors({
  settle_price_of_other_asset: {
    text: 'asset_to_settle == settle_price.base.asset_id: ',
    hint: 'the price is that of another asset',
  },
});

/** Pays its fee and changes nothing else until the fork that ended market-issued assets. */
export const assetGlobalSettle = defineOperation({
  tag: 18,
  name: 'asset_global_settle',
  schema: struct('asset_global_settle', {
    fee: asset,
    issuer: accountId,
    asset_to_settle: assetId,
    settle_price: price,
    extensions,
  }),
  fee: flatFee(10_000_000_000n),
  payer: (op) => op.issuer,
  validate(op) {
    checkFee(op);
    const isOwnPrice = op.asset_to_settle === op.settle_price.base.asset_id;
    check(isOwnPrice, ASSET_GLOBAL_SETTLE_ERRORS.settle_price_of_other_asset);
  },
  evaluate: endedBy('HF_1008', 'bitassets_ended'),
  apply: () => VOID_RESULT,
});
