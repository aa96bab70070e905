import type { Operation } from '../../src/protocol/operation-slot.js';
import { textOf } from './compare.js';
import { isSame, type Outcome, type Seen } from './outcome.js';

/** One operation, tried by the program and by the model. */
export interface Step {
  readonly operation: Operation;
  readonly program: Outcome;
  readonly model: Outcome;
}

export interface Stepped {
  readonly seed: number;
  readonly seen: Seen;
  /** Steps after which both states are compared, which takes as long as many of them. */
  readonly lookEvery: number;
  step(): Step;
  isReason(words: string, key: string): boolean;
  /** Of both states. */
  differences(): string[];
  time(): number;
  /** The same world from its beginning. */
  again(): Stepped;
}

/** What the program and the model do not agree on, if anything: the first step after which they do not. */
export function disagreement(world: Stepped, steps: number, looksEachTime = false): string | undefined {
  const { seed, seen, lookEvery } = world;
  for (let i = 0; i < steps; i++) {
    const { operation, program, model } = world.step();
    if (program.refusal === undefined) seen.accepted.add(operation[0]);
    else seen.reasons.add(program.refusal);
    const agrees = isSame(program, model, world.isReason);
    if (agrees && !looksEachTime && (i + 1) % lookEvery !== 0 && i < steps - 1) continue;
    const found = world.differences();
    if (agrees && found.length === 0) continue;
    if (!looksEachTime) return disagreement(world.again(), steps, true);
    const what = `seed ${seed}, step ${i}, time ${world.time()}, ${textOf(operation)}`;
    return [what, `program: ${textOf(program)}`, `model: ${textOf(model)}`, ...found].join('\n');
  }
  return undefined;
}
