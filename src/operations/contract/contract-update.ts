import { check, defineErrors } from '../../base/errors.js';
import { contractUpdateOperation, DEPLOY_FEE, DEPLOY_PRICE_PER_KBYTE } from '../../protocol/operations/contracts.js';
import { dataFee } from '../../protocol/operations/declare.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { accountObject } from '../../state/objects/account.js';
import { isContract } from '../../state/rules/accounts.js';
import { defineOperation } from '../define.js';
import { checkCodeGiven, checkContractFee, checkHasActions, codeVersion, contractBytes } from './contract-checks.js';

export const CONTRACT_UPDATE_ERRORS = defineErrors({
  update_not_owner: {
    text: 'op.owner == contract_obj.registrar: only owner can update contract, current owner: ${o}',
  },
  update_no_contract: { text: 'contract_obj.code.size() > 0: can not update a normal account: ${a}' },
  update_same_code: { text: 'code_hash != contract_obj.code_version: code not updated' },
  update_new_owner: { text: 'd.find_object(*op.new_owner): new owner not exist' },
  update_contract_missing: { text: 'itor != acc_idx.end(): contract account is not exist' },
});

export const contractUpdate = defineOperation({
  ...contractUpdateOperation,
  payer: (op) => op.owner,
  validate(op) {
    checkContractFee(op);
    checkCodeGiven(op.code);
  },
  feePolicy: {
    // Since fork 1024 only growth is charged by size; by the built-in numbers, whatever the schedule says.
    requiredFee(s, op) {
      if (!s.active('HF_1024')) return undefined;
      const contract = s.find(accountObject, op.contract);
      check(contract !== undefined, CONTRACT_UPDATE_ERRORS.update_contract_missing);
      const { code, abi } = contract;
      const growth = contractBytes(op.code, op.abi) - contractBytes(code, abi);
      return DEPLOY_FEE + (growth > 0 ? dataFee(growth, DEPLOY_PRICE_PER_KBYTE) : 0n);
    },
  },
  evaluate(s, op, context) {
    const contract = s.get(accountObject, op.contract);
    const isOwner = op.owner === contract.registrar;
    check(isOwner, CONTRACT_UPDATE_ERRORS.update_not_owner, () => ({ o: `1.2.${contract.registrar}` }));
    if (s.active('HF_1015')) {
      check(isContract(contract), CONTRACT_UPDATE_ERRORS.update_no_contract, () => ({ a: `1.2.${contract.id}` }));
    }
    const version = codeVersion(op.code);
    if (!s.active('HF_1024_SAME_CODE')) {
      check(version !== contract.code_version, CONTRACT_UPDATE_ERRORS.update_same_code);
    }
    checkCodeGiven(op.code);
    context.engine.validate(op.code);
    checkHasActions(op.abi);
    const hasOwner = op.new_owner === undefined || s.find(accountObject, op.new_owner) !== undefined;
    check(hasOwner, CONTRACT_UPDATE_ERRORS.update_new_owner);
    return { contract, version };
  },
  apply(s, op, { contract, version }) {
    s.modify(accountObject, contract, (o) => {
      if (op.new_owner !== undefined) {
        o.registrar = op.new_owner;
        o.referrer = op.new_owner;
        o.lifetime_referrer = op.new_owner;
      }
      o.code = op.code;
      o.code_version = version;
      o.abi = op.abi;
    });
    return VOID_RESULT;
  },
});
