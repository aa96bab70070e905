import { COMMITTEE_ACCOUNT } from '../../protocol/ids.js';
import { datasourceCopyrightClearOperation } from '../../protocol/operations/data-market.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { datasourceCopyrightObject, sourceProductKey } from '../../state/objects/data-market.js';
import { checkFee } from '../checks.js';
import { defineOperation } from '../define.js';
import { checkProposed } from '../proposal-only.js';

/**
 * Forgets what a data source owns. Copyright records never carry a product, so that `0.0.0` finds all of the account
 * and any other product finds none.
 */
export const datasourceCopyrightClear = defineOperation({
  ...datasourceCopyrightClearOperation,
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
