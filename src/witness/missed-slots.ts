import type { Clock, Logger } from '../base/world.js';
import type { BlockId } from '../crypto/digests.js';
import type { Instance } from '../protocol/ids.js';
import { type Code, timeText, witnessText } from './decide.js';

/** The slots after a block, as they stood when it was the head. Times are in seconds. */
export interface SlotPlan {
  timeOf(slot: number): number;
  /** Slot that a moment lies in; 0 before the first. */
  at(timeSec: number): number;
  witnessOf(slot: number): Instance;
}

export interface MissedSlotsParts {
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly log: Pick<Logger, 'warn'>;
  readonly witnesses: ReadonlySet<Instance>;
  /** Of the head block. */
  readonly plan: () => SlotPlan;
  /** Milliseconds of processor time that this process has had so far, of all its threads. */
  readonly processorMs: () => number;
  /** Slots from before it are nothing to this node: it was not there. */
  readonly fromSec: number;
  /** For metrics: each slot that stayed empty, once. */
  readonly onMissed?: ((witness: Instance) => void) | undefined;
}

/** What block production answered at a wake-up. */
export interface Answered {
  /** As it was asked: the wall clock and half a second, cut to seconds. */
  readonly nowSec: number;
  readonly code: Code;
  /** Why no block was made, in words. */
  readonly because: string;
}

interface Made {
  readonly number: number;
  readonly id: BlockId;
  /** From the beginning of the slot until the block was there. */
  readonly afterMs: number;
}

interface WakeUp extends Answered {
  readonly processorMs: number;
}

/** Wake-ups that are remembered: an hour of them. Whoever hears of its slot later than that was cut off for long. */
const WAKE_UPS_MAX = 3600;
const REMEMBERED_MAX = 1000;
const ID_CHARS = 16;
/** Answers that only say that the slot was not this node's: not from where it stood then. */
const NOT_OURS: readonly Code[] = ['not_time_yet', 'not_my_turn'];

/**
 * Says of each slot of an own witness that the chain has passed over why this node did not fill it. Only the chain
 * knows which slots are lost, and it says so with its next block: whoever sleeps through a slot, or stands on another
 * branch meanwhile, has nothing to say at the time.
 */
export class MissedSlots {
  readonly #p: MissedSlotsParts;
  readonly #startMs: number;
  #plan: SlotPlan;
  readonly #wakeUps: WakeUp[] = [];
  /** By the beginning of the slot. */
  readonly #made = new Map<number, Made>();
  readonly #told = new Set<string>();

  constructor(parts: MissedSlotsParts) {
    this.#p = parts;
    this.#startMs = parts.processorMs();
    this.#plan = parts.plan();
  }

  wokeUp(answered: Answered): void {
    this.#wakeUps.push({ ...answered, processorMs: this.#p.processorMs() });
    if (this.#wakeUps.length > WAKE_UPS_MAX) this.#wakeUps.shift();
  }

  made(slotSec: number, { number, id }: { readonly number: number; readonly id: BlockId }): void {
    keep(this.#made, slotSec, { number, id, afterMs: Math.round(this.#p.clock.nowMs() - 1000 * slotSec) });
  }

  /** The head is another one; it has followed the one before it. */
  applied(timeSec: number): void {
    const { fromSec, witnesses } = this.#p;
    if (witnesses.size === 0) return;
    const plan = this.#plan;
    this.#plan = this.#p.plan();
    const filled = plan.at(timeSec);
    for (let slot = Math.max(1, plan.at(fromSec)); slot < filled; slot++) {
      const witness = plan.witnessOf(slot);
      if (witnesses.has(witness)) this.#tell(witness, plan.timeOf(slot), plan.timeOf(slot + 1));
    }
  }

  /** The head is the one before it again. */
  undone(): void {
    this.#plan = this.#p.plan();
  }

  #tell(witness: Instance, slotSec: number, endSec: number): void {
    const name = `${witness} ${slotSec}`;
    if (slotSec < this.#p.fromSec || this.#told.has(name)) return;
    this.#told.add(name);
    if (this.#told.size > REMEMBERED_MAX) this.#told.delete(this.#told.values().next().value as string);
    this.#p.log.warn('a slot of a witness of this node stayed empty', {
      witness: witnessText(witness),
      slot: timeText(slotSec),
      because: this.#reason(slotSec, endSec),
    });
    this.#p.onMissed?.(witness);
  }

  #reason(slotSec: number, endSec: number): string {
    const made = this.#made.get(slotSec);
    if (made !== undefined) {
      const { number, id, afterMs } = made;
      return `its block ${number} ${id.slice(0, ID_CHARS)}, made ${afterMs} ms after the slot began, is on a branch that was left`;
    }
    const during = this.#wakeUps.filter(({ nowSec }) => nowSec >= slotSec && nowSec < endSec);
    const telling = during.find(({ code }) => !NOT_OURS.includes(code));
    if (telling !== undefined) return telling.because;
    if (during.length > 0) return 'this node stood on another branch then, on which the slot was not its own';
    return this.#absence(slotSec, endSec);
  }

  /** Not one wake-up in the whole slot. */
  #absence(slotSec: number, endSec: number): string {
    // None before it is remembered: the first of all came later, or the slot is from long ago.
    const { fromSec, clock, processorMs } = this.#p;
    const start = this.#wakeUps.length < WAKE_UPS_MAX ? { nowSec: fromSec, processorMs: this.#startMs } : undefined;
    const before = this.#wakeUps.findLast(({ nowSec }) => nowSec < slotSec) ?? start;
    if (before === undefined) return 'it is too long ago to be remembered';
    const after = this.#wakeUps.find(({ nowSec }) => nowSec >= endSec);
    const { nowSec, processorMs: untilMs } = after ?? { nowSec: clock.nowMs() / 1000, processorMs: processorMs() };
    const had = ((untilMs - before.processorMs) / 1000).toFixed(1);
    return `this node stood still for ${Math.round(nowSec - before.nowSec)} s from ${timeText(before.nowSec)} on, in which it had ${had} s of processor time: the machine is too busy, it slept, or its clock was set`;
  }
}

function keep<K, V>(map: Map<K, V>, key: K, value: V): void {
  map.set(key, value);
  if (map.size > REMEMBERED_MAX) map.delete(map.keys().next().value as K);
}
