import { assetUpdateBitassetOperation } from '../../protocol/operations/assets.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { validateBitassetOptions } from '../asset/options.js';
import { checkFee } from '../checks.js';
import { defineOperation } from '../define.js';
import { endedBy } from './retire.js';

/** Pays its fee and changes nothing else until the fork that ended market-issued assets. */
export const assetUpdateBitasset = defineOperation({
  ...assetUpdateBitassetOperation,
  payer: (op) => op.issuer,
  validate(op) {
    checkFee(op);
    validateBitassetOptions(op.new_options);
  },
  evaluate: endedBy('HF_1008', 'bitassets_ended'),
  apply: () => VOID_RESULT,
});
