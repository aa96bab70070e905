import { equalBytes } from '../../base/bytes.js';
import { check, defineErrors, type ErrorRow } from '../../base/errors.js';
import { add64 } from '../../base/int.js';
import { encode } from '../../codec/binary.js';
import { rangeInfo } from '../../crypto/range-header.js';
import { SHARE_SUPPLY_MAX } from '../../protocol/asset.js';
import { type Authority, authority, isImpossible } from '../../protocol/authority.js';
import type { Instance } from '../../protocol/ids.js';
import type { blindInput, blindOutput } from '../../protocol/operations/transfers.js';
import { accountObject } from '../../state/objects/account.js';
import { assetObject } from '../../state/objects/asset.js';
import { assetDynamicDataObject } from '../../state/objects/asset-dynamic-data.js';
import { type BlindedBalanceObject, blindedBalanceObject } from '../../state/objects/blinded-balance.js';
import { fbaAccumulatorObject } from '../../state/objects/fba-accumulator.js';
import { configuredFbaAsset } from '../../state/rules/fba.js';
import type { ReadState, WriteState } from '../../state/views.js';

/** What the three confidential operations have in common. Their amounts are hidden in commitments. */
export const CONFIDENTIAL_ERRORS = defineErrors({
  blind_amount_not_positive: { text: 'amount.amount > 0: ', hint: 'the amount must be positive' },
  blind_owner_impossible: {
    text: '!outputs[i].owner.is_impossible(): ',
    hint: 'the weights of an owner do not reach its threshold',
  },
  blind_range: {
    text: 'info.max_value <= GRAPHENE_MAX_SHARE_SUPPLY: ',
    hint: 'the range proof allows more than any asset can have',
  },
  blind_other_asset: {
    text: 'itr->asset_id == o.fee.asset_id: ',
    hint: 'commitment ${commitment} is of another asset than the fee',
  },
  blind_other_owner: { text: 'itr->owner == in.owner: ', hint: 'commitment ${commitment} has another owner' },
  blind_supply: { text: 'obj.confidential_supply >= 0: ', hint: 'there is less of the asset hidden than is taken out' },
});

/** For the refusals of operations, each of which says it in its own way. */
export const UNKNOWN_COMMITMENT = 'there is no commitment ${commitment}';

type BlindInput = ReturnType<typeof blindInput.default>;
type BlindOutput = ReturnType<typeof blindOutput.default>;

/** Strictly ascending by their bytes, hence no commitment twice. */
export function checkInputs(inputs: readonly { commitment: string }[], unsorted: ErrorRow): void {
  for (let i = 1; i < inputs.length; i++) checkAscending(inputs, i, unsorted);
}

/** As for inputs; the order and the owner of one output are looked at before the next output is. */
export function checkOutputs(outputs: readonly { commitment: string; owner: Authority }[], unsorted: ErrorRow): void {
  outputs.forEach(({ owner }, i) => {
    if (i > 0) checkAscending(outputs, i, unsorted);
    check(!isImpossible(owner), CONFIDENTIAL_ERRORS.blind_owner_impossible);
  });
}

function checkAscending(list: readonly { commitment: string }[], at: number, unsorted: ErrorRow): void {
  check((list[at - 1]?.commitment ?? '') < (list[at]?.commitment ?? ''), unsorted);
}

/** A single output is bounded by what comes in; several need a proof each that none is negative. */
export function checkRanges(outputs: readonly BlindOutput[]): void {
  if (outputs.length < 2) return;
  for (const { range_proof } of outputs) {
    check(rangeInfo(range_proof).maxValue <= SHARE_SUPPLY_MAX, CONFIDENTIAL_ERRORS.blind_range);
  }
}

export function commitments(list: readonly { commitment: string }[]): string[] {
  return list.map((item) => item.commitment);
}

export function evaluateOutputOwners(s: ReadState, outputs: readonly BlindOutput[]): void {
  for (const { owner } of outputs) for (const [account] of owner.account_auths) s.get(accountObject, account);
}

export function evaluateInputs(
  s: ReadState,
  inputs: readonly BlindInput[],
  asset_id: Instance,
  unknown: ErrorRow,
): readonly Readonly<BlindedBalanceObject>[] {
  return inputs.map((input) => {
    const balance = s.findBy(blindedBalanceObject.by.commitment, input.commitment);
    const data = { commitment: input.commitment };
    check(balance !== undefined, unknown, data);
    check(balance.asset_id === asset_id, CONFIDENTIAL_ERRORS.blind_other_asset, data);
    const isOwner = equalBytes(encode(authority, balance.owner), encode(authority, input.owner));
    check(isOwner, CONFIDENTIAL_ERRORS.blind_other_owner, data);
    return balance;
  });
}

export function removeInputs(s: WriteState, inputs: readonly Readonly<BlindedBalanceObject>[]): void {
  for (const input of inputs) s.remove(blindedBalanceObject, input);
}

export function createOutputs(s: WriteState, outputs: readonly BlindOutput[], asset_id: Instance): void {
  for (const { commitment: hidden, owner } of outputs) {
    s.create(blindedBalanceObject, { commitment: hidden, asset_id, owner });
  }
}

/** How much of the asset is hidden, in all. */
export function adjustConfidentialSupply(s: WriteState, asset_id: Instance, delta: bigint): void {
  const dynamic = s.get(assetDynamicDataObject, s.get(assetObject, asset_id).dynamic_asset_data_id);
  const supply = add64(dynamic.confidential_supply, delta);
  check(supply >= 0n, CONFIDENTIAL_ERRORS.blind_supply);
  s.modify(assetDynamicDataObject, dynamic, (o) => {
    o.confidential_supply = supply;
  });
}

/** Fees of confidential operations feed an accumulator, if somebody has set it up; otherwise they go the common way. */
export function bookToAccumulator(instance: Instance): (s: WriteState, core: bigint) => boolean {
  return (s, core) => {
    if (!s.active('HF_563')) return false;
    const accumulator = s.get(fbaAccumulatorObject, instance);
    if (configuredFbaAsset(s, accumulator.designated_asset) === undefined) return false;
    s.modify(fbaAccumulatorObject, accumulator, (o) => {
      o.accumulated_fba_fees = add64(o.accumulated_fba_fees, core);
    });
    return true;
  };
}
