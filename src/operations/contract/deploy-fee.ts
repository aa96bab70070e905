import { withDefault } from '../../codec/containers.js';
import { u64 } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import type { ValueOf } from '../../codec/type.js';
import { dataFee } from '../define.js';

export const DEPLOY_FEE = 100_000n;
export const DEPLOY_PRICE_PER_KBYTE = 100_000n;

const schema = struct('fee_parameters_type', {
  fee: withDefault(u64, () => DEPLOY_FEE),
  price_per_kbyte: withDefault(u64, () => DEPLOY_PRICE_PER_KBYTE),
});

/** A base and a price for the whole operation's bytes; unlike elsewhere the price has 64 bits. */
export const deployFee = {
  schema,
  calc: (parameters: ValueOf<typeof schema>, _op: unknown, size: () => number): bigint =>
    parameters.fee + dataFee(size(), parameters.price_per_kbyte),
};
