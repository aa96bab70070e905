import { invariant } from '../base/errors.js';
import { wrapU64 } from '../base/int.js';
import type { Instance } from '../protocol/ids.js';
import { dynamicGlobalPropertyObject, MAINTENANCE_FLAG } from '../state/objects/dynamic-global-property.js';
import { globalPropertyObject } from '../state/objects/global-property.js';
import { witnessScheduleObject } from '../state/objects/witness-schedule.js';
import type { ReadState } from '../state/views.js';

/** Who may produce when. Slots are counted from the head block: slot 1 is the next one. */

/** Start of a slot in seconds; slot 0 is no moment at all. */
export function slotTime(s: ReadState, slot: number): number {
  if (slot === 0) return 0;
  const head = s.single(dynamicGlobalPropertyObject);
  const { block_interval: interval, maintenance_skip_slots } = s.single(globalPropertyObject).parameters;
  // The first block is not aligned: the genesis time is its base as it stands.
  if (head.head_block_number === 0) return head.time + slot * interval;
  const base = Math.floor(head.time / interval) * interval;
  const skipped = (head.dynamic_flags & MAINTENANCE_FLAG) !== 0 ? maintenance_skip_slots : 0;
  return base + (slot + skipped) * interval;
}

/** Slot that a moment lies in; 0 when it lies before the next slot. */
export function slotAt(s: ReadState, when: number): number {
  const first = slotTime(s, 1);
  if (when < first) return 0;
  return Math.floor((when - first) / s.single(globalPropertyObject).parameters.block_interval) + 1;
}

/** Place in the list of the witness of a slot. */
function placeOfSlot(aslot: bigint, slot: number, length: number): number {
  return (Number(aslot % BigInt(length)) + (slot % length)) % length;
}

export function scheduledWitness(s: ReadState, slot: number): Instance {
  const list = s.single(witnessScheduleObject).current_shuffled_witnesses;
  invariant(list.length > 0, 'the schedule names at least one witness');
  const aslot = s.single(dynamicGlobalPropertyObject).current_aslot;
  return list[placeOfSlot(aslot, slot, list.length)] as Instance;
}

/** The slots that follow a block. */
export interface SlotPlan {
  timeOf(slot: number): number;
  at(when: number): number;
  witnessOf(slot: number): Instance;
}

/** As they stand now: later blocks do not change what this says. */
export function slotPlan(s: ReadState): SlotPlan {
  const first = slotTime(s, 1);
  const { block_interval: interval } = s.single(globalPropertyObject).parameters;
  const list = s.single(witnessScheduleObject).current_shuffled_witnesses;
  const aslot = s.single(dynamicGlobalPropertyObject).current_aslot;
  return {
    timeOf: (slot) => first + (slot - 1) * interval,
    at: (when) => (when < first ? 0 : Math.floor((when - first) / interval) + 1),
    witnessOf: (slot) => list[placeOfSlot(aslot, slot, list.length)] as Instance,
  };
}

/**
 * How many of the slots 1 … `missed` each witness had. In closed form: a chain may have slept for years.
 * Witnesses without any are left out.
 */
export function missedSlots(list: readonly Instance[], aslot: bigint, missed: number): Map<Instance, number> {
  const counts = new Map<Instance, number>();
  const rounds = Math.floor(missed / list.length);
  if (rounds > 0) for (const witness of list) counts.set(witness, rounds);
  for (let slot = 1; slot <= missed % list.length; slot++) {
    const witness = list[placeOfSlot(aslot, slot, list.length)] as Instance;
    counts.set(witness, (counts.get(witness) ?? 0) + 1);
  }
  return counts;
}

const PARTICIPATION_UNIT = 10_000;

/** Share of the last 128 slots that were filled, of 10,000. */
export function participation(recentSlotsFilled: bigint): number {
  let filled = 0;
  for (let rest = recentSlotsFilled; rest > 0n; rest >>= 1n) filled += Number(rest & 1n);
  return Math.floor((PARTICIPATION_UNIT * filled) / 128);
}

const MULTIPLIER = 2_685_821_657_736_338_717n;

/** The pseudo-random order that the chain's nodes share; the seed is the time of the block that shuffles. */
export function shuffle(ids: readonly Instance[], headTime: number): Instance[] {
  const list = [...ids];
  const seed = BigInt(headTime) << 32n;
  for (let i = 0; i < list.length; i++) {
    let k = wrapU64(seed + BigInt(i) * MULTIPLIER);
    k ^= k >> 12n;
    k ^= wrapU64(k << 25n);
    k ^= k >> 27n;
    k = wrapU64(k * MULTIPLIER);
    const j = i + Number(k % BigInt(list.length - i));
    [list[i], list[j]] = [list[j] as Instance, list[i] as Instance];
  }
  return list;
}
