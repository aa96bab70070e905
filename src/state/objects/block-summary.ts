import { struct } from '../../codec/struct.js';
import { blockId } from '../../protocol/keys.js';
import { defineObject, type ObjectOf } from '../define.js';

/** Slot for every value of a transaction's `ref_block_num`. */
export const BLOCK_SUMMARY_COUNT = 65_536;

export const blockSummaryObject = defineObject({
  name: 'block_summary',
  space: 2,
  type: 8,
  schema: struct('block_summary_object', { block_id: blockId }),
});
export type BlockSummaryObject = ObjectOf<typeof blockSummaryObject>;
