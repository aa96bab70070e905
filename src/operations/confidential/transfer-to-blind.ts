import { fromHex } from '../../base/bytes.js';
import { check, defineErrors } from '../../base/errors.js';
import { blind, verifySum } from '../../crypto/blind.js';
import { ASSET_FLAG } from '../../protocol/asset.js';
import { transferToBlindOperation } from '../../protocol/operations/transfers.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { assetObject } from '../../state/objects/asset.js';
import { FBA_ACCUMULATOR } from '../../state/objects/fba-accumulator.js';
import { isTransferRestricted } from '../../state/rules/authorized-asset.js';
import { adjustBalance } from '../../state/rules/balances.js';
import { checkFee } from '../checks.js';
import { defineOperation } from '../define.js';
import {
  adjustConfidentialSupply,
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
  ...transferToBlindOperation,
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
  commitments: (op) => op.outputs.length,
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
