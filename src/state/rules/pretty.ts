import type { Asset } from '../../protocol/asset.js';
import { assetObject } from '../objects/asset.js';
import type { ReadState } from '../views.js';

/** `12.34500 GXC`, and `12 GXC` without a fraction: the form that error texts use. */
export function prettyAmount(s: ReadState, value: Asset): string {
  const asset = s.find(assetObject, value.asset_id);
  if (asset === undefined) return `${value.amount} 1.3.${value.asset_id}`;
  return `${amountText(value.amount, asset.precision)} ${asset.symbol}`;
}

/** The fraction is written with all digits, and left out when it is zero. */
export function amountText(amount: bigint, precision: number): string {
  const scale = 10n ** BigInt(precision);
  const sign = amount < 0n ? '-' : '';
  const absolute = amount < 0n ? -amount : amount;
  const whole = absolute / scale;
  const fraction = absolute % scale;
  return fraction === 0n ? `${sign}${whole}` : `${sign}${whole}.${fraction.toString().padStart(precision, '0')}`;
}
