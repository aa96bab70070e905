import '../../../src/operations/index.js';
import type { ContractEngine, ContractSession } from '../../../src/operations/contract/engine.js';
import type { OperationContext } from '../../../src/operations/define.js';
import { runOperation } from '../../../src/operations/pipeline.js';
import { definitionOf } from '../../../src/operations/registered.js';
import type { Operation, OperationBody } from '../../../src/protocol/operation-slot.js';
import type { Transaction } from '../../../src/protocol/transaction.js';
import { dynamicGlobalPropertyObject } from '../../../src/state/objects/dynamic-global-property.js';
import { OBJECTS } from '../../../src/state/objects/index.js';
import { SeededRandom } from '../../sim/random.js';
import type { BareWorld } from '../../support/bare-world.js';
import { testEngine } from '../../support/engine.js';
import { differences } from '../compare.js';
import { type Outcome, ofModel, ofProgram, type Seen } from '../outcome.js';
import type { Step, Stepped } from '../steps.js';
import { Refused } from '../tables.js';
import type { Around } from './arguments.js';
import { ContractMakers } from './makers.js';
import { type ContractHow, ContractModel } from './model.js';
import { isReason } from './reasons.js';
import { CONTRACT_RULES } from './rules.js';
import { contractScene, idOfBlock } from './scene.js';

/** Holds what it has compiled, for all worlds. */
const ENGINE = testEngine();
const MANY = 2 ** 30;
/** All objects are compared after so many operations; where they differ, the world runs again and looks each time. */
const LOOK_EVERY = 25;

/** Says what the last call has taken, which no model knows: never nothing. */
class MeasuringEngine implements ContractEngine {
  #last: ContractSession | undefined;

  validate(code: Uint8Array): void {
    ENGINE.validate(code);
  }

  begin(...args: Parameters<ContractEngine['begin']>): ContractSession {
    this.#last = ENGINE.begin(...args);
    return this.#last;
  }

  /** Also of one that could not be paid then. */
  get cpuTimeUs(): number {
    return this.#last?.cpuTimeUs ?? 1;
  }
}

/** Contracts by the program and by the model, while forks come. */
export class ContractModelWorld implements Stepped {
  readonly seed: number;
  readonly seen: Seen;
  readonly lookEvery = LOOK_EVERY;
  readonly isReason = isReason;
  readonly #random: SeededRandom;
  readonly #w: BareWorld;
  readonly #m: ContractModel;
  readonly #makers: ContractMakers;
  readonly #engine = new MeasuringEngine();

  constructor(seed: number, seen: Seen) {
    this.seed = seed;
    this.seen = seen;
    this.#random = new SeededRandom(seed);
    const { w, forks, people, contracts } = contractScene(this.#random, seed);
    this.#w = w;
    this.#m = new ContractModel(w.state, CONTRACT_RULES, forks, idOfBlock);
    const failing: Around['failing'] = (who, data) => this.#m.failing(who, data);
    this.#makers = new ContractMakers(this.#m, { random: this.#random, people, contracts, failing });
  }

  /** One operation by both. */
  step(): Step {
    if (this.#random.chance(0.3)) this.#pass(this.#random.pick([1, 3, 20]));
    const operation = this.#operation();
    const how = this.#how(operation);
    const program = this.#program(operation, how);
    const model = this.#model(operation, { ...how, billedCpuUs: how.billedCpuUs || this.#engine.cpuTimeUs });
    return { operation, program, model };
  }

  differences(): string[] {
    return differences(this.#w.state, this.#m, OBJECTS);
  }

  time(): number {
    return this.#m.time;
  }

  again(): ContractModelWorld {
    return new ContractModelWorld(this.seed, this.seen);
  }

  #operation(): Operation {
    const [tag, given] = this.#makers.make();
    const body = { ...(definitionOf(tag).schema.default() as object), ...given } as unknown as OperationBody;
    let required = 0n;
    try {
      required = this.#m.requiredFee([tag, body]);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
    }
    body.fee = this.#makers.fee(required);
    return [tag, body];
  }

  #how(operation: Operation): ContractHow {
    const transaction: Transaction = {
      ref_block_num: this.#random.below(2 ** 16),
      ref_block_prefix: this.#random.below(2 ** 32),
      expiration: this.#m.time + this.#random.below(100),
      operations: [operation],
      extensions: [],
    };
    return {
      proposed: false,
      billedCpuUs: this.#random.chance(0.1) ? 0 : 1 + this.#random.below(1000),
      transaction: this.#random.chance(0.97) ? transaction : undefined,
    };
  }

  #program(operation: Operation, { billedCpuUs, transaction }: ContractHow): Outcome {
    const { state } = this.#w;
    const context = {
      ...this.#w.context,
      engine: this.#engine,
      billedCpuUs,
      transaction,
      contractMemos: { bytes: 0, bytesMax: MANY },
      contractArguments: { bytes: 0, bytesMax: MANY },
      blockId: idOfBlock,
      run: (s, issued, how) => runOperation(s, issued, { ...context, ...how }),
    } as OperationContext;
    return ofProgram(() => {
      definitionOf(operation[0]).validate(operation[1] as never);
      return state.nested(() => runOperation(state, structuredClone(operation), context));
    });
  }

  #model(operation: Operation, how: ContractHow): Outcome {
    return ofModel(() => {
      this.#m.validate(operation);
      return this.#m.run(operation, how);
    });
  }

  #pass(seconds: number): void {
    this.#w.pass(seconds);
    this.#m.time += seconds;
    this.#m.change(dynamicGlobalPropertyObject, 0, (o) => {
      o.time += seconds;
    });
  }
}
