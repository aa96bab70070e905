import { check, defineErrors } from '../../base/errors.js';
import { sub64 } from '../../base/int.js';
import { assetClaimFeesOperation } from '../../protocol/operations/assets.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { assetObject } from '../../state/objects/asset.js';
import { assetDynamicDataObject } from '../../state/objects/asset-dynamic-data.js';
import { adjustBalanceBy } from '../../state/rules/balances.js';
import { checkFee } from '../checks.js';
import { defineOperation } from '../define.js';

export const ASSET_CLAIM_FEES_ERRORS = defineErrors({
  claim_amount_not_positive: { text: 'amount_to_claim.amount > 0: ', hint: 'the amount must be positive' },
  claim_too_early: {
    text: 'db().head_block_time() > HARDFORK_413_TIME: ',
    hint: 'fees can not be claimed before fork 413',
  },
  claim_not_issuer: {
    text: 'o.amount_to_claim.asset_id(db()).issuer == o.issuer: Asset fees may only be claimed by the issuer',
  },
  claim_above_accumulated: {
    text: 'o.amount_to_claim.amount <= addo.accumulated_fees: Attempt to claim more fees than have accumulated',
  },
});

export const assetClaimFees = defineOperation({
  ...assetClaimFeesOperation,
  payer: (op) => op.issuer,
  validate(op) {
    checkFee(op);
    check(op.amount_to_claim.amount > 0n, ASSET_CLAIM_FEES_ERRORS.claim_amount_not_positive);
  },
  evaluate(s, op) {
    check(s.active('HF_413'), ASSET_CLAIM_FEES_ERRORS.claim_too_early);
    const a = s.get(assetObject, op.amount_to_claim.asset_id);
    check(a.issuer === op.issuer, ASSET_CLAIM_FEES_ERRORS.claim_not_issuer);
    return a;
  },
  apply(s, op, a) {
    const { amount } = op.amount_to_claim;
    const dynamic = s.get(assetDynamicDataObject, a.dynamic_asset_data_id);
    // Only here, for the fee of this very operation may just have been added.
    const enough = amount <= dynamic.accumulated_fees;
    check(enough, ASSET_CLAIM_FEES_ERRORS.claim_above_accumulated, () => ({
      addo: { id: `2.3.${dynamic.id}`, ...(assetDynamicDataObject.schema.toJson(dynamic, s.network) as object) },
    }));
    s.modify(assetDynamicDataObject, dynamic, (o) => {
      o.accumulated_fees = sub64(o.accumulated_fees, amount);
    });
    adjustBalanceBy(s, op.issuer, op.amount_to_claim);
    return VOID_RESULT;
  },
});
