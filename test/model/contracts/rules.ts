import { encode } from '../../../src/codec/binary.js';
import type { StructValue } from '../../../src/codec/struct.js';
import { type AbiDef, abiDef } from '../../../src/protocol/abi.js';
import {
  contractCallOperation,
  contractDeployOperation,
  contractUpdateOperation,
  interContractCallOperation,
} from '../../../src/protocol/operations/contracts.js';
import { accountObject } from '../../../src/state/objects/account.js';
import { accountStatisticsObject } from '../../../src/state/objects/account-statistics.js';
import { none, withSize } from '../fee-rules.js';
import { created, hasFee } from '../own-operations/checks.js';
import { type AnyOwnRule, type OwnModel, ownRule } from '../own-operations/model.js';
import { MONEY_RULES } from '../own-operations/money-rules.js';
import { must, Refused } from '../tables.js';
import { versionOf, whyRefused } from './codes.js';
import type { ContractModel } from './model.js';

type Update = StructValue<typeof contractUpdateOperation.schema.fields>;

const BASE_FEE = 100_000n;
const PRICE = 100_000n;
const ACCOUNT = 2;
const LABEL = /^[a-z]([a-z0-9-]*[a-z0-9])?$/;
const NAME_MAX = 63;

/** No other model is given these rules. */
const contractModel = (m: OwnModel): ContractModel => m as ContractModel;

const isName = (name: string): boolean =>
  name.length > 0 && name.length <= NAME_MAX && name.split('.').every((label) => LABEL.test(label));

const sizeOf = (code: Uint8Array, abi: AbiDef): number => encode(abiDef, abi).length + code.length;

/** By how much there is more to keep, whatever the schedule says. */
export function updateFee(m: ContractModel, { contract, code, abi }: Update): bigint {
  const old = m.find(accountObject, contract);
  must(old !== undefined, 'update_contract_missing');
  const growth = sizeOf(code, abi) - sizeOf(old.code, old.abi);
  return BASE_FEE + (growth > 0 ? (BigInt(growth) * PRICE) / 1024n : 0n);
}

function checkCode(code: Uint8Array): void {
  const why = whyRefused(code);
  must(why === undefined, why ?? '');
}

const hasFeeOfContract = ({ fee }: { fee: { amount: bigint } }): void =>
  must(fee.amount >= 0n, 'contract_fee_negative');

const deploy = ownRule(contractDeployOperation, {
  payer: (op) => op.account,
  fee: withSize(100_000, 100_000),
  valid(op) {
    hasFeeOfContract(op);
    must(isName(op.name), 'contract_name_invalid');
    must(op.code.length > 0, 'contract_code_empty');
  },
  check(m, { name, account, vm_type, vm_version, code, abi }) {
    must(m.where(accountObject, (one) => one.name === name) === undefined, 'contract_name_taken');
    must(abi.actions.length > 0, 'contract_without_actions');
    if (contractModel(m).isAfter('1006')) checkCode(code);
    return () => {
      const { network_percent_of_fee, lifetime_referrer_percent_of_fee } = m.parameters;
      const statistics = m.create(accountStatisticsObject, { owner: m.next(accountObject) });
      const id = m.create(accountObject, {
        ...{ name, vm_type, vm_version, code, abi, statistics },
        registrar: account,
        referrer: account,
        lifetime_referrer: account,
        network_fee_percentage: network_percent_of_fee,
        lifetime_referrer_fee_percentage: lifetime_referrer_percent_of_fee,
        referrer_rewards_percentage: 0,
        code_version: versionOf(code),
      });
      return created(ACCOUNT, id);
    };
  },
});

const update = ownRule(contractUpdateOperation, {
  payer: (op) => op.owner,
  fee: withSize(100_000, 100_000),
  valid(op) {
    hasFeeOfContract(op);
    must(op.code.length > 0, 'contract_code_empty');
  },
  check(own, { owner, new_owner, contract, code, abi }) {
    const m = contractModel(own);
    const old = m.find(accountObject, contract);
    must(old !== undefined, 'update_contract_missing');
    must(old.registrar === owner, 'update_not_owner');
    if (m.isAfter('1015')) must(old.code.length > 0, 'update_no_contract');
    const code_version = versionOf(code);
    if (!m.isFrom('1024_SAME_CODE')) must(code_version !== old.code_version, 'update_same_code');
    checkCode(code);
    must(abi.actions.length > 0, 'contract_without_actions');
    if (new_owner !== undefined) must(m.find(accountObject, new_owner) !== undefined, 'update_new_owner');
    return () => {
      const owners =
        new_owner === undefined ? {} : { registrar: new_owner, referrer: new_owner, lifetime_referrer: new_owner };
      m.change(accountObject, contract, (o) => Object.assign(o, owners, { code, code_version, abi }));
      return undefined;
    };
  },
});

const call = ownRule(contractCallOperation, {
  payer: (op) => op.account,
  fee: none,
  valid: hasFee,
  check() {
    throw new Error('it is run in a way of its own');
  },
});

const interContractCall = ownRule(interContractCallOperation, {
  payer: (op) => op.sender_contract,
  fee: none,
  valid: hasFee,
  check() {
    throw new Refused('call_outside_contract');
  },
});

export const CONTRACT_RULES: readonly AnyOwnRule[] = [
  deploy,
  call,
  update,
  interContractCall,
  ...MONEY_RULES.filter(({ tag }) => tag === 78),
];
