import { optional, withDefault } from '../../codec/containers.js';
import { bytes, text, u64 } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import type { ValueOf } from '../../codec/type.js';
import { abiDef } from '../abi.js';
import { asset } from '../asset.js';
import { extensions } from '../extensions.js';
import { accountId } from '../ids.js';
import { contractName } from '../name.js';
import { dataFee, declareOperation, flatFee } from './declare.js';

const amount = (value: bigint) => withDefault(u64, () => value);

export const callFeeParameters = struct('fee_parameters_type', {
  fee: amount(100n),
  price_per_kbyte_ram: amount(50_000n),
  /** Quirk: in effect per microsecond. */
  price_per_ms_cpu: amount(0n),
});

export const DEPLOY_FEE = 100_000n;
export const DEPLOY_PRICE_PER_KBYTE = 100_000n;
const deployFeeParameters = struct('fee_parameters_type', {
  fee: withDefault(u64, () => DEPLOY_FEE),
  price_per_kbyte: withDefault(u64, () => DEPLOY_PRICE_PER_KBYTE),
});

/** A base and a price for the whole operation's bytes; unlike elsewhere the price has 64 bits. */
const deployFee = {
  schema: deployFeeParameters,
  calc: (parameters: ValueOf<typeof deployFeeParameters>, _op: unknown, size: () => number): bigint =>
    parameters.fee + dataFee(size(), parameters.price_per_kbyte),
};

export const contractDeployOperation = declareOperation({
  tag: 74,
  name: 'contract_deploy',
  schema: struct('contract_deploy', {
    fee: asset,
    name: text,
    account: accountId,
    vm_type: text,
    vm_version: text,
    code: bytes,
    abi: abiDef,
    extensions: extensions,
  }),
  fee: deployFee,
});

export const contractCallOperation = declareOperation({
  tag: 75,
  name: 'contract_call',
  schema: struct('contract_call', {
    fee: asset,
    account: accountId,
    contract_id: accountId,
    amount: optional(asset),
    method_name: contractName,
    data: bytes,
    extensions: extensions,
  }),
  fee: { schema: callFeeParameters, calc: (prices) => prices.fee },
});

export const contractUpdateOperation = declareOperation({
  tag: 76,
  name: 'contract_update',
  schema: struct('contract_update', {
    fee: asset,
    owner: accountId,
    new_owner: optional(accountId),
    contract: accountId,
    code: bytes,
    abi: abiDef,
    extensions: extensions,
  }),
  fee: deployFee,
});

export const interContractCallOperation = declareOperation({
  tag: 79,
  name: 'inter_contract_call',
  schema: struct('inter_contract_call', {
    fee: asset,
    sender_contract: accountId,
    contract_id: accountId,
    amount: optional(asset),
    method_name: contractName,
    data: bytes,
    extensions: extensions,
  }),
  fee: flatFee(0n),
});
