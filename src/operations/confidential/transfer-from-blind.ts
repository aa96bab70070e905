import { fromHex } from '../../base/bytes.js';
import { check, defineErrors } from '../../base/errors.js';
import { add64 } from '../../base/int.js';
import { struct } from '../../codec/struct.js';
import { blind, verifySum } from '../../crypto/blind.js';
import { asset } from '../../protocol/asset.js';
import { accountId, TEMP_ACCOUNT } from '../../protocol/ids.js';
import { blindFactor } from '../../protocol/keys.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { assetObject } from '../../state/objects/asset.js';
import { FBA_ACCUMULATOR } from '../../state/objects/fba-accumulator.js';
import { adjustBalanceBy } from '../../state/rules/balances.js';
import { checkFee } from '../checks.js';
import { defineOperation } from '../define.js';
import { flatFee } from '../fee-kinds.js';
import {
  adjustConfidentialSupply,
  blindInputs,
  bookToAccumulator,
  CONFIDENTIAL_ERRORS,
  checkAscending,
  checkNotEmpty,
  commitments,
  evaluateInputs,
  removeInputs,
} from './blinded.js';

export const TRANSFER_FROM_BLIND_ERRORS = defineErrors({
  blind_fee_in_other_asset: { text: 'amount.asset_id == fee.asset_id: ' },
});

/** Out of hiding, into an account. */
export const transferFromBlind = defineOperation({
  tag: 41,
  name: 'transfer_from_blind',
  schema: struct('transfer_from_blind', {
    fee: asset,
    amount: asset,
    to: accountId,
    blinding_factor: blindFactor,
    inputs: blindInputs,
  }),
  fee: flatFee(500_000n),
  feePolicy: { book: bookToAccumulator(FBA_ACCUMULATOR.transferFromBlind) },
  payer: () => TEMP_ACCOUNT,
  authorities(op, required) {
    for (const { owner } of op.inputs) required.other.push(owner);
  },
  validate(op) {
    checkFee(op);
    check(op.amount.amount > 0n, CONFIDENTIAL_ERRORS.blind_amount_not_positive);
    checkNotEmpty('in', op.inputs);
    const isSameAsset = op.amount.asset_id === op.fee.asset_id;
    check(isSameAsset, TRANSFER_FROM_BLIND_ERRORS.blind_fee_in_other_asset);
    checkAscending('in', op.inputs);
    const visible = blind(fromHex(op.blinding_factor), add64(op.fee.amount, op.amount.amount));
    check(verifySum(commitments(op.inputs), [visible], 0n), CONFIDENTIAL_ERRORS.blind_sum);
  },
  evaluate(s, op) {
    s.get(assetObject, op.fee.asset_id);
    return evaluateInputs(s, op.inputs, op.fee.asset_id);
  },
  apply(s, op, inputs) {
    adjustBalanceBy(s, TEMP_ACCOUNT, op.fee);
    adjustBalanceBy(s, op.to, op.amount);
    removeInputs(s, inputs);
    adjustConfidentialSupply(s, op.amount.asset_id, -add64(op.amount.amount, op.fee.amount));
    return VOID_RESULT;
  },
});
