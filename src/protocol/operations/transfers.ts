import { array, optional, withDefault } from '../../codec/containers.js';
import { bytes, share, text, u32, u64 } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import { asset } from '../asset.js';
import { authority } from '../authority.js';
import { extensions } from '../extensions.js';
import { accountId, fbaAccumulatorId } from '../ids.js';
import { blindFactor, commitment, publicKey } from '../keys.js';
import { memoData } from '../memo.js';
import { proxyTransferParams } from '../proxy-transfer.js';
import { declareOperation, feeWithData, feeWithMemo, flatFee, noFee, textBytes } from './declare.js';

export const blindInput = struct('blind_input', { commitment, owner: authority });

export const blindInputs = array(blindInput);

export const stealthConfirmation = struct('stealth_confirmation', {
  one_time_key: publicKey,
  to: optional(publicKey),
  encrypted_memo: bytes,
});

export const blindOutput = struct('blind_output', {
  commitment,
  range_proof: bytes,
  owner: authority,
  stealth_memo: optional(stealthConfirmation),
});

export const blindOutputs = array(blindOutput);

export const transferOperation = declareOperation({
  tag: 0,
  name: 'transfer',
  schema: struct('transfer', {
    fee: asset,
    from: accountId,
    to: accountId,
    amount: asset,
    memo: optional(memoData),
    extensions,
  }),
  fee: feeWithMemo(100_000n, 1_000_000),
});

export const overrideTransferOperation = declareOperation({
  tag: 38,
  name: 'override_transfer',
  schema: struct('override_transfer', {
    fee: asset,
    issuer: accountId,
    from: accountId,
    to: accountId,
    amount: asset,
    memo: optional(memoData),
    extensions,
  }),
  fee: feeWithMemo(2_000_000n, 10),
});

export const transferToBlindOperation = declareOperation({
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
});

export const blindTransferOperation = declareOperation({
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
});

export const transferFromBlindOperation = declareOperation({
  tag: 41,
  name: 'transfer_from_blind',
  schema: struct('transfer_from_blind', {
    fee: asset,
    amount: asset,
    to: accountId,
    blinding_factor: blindFactor,
    inputs: blindInputs,
  }),
  fee: flatFee(500_000n),
});

export const fbaDistributeOperation = declareOperation({
  tag: 44,
  name: 'fba_distribute',
  schema: struct('fba_distribute', { fee: asset, account_id: accountId, fba_id: fbaAccumulatorId, amount: share }),
  fee: noFee(),
});

export const proxyTransferOperation = declareOperation({
  tag: 73,
  name: 'proxy_transfer',
  schema: struct('proxy_transfer', {
    proxy_memo: text,
    fee: asset,
    request_params: proxyTransferParams,
    extensions: extensions,
  }),
  fee: flatFee(100n),
});

export const inlineTransferOperation = declareOperation({
  tag: 78,
  name: 'inline_transfer',
  schema: struct('inline_transfer', {
    fee: asset,
    from: accountId,
    to: accountId,
    amount: asset,
    memo: text,
    extensions: extensions,
  }),
  fee: feeWithData(100_000n, 100_000, (op: { memo: string }) => textBytes(op.memo)),
});
