/** What a node has signed, kept where a kill or a loss of power does not reach it. */
export interface SlotRecord {
  /** Start of the last slot for which a block was signed, in seconds; 0 before the first. */
  readonly lastSec: number;
  /** Durable when it returns: only then may a block for the slot be signed. */
  claim(slotSec: number): void;
}
