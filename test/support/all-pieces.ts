import type { Pieces } from '../../src/rpc/pieces/pieces.js';

/** Does the work without a pause. */
export function allPieces<T>(work: Pieces<T>): T {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}
