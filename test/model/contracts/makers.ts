import type { OperationBody } from '../../../src/protocol/operation-slot.js';
import { accountObject } from '../../../src/state/objects/account.js';
import type { SeededRandom } from '../../sim/random.js';
import type { Around } from './arguments.js';
import { OTHER_CODES, RUNNERS } from './codes.js';
import type { ContractModel } from './model.js';
import { ASSETS, abiOf, METHODS } from './scene.js';
import { ScriptMaker } from './script-maker.js';

const DRAWN = [74, 74, 76, 76, 78, 79].concat(new Array<number>(36).fill(75));
/** The first ones, who may hold everything, and do. */
const RICH_PEOPLE = 3;
const EMPTY_CODE = new Uint8Array(0);

type Given = Record<string, unknown>;

/** Operations that are right, or nearly, for what the model knows. */
export class ContractMakers {
  readonly #m: ContractModel;
  readonly #random: SeededRandom;
  readonly #around: Around;
  /** Of those that are no runners. */
  readonly #called = new Set<number>();
  #names = 0;

  constructor(m: ContractModel, around: Around) {
    this.#m = m;
    this.#random = around.random;
    this.#around = around;
  }

  make(): [tag: number, given: Given] {
    const tag = this.#random.pick(DRAWN);
    const given = this.#given(tag);
    return [tag, given];
  }

  #given(tag: number): Given {
    if (tag === 74) return this.#deploy();
    if (tag === 75) return this.#call();
    if (tag === 76) return this.#update();
    if (tag === 78) return { from: this.#person(), to: this.#anybody(), amount: this.#amount(), memo: 'm' };
    return { sender_contract: this.#contract(), contract_id: this.#contract(), method_name: METHODS.run };
  }

  #person(): number {
    const { people } = this.#around;
    return this.#random.pick(this.#random.chance(0.85) ? people.slice(0, RICH_PEOPLE) : people);
  }

  /** Those from the beginning, mostly: what was deployed since may not be a runner. */
  #contract(): number {
    if (this.#random.chance(0.08)) return this.#noRunner();
    return this.#random.chance(0.97) ? this.#random.pick(this.#around.contracts) : this.#anybody();
  }

  /** Whatever it does, mostly it ends soon; first of all those that nobody has called yet. */
  #noRunner(): number {
    const { contracts } = this.#around;
    const others = this.#m.all(accountObject).filter(({ id, code }) => code.length > 0 && !contracts.includes(id));
    const one = others.find(({ id }) => !this.#called.has(id)) ?? (others.length > 0 && this.#random.pick(others));
    if (!one) return this.#anybody();
    this.#called.add(one.id);
    return one.id;
  }

  #anybody(): number {
    return this.#random.chance(0.98) ? this.#random.pick([...this.#around.people, ...this.#around.contracts]) : 9999;
  }

  #amount() {
    const amount = this.#random.chance(0.93)
      ? BigInt(1 + this.#random.below(3000))
      : this.#random.pick([0n, -1n, 10n ** 13n]);
    return { amount, asset_id: this.#random.chance(0.02) ? 99 : this.#random.pick(ASSETS) };
  }

  #code(): Uint8Array {
    const random = this.#random;
    return random.chance(0.7) ? random.pick(RUNNERS) : random.pick([...OTHER_CODES, EMPTY_CODE]);
  }

  #abi() {
    const random = this.#random;
    if (random.chance(0.05)) return abiOf();
    return random.chance(0.7) ? abiOf('run', 'free') : abiOf('run', 'free', 'none');
  }

  #deploy(): Given {
    const random = this.#random;
    const long = random.pick(['a'.repeat(63), 'a'.repeat(64), 'A', 'a-', 'a.b', 'a..b', '1a', '', 'a_b', 'b1.c-2']);
    const name = random.chance(0.6) ? `new-${this.#names++}` : random.pick([long, 'alice', 'one']);
    return { name, account: this.#person(), vm_type: '0', vm_version: '1', code: this.#code(), abi: this.#abi() };
  }

  #update(): Given {
    const random = this.#random;
    const contract = this.#contract();
    const owner = this.#m.find(accountObject, contract)?.registrar ?? 0;
    const isRunner = this.#around.contracts.includes(contract);
    return {
      owner: random.chance(0.9) ? owner : this.#person(),
      new_owner: random.chance(0.2) ? (random.chance(0.1) ? 9999 : this.#anybody()) : undefined,
      contract,
      code: isRunner && random.chance(0.8) ? random.pick(RUNNERS) : this.#code(),
      abi: this.#abi(),
    };
  }

  #call(): Given {
    const random = this.#random;
    const contract_id = this.#contract();
    const isPaid = random.chance(0.3);
    const method = isPaid || random.chance(0.8) ? METHODS.run : random.pick([METHODS.free, METHODS.none]);
    const account = random.chance(0.97) ? this.#person() : contract_id;
    return {
      account,
      contract_id,
      amount: isPaid ? this.#amount() : undefined,
      method_name: random.chance(0.97) ? method : METHODS.free,
      data: new ScriptMaker(this.#around, { contract: contract_id, sender: account, origin: account }).make(),
    };
  }

  /** Mostly what is asked for. */
  fee(required: bigint): OperationBody['fee'] {
    const random = this.#random;
    const asset_id = random.chance(0.85) ? this.#m.core : random.pick([...ASSETS, 2, 2, 3, 99]);
    if (random.chance(0.95)) return { amount: required, asset_id };
    return { amount: random.pick([required + 1n, required - 1n, required * 9n, 0n, -1n]), asset_id };
  }
}
