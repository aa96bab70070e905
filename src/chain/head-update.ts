import { check, defineErrors } from '../base/errors.js';
import { add64, U128_MASK, wrapU32 } from '../base/int.js';
import { SKIP } from '../operations/define.js';
import { dynamicGlobalPropertyObject } from '../state/objects/dynamic-global-property.js';
import { witnessObject } from '../state/objects/witness.js';
import { witnessScheduleObject } from '../state/objects/witness-schedule.js';
import type { WriteState } from '../state/views.js';
import type { BlockFacts } from './facts.js';
import { missedSlots, slotAt } from './schedule.js';

export const HEAD_ERRORS = defineErrors({
  undo_history_full: {
    code: 3070000,
    name: 'undo_database_exception',
    title: 'undo database exception',
    text: 'The database does not have enough undo history to support a blockchain with so many missed blocks. Please add a checkpoint if you would like to continue applying blocks beyond this point.',
  },
});

/** Blocks that may wait to become irreversible. */
export const UNDO_HISTORY_MAX = 10_000;
const MISSED_INCREMENT = 4;
const MISSED_DECREMENT = 3;
const SLOT_HISTORY_BITS = 128;

/** A statistic of the node: it depends on which checkpoints were configured. */
function nextMissedCount(count: number, missed: number, number: number, lastCheckpoint: number): number {
  if (number === 1 || lastCheckpoint >= number) return 0;
  if (missed > 0) return wrapU32(count + MISSED_INCREMENT * missed);
  if (count > MISSED_INCREMENT) return count - MISSED_DECREMENT;
  return count > 0 ? count - 1 : 0;
}

function nextSlotHistory(history: bigint, missed: number): bigint {
  if (missed >= SLOT_HISTORY_BITS) return 0n;
  return (((history << 1n) + 1n) << BigInt(missed)) & U128_MASK;
}

/** The block becomes the head: from here on head time is its own. */
export function updateHead(s: WriteState, facts: BlockFacts, skip: number, lastCheckpoint: number): void {
  const { block, number } = facts;
  const head = s.single(dynamicGlobalPropertyObject);
  const missed = Math.max(slotAt(s, block.timestamp) - 1, 0);
  if (missed > 0) countMissed(s, facts, head.current_aslot, missed);
  const { id } = facts;
  const missedCount = nextMissedCount(head.recently_missed_count, missed, number, lastCheckpoint);
  const slotsFilled = nextSlotHistory(head.recent_slots_filled, missed);
  const o = s.edit(dynamicGlobalPropertyObject, head);
  o.recently_missed_count = missedCount;
  o.head_block_number = number;
  o.head_block_id = id;
  o.time = block.timestamp;
  o.current_witness = block.witness;
  o.recent_slots_filled = slotsFilled;
  o.current_aslot += BigInt(missed) + 1n;
  if ((skip & SKIP.undoHistoryCheck) !== 0) return;
  const waiting = head.head_block_number - head.last_irreversible_block_num;
  check(waiting < UNDO_HISTORY_MAX, HEAD_ERRORS.undo_history_full);
}

function countMissed(s: WriteState, facts: BlockFacts, aslot: bigint, missed: number): void {
  const list = s.single(witnessScheduleObject).current_shuffled_witnesses;
  for (const [id, count] of missedSlots(list, aslot, missed)) {
    if (id === facts.block.witness) continue;
    s.modify(witnessObject, s.get(witnessObject, id), (o) => {
      o.total_missed = add64(o.total_missed, BigInt(count));
    });
  }
}
