import { check, defineErrors } from '../base/errors.js';
import type { BlockId } from '../crypto/digests.js';
import { SKIP } from '../operations/define.js';
import type { BlockFacts } from './facts.js';

export const CHECKPOINT_ERRORS = defineErrors({
  block_not_checkpoint: {
    text: 'next_block.id() == itr->second: Block did not match checkpoint',
    hint: 'the block is ${block_id}, the checkpoint says ${checkpoint}',
  },
});

/**
 * What a block holds is remembered where it was to be: it may not have expired yet, and would be taken once more behind the
 * checkpoint. What a proposal asserts decides whether the proposal does anything.
 */
const ALWAYS_LOOKED_AT = SKIP.transactionDupeCheck | SKIP.assertEvaluation;

/** Blocks that the operator vouches for. What is read from files up to the last one is applied without checks. */
export class Checkpoints {
  readonly #ids: ReadonlyMap<number, BlockId>;
  /** Number of the last one, 0 if there is none. */
  readonly last: number;

  constructor(ids: ReadonlyMap<number, BlockId> = new Map()) {
    this.#ids = ids;
    this.last = Math.max(0, ...ids.keys());
  }

  idOf(number: number): BlockId | undefined {
    return this.#ids.get(number);
  }

  /** Every check that can be is left out up to the last checkpoint, unless somebody has sent the block. */
  skipFor({ number, keepsChecks }: Pick<BlockFacts, 'number' | 'keepsChecks'>, skip: number): number {
    return this.last > 0 && number <= this.last && !keepsChecks ? ~ALWAYS_LOOKED_AT | skip : skip;
  }
}

export function checkCheckpoint(checkpoints: Checkpoints, facts: BlockFacts): void {
  const wanted = checkpoints.idOf(facts.number);
  if (wanted === undefined) return;
  check(facts.id === wanted, CHECKPOINT_ERRORS.block_not_checkpoint, { checkpoint: wanted, block_id: facts.id });
}
