import { fromHex } from '../../base/bytes.js';
import { check, defineErrors } from '../../base/errors.js';
import { withDefault } from '../../codec/containers.js';
import { u32, u64 } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import { blind, verifySum } from '../../crypto/blind.js';
import { ASSET_FLAG, asset } from '../../protocol/asset.js';
import { accountId } from '../../protocol/ids.js';
import { blindFactor } from '../../protocol/keys.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { assetObject } from '../../state/objects/asset.js';
import { FBA_ACCUMULATOR } from '../../state/objects/fba-accumulator.js';
import { isTransferRestricted } from '../../state/rules/authorized-asset.js';
import { adjustBalance } from '../../state/rules/balances.js';
import { checkFee } from '../checks.js';
import { defineOperation } from '../define.js';
import {
  adjustConfidentialSupply,
  blindOutputs,
  bookToAccumulator,
  CONFIDENTIAL_ERRORS,
  checkOutputs,
  checkRanges,
  commitments,
  createOutputs,
  evaluateOutputOwners,
} from './blinded.js';

export const TRANSFER_TO_BLIND_ERRORS = defineErrors({
  blind_outputs_missing: { text: 'out.size(): there must be at least one output' },
  blind_outputs_unsorted: { text: 'out[i-1] < out[i]: all outputs must be sorted by commitment id' },
  blind_into_sum: {
    text: 'fc::ecc::verify_sum( {public_c}, out, 0 ): ',
    hint: 'the outputs do not add up to the amount',
  },
  blind_disabled: { text: 'atype.allow_confidential(): ', hint: 'the asset allows no confidential transfers' },
  blind_restricted: { text: '!atype.is_transfer_restricted(): ', hint: 'transfers of the asset are restricted' },
  blind_white_listed: { text: '!(atype.options.flags & white_list): ', hint: 'the asset has a white list' },
});

/** From an account into outputs whose amounts nobody else can read. */
export const transferToBlind = defineOperation({
  tag: 39,
  name: 'transfer_to_blind',
  schema: struct('transfer_to_blind', {
    fee: asset,
    amount: asset,
    from: accountId,
    blinding_factor: blindFactor,
    outputs: blindOutputs,
  }),
  fee: {
    schema: struct('fee_parameters_type', {
      fee: withDefault(u64, () => 500_000n),
      price_per_output: withDefault(u32, () => 500_000),
    }),
    calc: (parameters, op) => parameters.fee + BigInt(op.outputs.length) * BigInt(parameters.price_per_output),
  },
  feePolicy: { book: bookToAccumulator(FBA_ACCUMULATOR.transferToBlind) },
  payer: (op) => op.from,
  validate(op) {
    checkFee(op);
    check(op.amount.amount > 0n, CONFIDENTIAL_ERRORS.blind_amount_not_positive);
    checkOutputs(op.outputs, TRANSFER_TO_BLIND_ERRORS.blind_outputs_unsorted);
    check(op.outputs.length > 0, TRANSFER_TO_BLIND_ERRORS.blind_outputs_missing);
    const visible = blind(fromHex(op.blinding_factor), op.amount.amount);
    check(verifySum([visible], commitments(op.outputs), 0n), TRANSFER_TO_BLIND_ERRORS.blind_into_sum);
    checkRanges(op.outputs);
  },
  evaluate(s, op) {
    const what = s.get(assetObject, op.amount.asset_id);
    const { flags } = what.options;
    check((flags & ASSET_FLAG.disable_confidential) === 0, TRANSFER_TO_BLIND_ERRORS.blind_disabled);
    check(!isTransferRestricted(what), TRANSFER_TO_BLIND_ERRORS.blind_restricted);
    check((flags & ASSET_FLAG.white_list) === 0, TRANSFER_TO_BLIND_ERRORS.blind_white_listed);
    evaluateOutputOwners(s, op.outputs);
  },
  apply(s, op) {
    const { amount, asset_id } = op.amount;
    adjustBalance(s, op.from, asset_id, -amount);
    adjustConfidentialSupply(s, asset_id, amount);
    createOutputs(s, op.outputs, asset_id);
    return VOID_RESULT;
  },
});
