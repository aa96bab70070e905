import '../../src/operations/index.js';
import { ChainError } from '../../src/base/errors.js';
import { decode, encode } from '../../src/codec/binary.js';
import { runOperation } from '../../src/operations/pipeline.js';
import { definitionOf } from '../../src/operations/registered.js';
import type { Operation } from '../../src/protocol/operation-slot.js';
import { dynamicGlobalPropertyObject } from '../../src/state/objects/dynamic-global-property.js';
import { OBJECTS } from '../../src/state/objects/index.js';
import { bend } from '../fuzz/chain/kinds.js';
import { SeededRandom } from '../sim/random.js';
import type { FreeWorld } from '../support/free-world.js';
import { differences, textOf } from './compare.js';
import { MODEL_FORKS } from './forks.js';
import { Makers } from './makers.js';
import { Model } from './model.js';
import { RULES } from './rules.js';
import { sceneAt } from './scene.js';
import { Refused } from './tables.js';

const TAGS = RULES.map((one) => one.tag);
/** They only do something when the committee has proposed them. */
const PROPOSED = new Set([31, 45, 46, 58]);
/** Sums of hidden amounts are right as they are made; another value would only be a wrong sum. */
const UNBENT = new Set([39, 40, 41]);
/** After all forks, where 31 bits of seconds end, and near the end of time. */
const LATE = [1_700_000_000, 2_147_483_640, 3_000_000_000, 4_294_960_000];
const END = 0xffff_ffff;
/** All objects are compared after so many operations; where they differ, the world runs again and looks each time. */
const LOOK_EVERY = 25;
const REFUSED = 'refused';

export interface WorldResult {
  /** What the program and the model do not agree on, if anything. */
  readonly difference?: string;
  readonly accepted: ReadonlySet<number>;
}

function outcome(work: () => unknown, isRefusal: (error: unknown) => boolean): string {
  try {
    return textOf(work());
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return `${REFUSED} ${(error as Error).message}`;
  }
}

const isSame = (a: string, b: string): boolean => a === b || (a.startsWith(REFUSED) && b.startsWith(REFUSED));

function bent(operation: Operation, random: SeededRandom): Operation {
  const [tag, body] = bend(operation, { random } as Parameters<typeof bend>[1]);
  const { schema } = definitionOf(tag);
  return [tag, decode(schema, encode(schema, body as never)) as never];
}

/** Any operation at any time of history, by the program and by the model. */
export class World {
  readonly #seed: number;
  readonly #random: SeededRandom;
  readonly #w: FreeWorld;
  readonly #m: Model;
  readonly #makers: Makers;
  readonly #accepted = new Set<number>();

  constructor(seed: number) {
    this.#seed = seed;
    this.#random = new SeededRandom(seed);
    const moments = [...new Set(Object.values(MODEL_FORKS))];
    const random = this.#random;
    const start = random.chance(0.3) ? random.pick(LATE) : random.pick(moments) + random.between(-4, 1);
    this.#w = sceneAt(start, random);
    this.#m = new Model(this.#w.state, OBJECTS, RULES);
    this.#makers = new Makers(this.#m, random);
  }

  run(steps: number, looksEachTime = false): WorldResult {
    for (let i = 0; i < steps; i++) {
      this.#pass();
      const tag = this.#random.pick(TAGS);
      const made = this.#makers.operation(tag);
      const operation = this.#random.chance(0.06) && !UNBENT.has(tag) ? bent(made, this.#random) : made;
      const proposed = this.#random.chance(PROPOSED.has(tag) ? 0.7 : 0.05);
      const ours = outcome(
        () => this.#program(operation, proposed),
        (error) => error instanceof ChainError,
      );
      const theirs = outcome(
        () => this.#model(operation, proposed),
        (error) => error instanceof Refused,
      );
      if (!ours.startsWith(REFUSED)) this.#accepted.add(tag);
      const mustLook = looksEachTime || !isSame(ours, theirs) || (i + 1) % LOOK_EVERY === 0 || i === steps - 1;
      if (!mustLook) continue;
      const found = differences(this.#w.state, this.#m, OBJECTS);
      if (found.length === 0 && isSame(ours, theirs)) continue;
      if (!looksEachTime) return new World(this.#seed).run(steps, true);
      const what = `seed ${this.#seed}, step ${i}, time ${this.#m.time}, ${textOf(operation)}`;
      const difference = [what, `program: ${ours}`, `model: ${theirs}`, ...found].join('\n');
      return { difference, accepted: this.#accepted };
    }
    return { accepted: this.#accepted };
  }

  #pass(): void {
    if (!this.#random.chance(0.2)) return;
    const seconds = Math.min(this.#random.pick([1, 1, 2, 3, 10, 86_400]), END - this.#m.time);
    this.#w.pass(seconds);
    this.#m.time += seconds;
    this.#m.change(dynamicGlobalPropertyObject, 0, (o) => {
      o.time += seconds;
    });
  }

  #program(operation: Operation, proposed: boolean): unknown {
    const { state, context } = this.#w;
    definitionOf(operation[0]).validate(operation[1] as never);
    return state.nested(() => runOperation(state, structuredClone(operation), { ...context, proposed }));
  }

  #model(operation: Operation, proposed: boolean): unknown {
    this.#m.validate(operation);
    return this.#m.run(operation, { proposed });
  }
}
