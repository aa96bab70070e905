import { ChainError, check, defineErrors, FAMILY, InvariantError, StateLostError } from '../base/errors.js';
import { forgetOldest } from '../base/forget-oldest.js';
import { LIMITS } from '../base/limits.js';
import type { TransactionId } from '../crypto/digests.js';
import type { BlockFacts } from './facts.js';

/**
 * Errors that are no refusals: a broken invariant, or whatever else should not have been thrown. Undo frames take back
 * what the transaction or block had done, so its refusal leaves a state that is as sound as before. What must not go on
 * then is the making of blocks on a chain that this node may have misunderstood; see docs/decisions/invariants.md.
 */
export const BUG_ERRORS = defineErrors({
  transaction_met_bug: {
    ...FAMILY.unspecified,
    kind: 'bug',
    text: 'transaction ${id} has met a bug of this node, which refuses it: ${what}',
  },
  block_met_bug: {
    ...FAMILY.unspecified,
    kind: 'bug',
    text: 'block ${number} ${id} has met a bug of this node, which refuses it: ${what}',
  },
  production_halted: {
    kind: 'bug',
    text: 'this node makes no more blocks until it is started again: ${where} ${id} has met a bug of it: ${what}',
  },
});

export const BUG_PLACES = ['transaction', 'block', 'listener'] as const;

/** A bug of ours that showed itself. */
export interface Bug {
  readonly where: (typeof BUG_PLACES)[number];
  /** Of the transaction or block; for a listener the kind of what it was told. */
  readonly id: string;
  readonly error: unknown;
  /** Since then this node makes no blocks. */
  readonly isHalting: boolean;
}

export type BugListener = (bug: Bug) => void;

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/**
 * The engine gives up between any two steps when the stack is full, also in the middle of the bookkeeping of undo. The
 * depth of everything is bounded; should it happen all the same, what undo brings back is no longer certain.
 */
function isStackOverflow(error: unknown): boolean {
  return error instanceof RangeError && error.message.includes('call stack');
}

/** Turns bugs into refusals, tells of each once, and remembers when blocks must no longer be made. */
export class Bugs {
  readonly #tell: BugListener;
  readonly #told = new Set<string>();
  #halting: Bug | undefined;

  constructor(tell: BugListener) {
    this.#tell = tell;
  }

  /** The bug because of which this node makes no blocks. */
  get halting(): Bug | undefined {
    return this.#halting;
  }

  checkMayProduce(): void {
    const bug = this.#halting;
    check(bug === undefined, BUG_ERRORS.production_halted, () => ({ ...bug, what: textOf(bug?.error) }));
  }

  /** The refusal of a pending transaction. Nothing of it stays, so the node goes on. */
  ofTransaction(id: TransactionId, error: unknown): ChainError {
    const refusal = asExpected(error);
    if (refusal !== undefined) return refusal;
    this.#report({ where: 'transaction', id, error, isHalting: isStackOverflow(error) });
    return new ChainError(BUG_ERRORS.transaction_met_bug, { id, what: textOf(error) });
  }

  /** The refusal of a block, whoever has made it: other nodes may think otherwise of it. */
  ofBlock({ id, number }: BlockFacts, error: unknown): ChainError {
    const refusal = asExpected(error);
    if (refusal !== undefined) return refusal;
    this.#report({ where: 'block', id, error, isHalting: true });
    return new ChainError(BUG_ERRORS.block_met_bug, { number, id, what: textOf(error) });
  }

  /** A listener is told of what has happened already, and cannot change it. */
  ofListener(kind: string, cause: unknown): void {
    if (cause instanceof StateLostError) throw cause;
    const error = new InvariantError(`invariant broken: no listener throws: ${textOf(cause)}`, { cause });
    this.#report({ where: 'listener', id: kind, error, isHalting: false });
  }

  #report(bug: Bug): void {
    if (bug.isHalting) this.#halting ??= bug;
    const key = `${bug.where} ${bug.id} ${textOf(bug.error)}`;
    if (this.#told.has(key)) return;
    this.#told.add(key);
    forgetOldest(this.#told, LIMITS.told_bugs_max);
    this.#tell(bug);
  }
}

/** Throws on where the state itself is lost. */
function asExpected(error: unknown): ChainError | undefined {
  if (error instanceof StateLostError) throw error;
  return error instanceof ChainError ? error : undefined;
}
