import { check, defineErrors } from '../../base/errors.js';
import { isValidAccountName } from '../../protocol/names.js';
import { contractDeployOperation } from '../../protocol/operations/contracts.js';
import { accountObject } from '../../state/objects/account.js';
import { createAccount } from '../../state/rules/new-account.js';
import { parameters } from '../../state/rules/parameters.js';
import { createdResult } from '../created.js';
import { defineOperation } from '../define.js';
import { checkCodeGiven, checkContractFee, checkHasActions, codeVersion } from './contract-checks.js';

export const CONTRACT_DEPLOY_ERRORS = defineErrors({
  contract_name_invalid: { text: 'is_valid_name(name): contract name is invalid' },
  contract_name_taken: {
    text: 'current_account_itr == account_idx.indices().get<by_name>().end(): contract name existed, contract name ${n}',
  },
});

/** Creates the account of a contract. Its owner is the registrar. */
export const contractDeploy = defineOperation({
  ...contractDeployOperation,
  payer: (op) => op.account,
  validate(op) {
    checkContractFee(op);
    check(isValidAccountName(op.name), CONTRACT_DEPLOY_ERRORS.contract_name_invalid);
    checkCodeGiven(op.code);
  },
  evaluate(s, op, context) {
    const taken = s.findBy(accountObject.by.name, op.name) !== undefined;
    check(!taken, CONTRACT_DEPLOY_ERRORS.contract_name_taken, { n: op.name });
    checkCodeGiven(op.code);
    checkHasActions(op.abi);
    if (s.active('HF_1006')) context.engine.validate(op.code);
  },
  apply(s, op) {
    const { network_percent_of_fee, lifetime_referrer_percent_of_fee } = parameters(s);
    // Quirk: owner and active stay at threshold 0, so nobody's signature is needed to act for a contract.
    const created = createAccount(s, {
      registrar: op.account,
      referrer: op.account,
      lifetime_referrer: op.account,
      network_fee_percentage: network_percent_of_fee,
      lifetime_referrer_fee_percentage: lifetime_referrer_percent_of_fee,
      name: op.name,
      vm_type: op.vm_type,
      vm_version: op.vm_version,
      code: op.code,
      code_version: codeVersion(op.code),
      abi: op.abi,
    });
    return createdResult(accountObject, created.id);
  },
});
