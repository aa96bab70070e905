import type { Asset, Price } from '../../src/protocol/asset.js';
import { must } from './tables.js';

export const MAX_SUPPLY = 10n ** 17n;
const U128 = 1n << 128n;

/** Checked arithmetic of amounts: a result that does not fit refuses. */
export function share(value: bigint): bigint {
  must(value === BigInt.asIntN(64, value), 'an amount overflows');
  return value;
}

/** Unsigned with 128 bits. */
export const u128 = (value: bigint): bigint => ((value % U128) + U128) % U128;

/** An amount at a price, in the other one of its assets. */
export function times(amount: Asset, { base, quote }: Price): Asset {
  const [from, to] =
    amount.asset_id === base.asset_id ? [base, quote] : amount.asset_id === quote.asset_id ? [quote, base] : [];
  must(from !== undefined && to !== undefined, 'the price is of other assets');
  must(from.amount > 0n, 'the price divides by nothing');
  const result = u128(u128(amount.amount) * u128(to.amount)) / from.amount;
  must(result <= MAX_SUPPLY, 'the price makes too much of it');
  return { amount: result, asset_id: to.asset_id };
}

export const percentOf = (amount: bigint, percent: number): bigint => (amount * BigInt(percent)) / 10_000n;
