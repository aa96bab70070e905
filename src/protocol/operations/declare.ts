import { packedSize } from '../../codec/binary.js';
import { optional, withDefault } from '../../codec/containers.js';
import { text, u32, u64 } from '../../codec/scalars.js';
import { type Fields, type StructType, type StructValue, struct } from '../../codec/struct.js';
import type { Type } from '../../codec/type.js';
import { type MemoData, memoData } from '../memo.js';

/**
 * What everybody has to know of an operation who writes, reads, prices or signs one: its bytes, its JSON, its fee. Who
 * pays, what is checked and what it does is the business of `src/operations`, where each has a module that begins with
 * its declaration; a wallet or a service needs none of that.
 */
export interface OperationDeclaration<F extends Fields, P extends Fields> {
  readonly tag: number;
  /** As the family writes it, e.g. `proposal_create`. */
  readonly name: string;
  readonly schema: StructType<F>;
  readonly fee: FeeKind<P, StructValue<F>>;
}

// biome-ignore lint/suspicious/noExplicitAny: some operation; its declaration knows which
export type AnyOperationDeclaration = OperationDeclaration<any, any>;

export function declareOperation<F extends Fields, P extends Fields>(
  declaration: OperationDeclaration<F, P>,
): OperationDeclaration<F, P> {
  return declaration;
}

/** The few ways in which operations are priced. Amounts are the built-in defaults, in the core asset's smallest unit. */

const PARAMETERS = 'fee_parameters_type';

export interface FeeKind<P extends Fields, Op> {
  readonly schema: StructType<P>;
  /** Fee by the schedule's entry, before scaling. `size` is the packed size of the operation without its tag. */
  calc(parameters: StructValue<P>, op: Op, size: () => number): bigint;
}

const amountField = (amount: bigint, type: Type<bigint> = u64): Type<bigint> => withDefault(type, () => amount);
const priceField = (price: number): Type<number> => withDefault(u32, () => price);

/** Pass `i64` as the type where the family declares the parameter signed: its JSON turns into text earlier. */
export function flatFee(amount: bigint, type?: Type<bigint>): FeeKind<{ fee: Type<bigint> }, unknown> {
  return {
    schema: struct(PARAMETERS, { fee: amountField(amount, type) }),
    calc: (parameters) => parameters.fee,
  };
}

/** No parameters at all: the fee is always 0. */
export function noFee(): FeeKind<Record<never, never>, unknown> {
  return { schema: struct(PARAMETERS, {}), calc: () => 0n };
}

type DataParameters = { fee: Type<bigint>; price_per_kbyte: Type<number> };

/** A base and a price for the bytes that `bytes` counts. */
export function feeWithData<Op>(
  amount: bigint,
  pricePerKbyte: number,
  bytes: (op: Op, size: () => number) => number,
  type?: Type<bigint>,
): FeeKind<DataParameters, Op> {
  return {
    schema: struct(PARAMETERS, { fee: amountField(amount, type), price_per_kbyte: priceField(pricePerKbyte) }),
    calc: (parameters, op, size) => parameters.fee + dataFee(bytes(op, size), parameters.price_per_kbyte),
  };
}

/** A base and a price for the whole operation's bytes. */
export function feeBySize(amount: bigint, pricePerKbyte: number): FeeKind<DataParameters, unknown> {
  return feeWithData(amount, pricePerKbyte, (_, size) => size());
}

/** floor(bytes * price per kilobyte / 1024) */
export function dataFee(bytes: number, pricePerKbyte: number | bigint): bigint {
  return (BigInt(bytes) * BigInt(pricePerKbyte)) / 1024n;
}

const optionalMemo = optional(memoData);

/** Bytes of an optional memo, its presence byte included. */
export function memoBytes(memo: MemoData | undefined): number {
  return packedSize(optionalMemo, memo);
}

/** An operation that may carry a memo. */
export interface WithMemo {
  readonly memo: MemoData | undefined;
}

/** A base and a price for the memo, if there is one. */
export function feeWithMemo(amount: bigint, pricePerKbyte: number): FeeKind<DataParameters, WithMemo> {
  return feeWithData(amount, pricePerKbyte, (op) => (op.memo === undefined ? 0 : memoBytes(op.memo)));
}

/** Bytes of a text as it goes over the wire, its length prefix included. */
export function textBytes(value: string): number {
  return packedSize(text, value);
}
