import { optional } from '../../codec/containers.js';
import { share } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import { assetId } from '../../protocol/ids.js';
import { defineObject, type ObjectOf } from '../define.js';

/** Instances: one per confidential operation. */
export const FBA_ACCUMULATOR = { transferToBlind: 0, blindTransfer: 1, transferFromBlind: 2 } as const;

export const fbaAccumulatorObject = defineObject({
  name: 'fba_accumulator',
  space: 2,
  type: 16,
  schema: struct('fba_accumulator_object', { accumulated_fba_fees: share, designated_asset: optional(assetId) }),
});
export type FbaAccumulatorObject = ObjectOf<typeof fbaAccumulatorObject>;
