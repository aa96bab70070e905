import { invariant } from '../base/errors.js';
import { type Asset, makeAsset, type Price } from '../protocol/asset.js';
import type { FeeSchedule } from '../protocol/chain-parameters.js';
import { coreTarget, type FeeTarget } from '../protocol/fee-target.js';
import { CORE_ASSET, type Instance, ORIGINAL_CORE_ASSET } from '../protocol/ids.js';
import type { Operation } from '../protocol/operation-slot.js';
import type { OperationRules } from './rules.js';

/** Either side of a rate may hold the core asset: the reference fails where it is not the base. */
export function feeTarget(core: Instance, rate: Price): FeeTarget {
  // Quirk: who pays in the core asset of old pays in that of today, one to one.
  const isOld = rate.base.asset_id === ORIGINAL_CORE_ASSET && rate.quote.asset_id === CORE_ASSET;
  if (core === CORE_ASSET && isOld) return coreTarget(core);
  const isTurned = rate.base.asset_id !== core && rate.quote.asset_id === core;
  return { core, rate: isTurned ? { base: rate.quote, quote: rate.base } : rate };
}

export function withFee([tag, body]: Operation, fee: Asset): Operation {
  return [tag, { ...body, fee }];
}

/** Operations with their fees by the schedule, in the asset of the target. */
export function withFees(
  rules: Pick<OperationRules, 'fee'>,
  operations: readonly Operation[],
  schedule: FeeSchedule,
  target: FeeTarget,
): Operation[] {
  return operations.map((operation) => withFee(operation, rules.fee(schedule, operation, target)));
}

export function totalFee(operations: readonly Operation[], asset: Instance): Asset {
  let total = 0n;
  for (const [, { fee }] of operations) {
    invariant(fee.asset_id === asset, 'all fees of a builder are set together');
    total += fee.amount;
  }
  return makeAsset(total, asset);
}
