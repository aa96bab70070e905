import { check } from '../../base/errors.js';
import { withDefault } from '../../codec/containers.js';
import { u32, u64 } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import { verifySum } from '../../crypto/blind.js';
import { asset } from '../../protocol/asset.js';
import { TEMP_ACCOUNT } from '../../protocol/ids.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { assetObject } from '../../state/objects/asset.js';
import { FBA_ACCUMULATOR } from '../../state/objects/fba-accumulator.js';
import { adjustBalanceBy } from '../../state/rules/balances.js';
import { defineOperation } from '../define.js';
import {
  adjustConfidentialSupply,
  blindInputs,
  blindOutputs,
  bookToAccumulator,
  CONFIDENTIAL_ERRORS,
  checkAscending,
  checkNotEmpty,
  checkOwners,
  checkRanges,
  commitments,
  createOutputs,
  evaluateInputs,
  evaluateOutputOwners,
  removeInputs,
} from './blinded.js';

/** Hidden amounts become other hidden amounts; only the fee is seen. It passes through the temp account. */
export const blindTransfer = defineOperation({
  tag: 40,
  name: 'blind_transfer',
  schema: struct('blind_transfer', { fee: asset, inputs: blindInputs, outputs: blindOutputs }),
  fee: {
    schema: struct('fee_parameters_type', {
      fee: withDefault(u64, () => 500_000n),
      price_per_output: withDefault(u32, () => 500_000),
    }),
    calc: (parameters, op) => parameters.fee + BigInt(op.outputs.length) * BigInt(parameters.price_per_output),
  },
  feePolicy: { book: bookToAccumulator(FBA_ACCUMULATOR.blindTransfer) },
  payer: () => TEMP_ACCOUNT,
  authorities(op, required) {
    for (const { owner } of op.inputs) required.other.push(owner);
  },
  validate(op) {
    checkNotEmpty('in', op.inputs);
    checkAscending('in', op.inputs);
    checkAscending('out', op.outputs);
    checkOwners(op.outputs);
    const balances = verifySum(commitments(op.inputs), commitments(op.outputs), op.fee.amount);
    check(balances, CONFIDENTIAL_ERRORS.blind_sum);
    checkRanges(op.outputs);
  },
  evaluate(s, op) {
    s.get(assetObject, op.fee.asset_id);
    evaluateOutputOwners(s, op.outputs);
    return evaluateInputs(s, op.inputs, op.fee.asset_id);
  },
  apply(s, op, inputs) {
    adjustBalanceBy(s, TEMP_ACCOUNT, op.fee);
    removeInputs(s, inputs);
    createOutputs(s, op.outputs, op.fee.asset_id);
    adjustConfidentialSupply(s, op.fee.asset_id, -op.fee.amount);
    return VOID_RESULT;
  },
});
