import { check, defineErrors } from '../../base/errors.js';
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

export const COPYRIGHT_CLEAR_ERRORS = defineErrors({
  copyright_clear_undefined: { text: 'clearing copyrights that exist has no defined result in this chain family' },
});

/** Copyright records never carry a product, so this finds none; where it would, the reference has no defined result. */
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
  evaluate(s, op, context) {
    checkProposed(context);
    const key = sourceProductKey(op.datasource_account, op.product_id);
    const matches = s.groupSize(datasourceCopyrightObject.by.sourceProduct, key);
    check(matches === 0, COPYRIGHT_CLEAR_ERRORS.copyright_clear_undefined);
  },
  apply: () => VOID_RESULT,
});
