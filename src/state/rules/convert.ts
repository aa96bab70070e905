import { divTrunc64, mul64, wrapI64 } from '../../base/int.js';
import type { Instance } from '../../protocol/ids.js';
import { assetObject } from '../objects/asset.js';
import type { ReadState } from '../views.js';

/**
 * Value of a core amount in another asset, for the fees of contract calls.
 * Quirk: the rate is read as base = core whichever way it is stored, so rates stored the other way round give inverted
 * results.
 */
export function fromCore(s: ReadState, core: bigint, target: Instance): bigint {
  if (target === s.coreAsset) return core;
  const { base, quote } = s.get(assetObject, target).options.core_exchange_rate;
  if (s.active('HF_1013')) return divTrunc64(mul64(core, quote.amount), base.amount);
  // The double division is part of the old rule: an IEEE-754 quotient, truncated to 64 bits.
  const rate = Number(base.amount) / Number(quote.amount); // nondet-ok: IEEE-754 division is exactly defined
  // A rate without an end has no integer at all; here it refuses as a division by zero does.
  return divTrunc64(core, Number.isFinite(rate) ? wrapI64(BigInt(Math.trunc(rate))) : 0n);
}
