import '../../../src/operations/index.js';
import { runOperation } from '../../../src/operations/pipeline.js';
import { definitionOf } from '../../../src/operations/registered.js';
import type { Operation, OperationBody } from '../../../src/protocol/operation-slot.js';
import type { ObjectDef, StateObject } from '../../../src/state/define.js';
import { dynamicGlobalPropertyObject } from '../../../src/state/objects/dynamic-global-property.js';
import { OBJECTS } from '../../../src/state/objects/index.js';
import { lockBalanceObject } from '../../../src/state/objects/lock-balance.js';
import { stakingObject } from '../../../src/state/objects/staking.js';
import { witnessObject } from '../../../src/state/objects/witness.js';
import { SeededRandom } from '../../sim/random.js';
import type { BareWorld } from '../../support/bare-world.js';
import { differences } from '../compare.js';
import { type Outcome, ofModel, ofProgram, type Seen } from '../outcome.js';
import type { Step, Stepped } from '../steps.js';
import { Refused } from '../tables.js';
import { Choices, I64, type Maker } from './choices.js';
import { MARKET_MAKERS } from './market-makers.js';
import { type OwnForks, OwnModel } from './model.js';
import { MONEY_MAKERS } from './money-makers.js';
import { NODE_MAKERS } from './node-makers.js';
import { isReason } from './reasons.js';
import { ROLE_MAKERS } from './role-makers.js';
import { OWN_RULES } from './rules.js';
import { ownScene } from './scene.js';

const MAKERS: Readonly<Record<number, Maker>> = { ...ROLE_MAKERS, ...NODE_MAKERS, ...MONEY_MAKERS, ...MARKET_MAKERS };
export const TAGS = OWN_RULES.map(({ tag }) => tag);
/** What needs others before it has come far, or has much to do wrong, comes more often. */
const OFTEN = [55, 55, 55, 55, 56, 57, 57, 57, 57, 57, 59, 59, 59, 63, 65, 67, 70, 71, 71, 71, 73, 73, 73, 73].concat([
  80, 80, 80, 80, 80, 80, 81, 81, 81, 81, 82, 82, 83, 84,
]);
const RARE = [47, 48, 49, 50, 51, 52, 53, 54];
const DRAWN = [...TAGS.flatMap((tag) => (RARE.includes(tag) ? [tag] : [tag, tag, tag])), ...OFTEN, ...OFTEN];
/** They do nothing anywhere else. */
const PROPOSED = new Set([31, 58, 62, 64, 66, 68, 69]);
const PAYMENT = 57;
const COMMISSION = 83;
const DAY_SEC = 86_400;
const END = 2 ** 32 - 1_000_000;
const LONG_SEC = 200_000;
/** All objects are compared after so many operations; where they differ, the world runs again and looks each time. */
const LOOK_EVERY = 80;

/** The chain's own operations by the program and by the model, while time passes its borders. */
export class OwnWorld implements Stepped {
  readonly seed: number;
  readonly seen: Seen;
  readonly lookEvery = LOOK_EVERY;
  readonly isReason = isReason;
  readonly #random: SeededRandom;
  readonly #w: BareWorld;
  readonly #m: OwnModel;
  readonly #forks: OwnForks;
  readonly #choices: Choices;

  constructor(seed: number, seen: Seen) {
    this.seed = seed;
    this.seen = seen;
    this.#random = new SeededRandom(seed);
    const { w, forks, people } = ownScene(this.#random);
    this.#w = w;
    this.#forks = forks;
    this.#m = new OwnModel(w.state, OWN_RULES, forks);
    this.#choices = new Choices(this.#m, this.#random, people);
  }

  /** One operation by both. */
  step(): Step {
    this.#pass();
    this.#disturb();
    const operation = this.#operation();
    const proposed = this.#random.chance(PROPOSED.has(operation[0]) ? 0.95 : 0.2);
    const program = this.#program(operation, proposed);
    const model = this.#model(operation, proposed);
    return { operation, program, model };
  }

  differences(): string[] {
    return differences(this.#w.state, this.#m, OBJECTS);
  }

  time(): number {
    return this.#m.time;
  }

  again(): OwnWorld {
    return new OwnWorld(this.seed, this.seen);
  }

  #program(operation: Operation, proposed: boolean): Outcome {
    const { state, context } = this.#w;
    return ofProgram(() => {
      definitionOf(operation[0]).validate(operation[1] as never);
      return state.nested(() => runOperation(state, structuredClone(operation), { ...context, proposed }));
    });
  }

  #model(operation: Operation, proposed: boolean): Outcome {
    return ofModel(() => {
      this.#m.validate(operation);
      return this.#m.run(operation, { proposed });
    });
  }

  // Operations and their fees

  #operation(): Operation {
    const tag = this.#random.pick(this.#isCommissionDue() && this.#random.chance(0.4) ? [COMMISSION] : DRAWN);
    const given = (MAKERS[tag] as Maker)(this.#choices);
    const body = { ...(definitionOf(tag).schema.default() as object), ...given } as unknown as OperationBody;
    body.fee = { amount: this.#fee([tag, body]), asset_id: this.#feeAsset() };
    return [tag, body];
  }

  /** Within a second of the moment from which a witness may change it again. */
  #isCommissionDue(): boolean {
    const next = this.#m.time - this.#m.parameter(12, 'set_commission_interval', 604_800);
    return this.#m.all(witnessObject).some((row) => Math.abs(next - row.commission_update_time) <= 1);
  }

  #feeAsset(): number {
    return this.#random.chance(0.9) ? this.#m.core : this.#random.pick([0, 1, 2, 3, 99]);
  }

  #fee(operation: Operation): bigint {
    const random = this.#random;
    if (random.chance(0.04)) return random.pick([10n ** 8n, 10n ** 12n, I64]);
    if (operation[0] === PAYMENT && random.chance(0.6)) return random.pick([100n, 101n, 7n, 1_000_000n, I64]);
    let required = 0n;
    try {
      required = this.#m.requiredFee(operation);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
    }
    if (random.chance(0.8)) return required;
    return random.pick([required + 1n, required - 1n, required * 3n + 7n, 0n, -1n]);
  }

  // Time, and what blocks would change

  #borders(): number[] {
    const m = this.#m;
    const wait = m.parameter(12, 'set_commission_interval', 604_800);
    const moments = [
      ...m.all(stakingObject).map((row) => (row.create_date_time + row.staking_days * DAY_SEC) % 2 ** 32),
      ...m.all(lockBalanceObject).map((row) => row.create_date_time + row.lock_days * DAY_SEC),
      ...Object.values(this.#forks),
    ];
    moments.push(
      ...m.all(witnessObject).flatMap((row) => new Array<number>(3).fill(row.commission_update_time + wait)),
    );
    return moments.flatMap((moment) => [moment - 1, moment, moment + 1]);
  }

  #pass(): void {
    const random = this.#random;
    if (!random.chance(0.3)) return;
    const now = this.#m.time;
    const soon = this.#borders()
      .map((moment) => moment - now)
      .filter((seconds) => seconds > 0 && now + seconds < END && (seconds < LONG_SEC || random.chance(0.05)));
    const seconds = random.pick([1, 1, 2, 3, 29, 60, 100, 1000, DAY_SEC - 1, DAY_SEC, DAY_SEC + 1, ...soon]);
    if (now + seconds >= END) return;
    this.#w.pass(seconds);
    this.#m.time += seconds;
    this.#m.change(dynamicGlobalPropertyObject, 0, (o) => {
      o.time += seconds;
    });
  }

  #disturb(): void {
    const random = this.#random;
    const witness = random.chance(0.03) ? this.#choices.row(witnessObject) : undefined;
    if (witness !== undefined) {
      const changes = { is_banned: random.chance(0.7), total_missed: BigInt(random.below(100)) };
      this.#change(witnessObject, witness.id, changes);
    }
    if (witness !== undefined && random.chance(0.2))
      this.#change(witnessObject, witness.id, { total_vote_weights: 0n });
    const staking = random.chance(0.02) ? this.#choices.row(stakingObject) : undefined;
    if (staking !== undefined) this.#change(stakingObject, staking.id, { is_valid: false });
  }

  #change<T extends StateObject>(definition: ObjectDef<T>, id: number, changes: Partial<T>): void {
    const { state } = this.#w;
    state.modify(definition, state.get(definition, id) as T, (o) => Object.assign(o, changes));
    this.#m.change(definition, id, (o) => Object.assign(o, changes));
  }
}
