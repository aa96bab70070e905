import { struct } from '../../codec/struct.js';
import { asset } from '../../protocol/asset.js';
import { extensions } from '../../protocol/extensions.js';
import { accountId, COMMITTEE_ACCOUNT, objectId } from '../../protocol/ids.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { datasourceCopyrightObject, sourceProductKey } from '../../state/objects/data-market.js';
import { checkFee } from '../checks.js';
import { defineOperation } from '../define.js';
import { flatFee } from '../fee-kinds.js';
import { checkProposed } from '../proposal-only.js';

/**
 * Forgets what a data source owns. Copyright records never carry a product, so that `0.0.0` finds all of the account
 * and any other product finds none.
 */
export const datasourceCopyrightClear = defineOperation({
  tag: 69,
  name: 'datasource_copyright_clear',
  schema: struct('datasource_copyright_clear', {
    datasource_account: accountId,
    product_id: objectId,
    fee: asset,
    extensions: extensions,
  }),
  fee: flatFee(100_000n),
  payer: () => COMMITTEE_ACCOUNT,
  validate: checkFee,
  evaluate(_s, _op, context) {
    checkProposed(context);
  },
  apply(s, op) {
    const key = sourceProductKey(op.datasource_account, op.product_id);
    for (const copyright of s.group(datasourceCopyrightObject.by.sourceProduct, key)) {
      s.remove(datasourceCopyrightObject, copyright);
    }
    return VOID_RESULT;
  },
});
