import { ChainError, defineErrors } from '../../src/base/errors.js';
import { PrivateKey } from '../../src/crypto/private-key.js';
import type { SlotView, Turn } from '../../src/witness/decide.js';
import type { SlotPlan } from '../../src/witness/missed-slots.js';
import type { ProducedBlock, Producer } from '../../src/witness/producer.js';

export const TEST_REFUSALS = defineErrors({ test_refusal: { text: 'refused for ${why}' } });
export const WITNESS_KEY = PrivateKey.fromSeed('a witness');
export const SLOT_SEC = 3;
/** Two seconds before a slot begins. */
export const SLOTS_FROM_SEC = 1_700_000_001;

/** A chain of which nothing is known but its slots: two witnesses in turn, 1 and 2. */
export class SlotChain implements SlotView {
  headSec: number;
  aslot = 0;
  readonly keys = new Map([
    [1, WITNESS_KEY.publicKey],
    [2, WITNESS_KEY.publicKey],
  ]);
  filled = 10_000;
  refusal: ChainError | undefined;
  readonly turns: Turn[] = [];
  /** Told of the blocks. */
  producer: Producer | undefined;

  constructor(headSec: number) {
    this.headSec = headSec;
  }

  slotTime(slot: number): number {
    return slot === 0 ? 0 : Math.floor(this.headSec / SLOT_SEC) * SLOT_SEC + slot * SLOT_SEC;
  }

  slotAt(when: number): number {
    const first = this.slotTime(1);
    return when < first ? 0 : Math.floor((when - first) / SLOT_SEC) + 1;
  }

  scheduledWitness(slot: number): number {
    return ((this.aslot + slot) % 2) + 1;
  }

  plan(): SlotPlan {
    const then = new SlotChain(this.headSec);
    then.aslot = this.aslot;
    return {
      timeOf: (slot) => then.slotTime(slot),
      at: (when) => then.slotAt(when),
      witnessOf: (slot) => then.scheduledWitness(slot),
    };
  }

  signingKey(witness: number): string {
    const found = this.keys.get(witness);
    if (found === undefined) throw new ChainError(TEST_REFUSALS.test_refusal, { why: 'absence' });
    return found;
  }

  participation(): number {
    return this.filled;
  }

  produce(turn: Turn): ProducedBlock {
    if (this.refusal !== undefined) throw this.refusal;
    this.turns.push(turn);
    this.apply(turn.slotSec);
    return { number: this.turns.length, id: 'id', transactions: 0 };
  }

  /** A block of this node or of another one, as the next of the chain. */
  apply(slotSec: number): void {
    this.aslot += this.slotAt(slotSec);
    this.headSec = slotSec;
    this.producer?.headApplied(slotSec);
  }

  /** The head is what it was then. */
  undoTo({ headSec, aslot }: { readonly headSec: number; readonly aslot: number }): void {
    this.headSec = headSec;
    this.aslot = aslot;
    this.producer?.headReplaced();
  }
}
