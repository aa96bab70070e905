import { check, defineErrors } from '../../base/errors.js';
import { verifySum } from '../../crypto/blind.js';
import { TEMP_ACCOUNT } from '../../protocol/ids.js';
import { blindTransferOperation } from '../../protocol/operations/transfers.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { assetObject } from '../../state/objects/asset.js';
import { FBA_ACCUMULATOR } from '../../state/objects/fba-accumulator.js';
import { adjustBalanceBy } from '../../state/rules/balances.js';
import { defineOperation } from '../define.js';
import {
  adjustConfidentialSupply,
  bookToAccumulator,
  checkInputs,
  checkOutputs,
  checkRanges,
  commitments,
  createOutputs,
  evaluateInputs,
  evaluateOutputOwners,
  removeInputs,
  UNKNOWN_COMMITMENT,
} from './blinded.js';

export const BLIND_TRANSFER_ERRORS = defineErrors({
  blind_both_inputs_unsorted: {
    text: 'in[i-1] < in[i]: ',
    hint: 'inputs must be sorted by their commitments, each of them once',
  },
  blind_both_outputs_unsorted: {
    text: 'out[i-1] < out[i]: ',
    hint: 'outputs must be sorted by their commitments, each of them once',
  },
  blind_both_inputs_missing: { text: 'in.size(): there must be at least one input' },
  blind_both_sum: {
    text: 'fc::ecc::verify_sum( in, out, net_public ): ',
    hint: 'the inputs do not add up to the outputs and the fee',
  },
  blind_unknown_commitment: {
    code: 3054001,
    name: 'blind_transfer_unknown_commitment',
    title: 'Attempting to claim an unknown prior commitment',
    text: '',
    hint: UNKNOWN_COMMITMENT,
  },
});

/** Hidden amounts become other hidden amounts; only the fee is seen. It passes through the temp account. */
export const blindTransfer = defineOperation({
  ...blindTransferOperation,
  feePolicy: { book: bookToAccumulator(FBA_ACCUMULATOR.blindTransfer) },
  payer: () => TEMP_ACCOUNT,
  authorities(op, required) {
    for (const { owner } of op.inputs) required.other.push(owner);
  },
  validate(op) {
    checkInputs(op.inputs, BLIND_TRANSFER_ERRORS.blind_both_inputs_unsorted);
    checkOutputs(op.outputs, BLIND_TRANSFER_ERRORS.blind_both_outputs_unsorted);
    check(op.inputs.length > 0, BLIND_TRANSFER_ERRORS.blind_both_inputs_missing);
    const balances = verifySum(commitments(op.inputs), commitments(op.outputs), op.fee.amount);
    check(balances, BLIND_TRANSFER_ERRORS.blind_both_sum);
    checkRanges(op.outputs);
  },
  commitments: (op) => op.inputs.length + op.outputs.length,
  evaluate(s, op) {
    s.get(assetObject, op.fee.asset_id);
    evaluateOutputOwners(s, op.outputs);
    return evaluateInputs(s, op.inputs, op.fee.asset_id, BLIND_TRANSFER_ERRORS.blind_unknown_commitment);
  },
  apply(s, op, inputs) {
    adjustBalanceBy(s, TEMP_ACCOUNT, op.fee);
    removeInputs(s, inputs);
    createOutputs(s, op.outputs, op.fee.asset_id);
    adjustConfidentialSupply(s, op.fee.asset_id, -op.fee.amount);
    return VOID_RESULT;
  },
});
