import { fromHex } from '../../base/bytes.js';
import { check, defineErrors } from '../../base/errors.js';
import { add64 } from '../../base/int.js';
import { blind, verifySum } from '../../crypto/blind.js';
import { TEMP_ACCOUNT } from '../../protocol/ids.js';
import { transferFromBlindOperation } from '../../protocol/operations/transfers.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { assetObject } from '../../state/objects/asset.js';
import { FBA_ACCUMULATOR } from '../../state/objects/fba-accumulator.js';
import { adjustBalanceBy } from '../../state/rules/balances.js';
import { checkFee } from '../checks.js';
import { defineOperation } from '../define.js';
import {
  adjustConfidentialSupply,
  bookToAccumulator,
  CONFIDENTIAL_ERRORS,
  checkInputs,
  commitments,
  evaluateInputs,
  removeInputs,
  UNKNOWN_COMMITMENT,
} from './blinded.js';

export const TRANSFER_FROM_BLIND_ERRORS = defineErrors({
  blind_inputs_missing: { text: 'inputs.size() > 0: ', hint: 'there must be at least one input' },
  blind_fee_in_other_asset: {
    text: 'amount.asset_id == fee.asset_id: ',
    hint: 'the fee must be paid in the asset that is taken out',
  },
  blind_inputs_unsorted: { text: 'in[i-1] < in[i]: all inputs must be sorted by commitment id' },
  blind_out_of_sum: {
    text: 'fc::ecc::verify_sum( in, out, 0 ): ',
    hint: 'the inputs do not add up to the amount and the fee',
  },
  blind_commitment_missing: { text: 'itr != cidx.end(): ', hint: UNKNOWN_COMMITMENT },
});

/** Out of hiding, into an account. */
export const transferFromBlind = defineOperation({
  ...transferFromBlindOperation,
  feePolicy: { book: bookToAccumulator(FBA_ACCUMULATOR.transferFromBlind) },
  payer: () => TEMP_ACCOUNT,
  authorities(op, required) {
    for (const { owner } of op.inputs) required.other.push(owner);
  },
  validate(op) {
    check(op.amount.amount > 0n, CONFIDENTIAL_ERRORS.blind_amount_not_positive);
    checkFee(op);
    check(op.inputs.length > 0, TRANSFER_FROM_BLIND_ERRORS.blind_inputs_missing);
    const isSameAsset = op.amount.asset_id === op.fee.asset_id;
    check(isSameAsset, TRANSFER_FROM_BLIND_ERRORS.blind_fee_in_other_asset);
    checkInputs(op.inputs, TRANSFER_FROM_BLIND_ERRORS.blind_inputs_unsorted);
    // Two amounts, each below 2^63: their sum is hidden as the unsigned number that it is.
    const visible = blind(fromHex(op.blinding_factor), op.fee.amount + op.amount.amount);
    check(verifySum(commitments(op.inputs), [visible], 0n), TRANSFER_FROM_BLIND_ERRORS.blind_out_of_sum);
  },
  commitments: (op) => op.inputs.length,
  evaluate(s, op) {
    s.get(assetObject, op.fee.asset_id);
    return evaluateInputs(s, op.inputs, op.fee.asset_id, TRANSFER_FROM_BLIND_ERRORS.blind_commitment_missing);
  },
  apply(s, op, inputs) {
    adjustBalanceBy(s, TEMP_ACCOUNT, op.fee);
    adjustBalanceBy(s, op.to, op.amount);
    removeInputs(s, inputs);
    adjustConfidentialSupply(s, op.amount.asset_id, -add64(op.amount.amount, op.fee.amount));
    return VOID_RESULT;
  },
});
