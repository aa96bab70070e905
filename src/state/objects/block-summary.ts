import { blockSummaryRecord } from '../../protocol/objects/chain.js';
import { defineObject } from '../define.js';

/** Slot for every value of a transaction's `ref_block_num`. */
export const BLOCK_SUMMARY_COUNT = 65_536;

export const blockSummaryObject = defineObject(blockSummaryRecord);
