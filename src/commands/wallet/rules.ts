import { requiredAuthorities } from '../../operations/authorities.js';
import '../../operations/index.js';
import { definitionOf } from '../../operations/registered.js';
import { quoteFee } from '../../operations/required-fee.js';
import { validateOperation } from '../../operations/validation.js';
import type { OperationRules } from '../../wallet/rules.js';

/** The chain's own rules, by which it will judge what the wallet sends. */
export const chainRules: OperationRules = {
  validate: validateOperation,
  payer: ([tag, body]) => definitionOf(tag).payer(body),
  required: requiredAuthorities,
  fee: quoteFee,
};
