import { encode } from '../../src/codec/binary.js';
import { type MemoData, memoData } from '../../src/protocol/memo.js';
import type { FeeRule } from './model.js';

/** For so many bytes. */
export const data = (bytes: number, perKbyte: bigint): bigint => (BigInt(bytes) * perKbyte) / 1024n;

export const flat = (fee: number): FeeRule<unknown> => ({ defaults: { fee }, price: (values) => values('fee') });

export const none: FeeRule<unknown> = { defaults: {}, price: () => 0n };

export const withSize = (fee: number, price_per_kbyte: number): FeeRule<unknown> => ({
  defaults: { fee, price_per_kbyte },
  price: (values, _, size) => values('fee') + data(size, values('price_per_kbyte')),
});

/** `always`: the byte that says that there is no memo is paid for as well. */
export const withMemo = (
  fee: number,
  price_per_kbyte: number,
  always = false,
): FeeRule<{ memo?: MemoData | undefined }> => ({
  defaults: { fee, price_per_kbyte },
  price(values, { memo }) {
    if (memo === undefined && !always) return values('fee');
    const bytes = 1 + (memo === undefined ? 0 : encode(memoData, memo).length);
    return values('fee') + data(bytes, values('price_per_kbyte'));
  },
});
