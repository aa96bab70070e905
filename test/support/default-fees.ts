import { OPERATIONS } from '../../src/operations/index.js';
import { defaultFeeParameters } from '../../src/operations/required-fee.js';
import { FEE_SCALE_UNIT, type FeeSchedule } from '../../src/protocol/chain-parameters.js';

/** A complete schedule of built-in fees. */
export function defaultFeeSchedule(): FeeSchedule {
  return { parameters: OPERATIONS.map(({ tag }) => [tag, defaultFeeParameters(tag)]), scale: FEE_SCALE_UNIT };
}
