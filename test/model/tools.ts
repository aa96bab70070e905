import { definitionOf } from '../../src/operations/registered.js';
import type { Asset } from '../../src/protocol/asset.js';
import type { OperationBody } from '../../src/protocol/operation-slot.js';
import { customOperation } from '../../src/protocol/operations/accounts.js';
import type { AnyOperationDeclaration } from '../../src/protocol/operations/declare.js';
import type { ObjectDef, StateObject } from '../../src/state/define.js';
import { accountObject } from '../../src/state/objects/account.js';
import { assetObject } from '../../src/state/objects/asset.js';
import type { SeededRandom } from '../sim/random.js';
import { addressesOf } from './addresses.js';
import { MAX_SUPPLY } from './amounts.js';
import type { Model } from './model.js';
import { KEYS } from './scene.js';

const I64 = (1n << 63n) - 1n;

export type Given = Record<string, unknown>;

/** An amount that is hidden: the chain has its commitment alone. */
export interface Coin {
  readonly asset: number;
  readonly amount: bigint;
  readonly factor: string;
  readonly commitment: string;
}

/** Makes what stands in an operation, right or nearly right; what it leaves out is as the layout has it. */
export interface Maker {
  readonly tag: number;
  make(t: Tools, from: number): Given;
}

export const maker = ({ tag }: AnyOperationDeclaration, make: Maker['make']): Maker => ({ tag, make });

/** What all makers share: dice, and a look at the state of the model. */
export class Tools {
  readonly m: Model;
  readonly random: SeededRandom;
  /** The object that the next operation should be about, if it is of a kind that it looks for. */
  target: { readonly definition: ObjectDef; readonly id: number } | undefined;
  /** By commitment. */
  readonly coins = new Map<string, Coin>();
  #count = 0;

  constructor(m: Model, random: SeededRandom) {
    this.m = m;
    this.random = random;
  }

  // Dice

  pick<T>(...list: T[]): T {
    return this.random.pick(list);
  }

  /** The first mostly. */
  odd<T>(good: T, ...bad: T[]): T {
    return this.random.chance(0.94) ? good : this.random.pick(bad);
  }

  chance(p: number): boolean {
    return this.random.chance(p);
  }

  /** Another one each time, for names. */
  count(): number {
    return this.#count++;
  }

  /** One second to either side, or as far off as the others say. */
  near(time: number, ...more: number[]): number {
    return Math.max(0, time + this.pick(-1, 0, 1, ...more)) >>> 0;
  }

  // Objects

  account(): number {
    return this.chance(0.9)
      ? this.random.between(6, this.m.next(accountObject) - 1)
      : this.pick(0, 1, 2, 3, 4, 5, 9999);
  }

  rich(): number {
    return this.chance(0.85) ? this.pick(6, 7, 11) : this.account();
  }

  asset(): number {
    return this.chance(0.95) ? this.random.below(this.m.next(assetObject)) : 777;
  }

  /** The target, if it is one of these. */
  targetId(definition: ObjectDef): number | undefined {
    return this.target?.definition.name === definition.name ? this.target.id : undefined;
  }

  /** The target, otherwise any one. */
  row<T extends StateObject>(
    definition: ObjectDef<T>,
    isWanted: (row: T) => boolean = () => true,
  ): Readonly<T> | undefined {
    const id = this.targetId(definition);
    const target = id === undefined ? undefined : this.m.find(definition, id);
    if (target !== undefined) return target;
    const rows = this.m.all(definition).filter(isWanted);
    return rows.length === 0 ? undefined : this.random.pick(rows);
  }

  // Amounts

  amountOf(balance: bigint): bigint {
    const some = [
      1n,
      1n,
      2n,
      10n,
      999n,
      balance,
      balance - 1n,
      balance + 1n,
      balance / 2n,
      0n,
      -1n,
      MAX_SUPPLY,
      MAX_SUPPLY + 1n,
      I64,
    ];
    return this.chance(0.8) ? BigInt(this.random.between(1, 5000)) : this.random.pick(some);
  }

  of(owner: number, asset = this.asset()): Asset {
    return { amount: this.amountOf(this.m.balance(owner, asset)), asset_id: asset };
  }

  // Keys

  keys(p = 0.3): string[] {
    return KEYS.filter(() => this.chance(p));
  }

  authority(): Given {
    const r = this.random;
    const account_auths = [...new Set([this.account(), this.account(), this.account()])]
      .filter(() => this.chance(0.4))
      .map((id) => [id, r.pick([1, 1, 2, 65_535])]);
    const key_auths = this.keys(0.35).map((key) => [key, r.pick([0, 1, 1, 2])]);
    const address_auths = this.chance(0.03) ? [[addressesOf(KEYS[0] as string)[1], 1]] : [];
    return { weight_threshold: r.pick([0, 1, 1, 1, 1, 2, 3]), account_auths, key_auths, address_auths };
  }

  memo(): Given {
    if (this.chance(0.7)) return {};
    const message = new Uint8Array(this.random.pick([0, 1, 200, 2000]));
    return { memo: { from: KEYS[0], to: KEYS[1], nonce: 5n, message } };
  }

  // Fees

  #need(tag: number, body: OperationBody): bigint {
    try {
      return this.m.requiredFee([tag, body]);
    } catch {
      return 0n;
    }
  }

  /** A core fee in another asset, rounded up. */
  #inAsset(need: bigint, asset: number, otherwise: bigint): bigint {
    const { base, quote } = this.m.asset(asset).options.core_exchange_rate;
    const [from, to] = base.asset_id === asset ? [base, quote] : [quote, base];
    return to.amount > 0n ? (need * from.amount + to.amount - 1n) / to.amount : otherwise;
  }

  /** The fee in the asset that it names. */
  needOf(tag: number, body: Given): bigint {
    const { asset_id } = body.fee as Asset;
    const whole = { ...(definitionOf(tag).schema.default() as object), ...body } as unknown as OperationBody;
    const need = this.#need(tag, whole);
    return asset_id === this.m.core ? need : this.#inAsset(need, asset_id, need);
  }

  /** Enough mostly, in any asset. */
  fee(tag: number, body: OperationBody): Asset {
    const { core } = this.m;
    let need = this.#need(tag, body);
    if (tag === customOperation.tag && need === 0n) need = 1n;
    if (this.chance(0.7)) return { amount: need, asset_id: core };
    if (this.chance(0.5)) return { amount: this.pick(need + 1n, need - 1n, 0n, -1n, need * 2n + 1n), asset_id: core };
    const { id } = this.random.pick(this.m.all(assetObject));
    const amount = this.#inAsset(need, id, 1n) + this.pick(0n, 0n, 0n, 1n, -1n);
    return { amount: BigInt.asIntN(64, amount), asset_id: id };
  }
}
