import { set } from '../../codec/containers.js';
import { struct } from '../../codec/struct.js';
import { asset } from '../../protocol/asset.js';
import { extensions } from '../../protocol/extensions.js';
import { accountId, assetId } from '../../protocol/ids.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { checkFee } from '../checks.js';
import { defineOperation } from '../define.js';
import { flatFee } from '../fee-kinds.js';
import { endedBy } from './retire.js';

/** Pays its fee and changes nothing else until the fork that ended market-issued assets. */
export const assetUpdateFeedProducers = defineOperation({
  tag: 13,
  name: 'asset_update_feed_producers',
  schema: struct('asset_update_feed_producers', {
    fee: asset,
    issuer: accountId,
    asset_to_update: assetId,
    new_feed_producers: set(accountId),
    extensions,
  }),
  fee: flatFee(10_000_000_000n),
  payer: (op) => op.issuer,
  validate: checkFee,
  evaluate: endedBy('HF_1008', 'bitassets_ended'),
  apply: () => VOID_RESULT,
});
