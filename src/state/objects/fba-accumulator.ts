import { fbaAccumulatorRecord } from '../../protocol/objects/accounts-and-assets.js';
import { defineObject } from '../define.js';

/** Instances: one per confidential operation. */
export const FBA_ACCUMULATOR = { transferToBlind: 0, blindTransfer: 1, transferFromBlind: 2 } as const;

export const fbaAccumulatorObject = defineObject(fbaAccumulatorRecord);
