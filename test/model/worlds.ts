import '../../src/operations/index.js';
import { closeExpiredProposals, removeExpiredPermissions } from '../../src/chain/expirations.js';
import { decode, encode } from '../../src/codec/binary.js';
import { runOperation } from '../../src/operations/pipeline.js';
import { definitionOf } from '../../src/operations/registered.js';
import type { Operation } from '../../src/protocol/operation-slot.js';
import { proposalCreateOperation } from '../../src/protocol/operations/governance.js';
import { dynamicGlobalPropertyObject } from '../../src/state/objects/dynamic-global-property.js';
import { OBJECTS } from '../../src/state/objects/index.js';
import { bend } from '../fuzz/chain/kinds.js';
import { SeededRandom } from '../sim/random.js';
import type { FreeWorld } from '../support/free-world.js';
import { differences } from './compare.js';
import { expire } from './expirations.js';
import { MODEL_FORKS } from './forks.js';
import { Makers } from './makers.js';
import { Model } from './model.js';
import { type Moment, momentsOf } from './moments.js';
import { ofModel, ofProgram, type Seen } from './outcome.js';
import { RULES } from './rules.js';
import { sceneAt } from './scene.js';
import type { Step, Stepped } from './steps.js';

/** Proposals have more rules than others, and are in the way of many more. */
const TAGS = [...RULES.map((one) => one.tag), ...Array<number>(3).fill(proposalCreateOperation.tag)];
/** They only do something when the committee has proposed them. */
const PROPOSED = new Set([31, 45, 46, 58]);
/** Sums of hidden amounts are right as they are made; another value would only be a wrong sum. */
const UNBENT = new Set([39, 40, 41]);
/** After all forks, where 31 bits of seconds end, and near the end of time. */
const LATE = [1_700_000_000, 2_147_483_640, 3_000_000_000, 4_294_960_000];
const FORK_TIMES = [...new Set<number>(Object.values(MODEL_FORKS))];
const END = 0xffff_ffff;
/** All objects are compared after so many operations; where they differ, the world runs again and looks each time. */
const LOOK_EVERY = 25;
/** Of the moments that come, one of so many next ones is waited for: those behind it are missed. */
const NEAR = 4;

export interface SeenInWorlds extends Seen {
  /** Proposals that were carried out at the end of their review. */
  reviewed: number;
}

function bent(operation: Operation, random: SeededRandom): Operation {
  const [tag, body] = bend(operation, { random } as Parameters<typeof bend>[1]);
  const { schema } = definitionOf(tag);
  return [tag, decode(schema, encode(schema, body as never)) as never];
}

/** Any operation at any time of history, by the program and by the model. */
export class World implements Stepped {
  readonly seed: number;
  readonly seen: SeenInWorlds;
  readonly lookEvery = LOOK_EVERY;
  readonly #random: SeededRandom;
  readonly #w: FreeWorld;
  readonly #m: Model;
  readonly #makers: Makers;

  constructor(seed: number, seen: SeenInWorlds) {
    this.seed = seed;
    this.seen = seen;
    this.#random = new SeededRandom(seed);
    const random = this.#random;
    const start = random.chance(0.3) ? random.pick(LATE) : random.pick(FORK_TIMES) + random.pick([-3, -1, 0, 0, 0, 1]);
    this.#w = sceneAt(start, random);
    this.#m = new Model(this.#w.state, OBJECTS, RULES);
    this.#makers = new Makers(this.#m, random);
  }

  /** One operation by both. */
  step(): Step {
    const moment = this.#pass();
    const tag = moment?.tag ?? this.#random.pick(TAGS);
    const made = this.#makers.operation(tag, moment?.target);
    const operation = this.#random.chance(0.06) && !UNBENT.has(tag) ? bent(made, this.#random) : made;
    const proposed = this.#random.chance(PROPOSED.has(tag) ? 0.7 : 0.05);
    const program = ofProgram(() => this.#program(operation, proposed));
    const model = ofModel(() => this.#model(operation, proposed));
    return { operation, program, model };
  }

  /** The model has these operations refused in words of its own. */
  isReason(): boolean {
    return true;
  }

  differences(): string[] {
    return differences(this.#w.state, this.#m, OBJECTS);
  }

  time(): number {
    return this.#m.time;
  }

  again(): World {
    return new World(this.seed, { ...this.seen });
  }

  /** Until about a moment that something waits for: it is what should be done then. */
  #pass(): Moment | undefined {
    const random = this.#random;
    if (!random.chance(FORK_TIMES.includes(this.#m.time) ? 0.05 : 0.35)) return undefined;
    const near = momentsOf(this.#m).slice(0, NEAR);
    const moment = near.length === 0 || random.chance(0.3) ? undefined : random.pick(near);
    if (moment === undefined) this.#wait(random.pick([1, 1, 2, 3, 10, 86_400]));
    else this.#wait(moment.time - this.#m.time + random.pick([-1, 0, 0, 0, 1]));
    return moment;
  }

  #wait(wanted: number): void {
    const seconds = Math.max(0, Math.min(wanted, END - this.#m.time));
    this.#w.pass(seconds);
    this.#m.time += seconds;
    this.#m.change(dynamicGlobalPropertyObject, 0, (o) => {
      o.time += seconds;
    });
    if (this.#random.chance(0.3)) this.#expire();
  }

  /** Not always, so that what has expired is met by operations, too. */
  #expire(): void {
    const { state, context } = this.#w;
    closeExpiredProposals(state, context);
    removeExpiredPermissions(state);
    this.seen.reviewed += expire(this.#m);
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
