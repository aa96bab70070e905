import type { Asset } from '../../../src/protocol/asset.js';
import { makeAsset } from '../../../src/protocol/asset.js';
import type { Instance } from '../../../src/protocol/ids.js';
import type { Operation } from '../../../src/protocol/operation-slot.js';
import type { ObjectDef, StateObject } from '../../../src/state/define.js';
import { type AccountObject, accountObject } from '../../../src/state/objects/account.js';
import { type AssetObject, assetObject } from '../../../src/state/objects/asset.js';
import { type WitnessObject, witnessObject } from '../../../src/state/objects/witness.js';
import type { ReadState } from '../../../src/state/views.js';
import type { SeededRandom } from '../../sim/random.js';
import { operationOf } from '../../sim/transactions.js';
import type { Given } from '../../support/world.js';

export const WITNESSES = 15;
export const USERS = ['alice', 'bob', 'carol', 'dave', 'erin', 'frank', 'grace', 'heidi'];
export const FUNDED = [...USERS, ...Array.from({ length: WITNESSES }, (_, i) => `init${i}`)];
/** Accounts that the chain looks up by their names. */
export const NAMED = ['ram-account', 'commission-account'];
/** The committee, the witnesses, nobody, the temp account and the like. */
export const BUILT_IN_COUNT = 6;

/** A hidden amount that the run knows how to open. */
export interface HiddenCoin {
  readonly commitment: string;
  readonly factor: Uint8Array;
  readonly amount: bigint;
  readonly asset: Instance;
  readonly owner: string;
}

/** What a run remembers besides the state of its chain. */
export class Memory {
  readonly coins = new Map<string, HiddenCoin>();
  counter = 0;
}

/** What the makers of operations look at: a state, and chance. */
export class Scene {
  readonly state: ReadState;
  readonly random: SeededRandom;
  readonly memory: Memory;

  constructor(state: ReadState, random: SeededRandom, memory: Memory) {
    this.state = state;
    this.random = random;
    this.memory = memory;
  }

  get now(): number {
    return this.state.headTime;
  }

  /** Names stand for ids, what is left out has its default, the fee is what the chain asks for. */
  op(name: string, given: Given): Operation {
    return operationOf(this.state, name, given);
  }

  core(amount: bigint | number): Asset {
    return makeAsset(BigInt(amount), this.state.coreAsset);
  }

  /** A number that no other call of this run has got. */
  unique(): number {
    return this.memory.counter++;
  }

  /** Of one of those who have money from the start. */
  user(): Instance {
    return this.idOf(this.random.pick(USERS));
  }

  idOf(name: string): Instance {
    const account = this.state.findBy(accountObject.by.name, name);
    if (account === undefined) throw new Error(`there is no account ${name}`);
    return account.id;
  }

  /** Mostly one of the rich ones. */
  payer(): Instance {
    return this.random.chance(0.85) ? this.user() : this.account().id;
  }

  account(): Readonly<AccountObject> {
    return this.state.get(accountObject, this.random.below(this.state.nextInstance(accountObject)));
  }

  /** Not this one. */
  other(than: Instance): Instance {
    for (;;) {
      const { id } = this.account();
      if (id !== than) return id;
    }
  }

  accountWhere(isWanted: (account: Readonly<AccountObject>) => boolean): Readonly<AccountObject> | undefined {
    return this.one([...this.state.all(accountObject)].filter(isWanted));
  }

  asset(): Readonly<AssetObject> {
    return this.one([...this.state.all(assetObject)]) as Readonly<AssetObject>;
  }

  /** One of those that somebody has issued on this chain, if there is any. */
  issuedAsset(): Readonly<AssetObject> | undefined {
    return this.one([...this.state.all(assetObject)].filter(({ id }) => id > 1));
  }

  witness(): Readonly<WitnessObject> {
    return this.some(witnessObject) as Readonly<WitnessObject>;
  }

  some<T extends StateObject>(definition: ObjectDef<T>): Readonly<T> | undefined {
    return this.one([...this.state.all(definition)]);
  }

  one<T>(list: readonly T[]): T | undefined {
    return list.length === 0 ? undefined : this.random.pick(list);
  }

  /** Some of them, in their order. */
  few<T>(list: readonly T[], probability: number): T[] {
    return list.filter(() => this.random.chance(probability));
  }

  amount(max = 5_000_000): bigint {
    return BigInt(this.random.between(1, max));
  }

  /** Now, or a few seconds around it. */
  around(seconds: number): number {
    return this.now + this.random.between(-seconds, seconds);
  }
}

/** Makes operations of one kind; undefined when the state has nothing to do it with. */
export interface Kind {
  readonly name: string;
  readonly weight: number;
  make(scene: Scene): Operation | readonly Operation[] | undefined;
  /** Only the committee can do it, by a proposal. */
  readonly byCommittee?: boolean;
}
