import type { ObjectDef, StateObject } from '../../../src/state/define.js';
import type { SeededRandom } from '../../sim/random.js';
import type { OwnModel } from './model.js';

export type Given = Record<string, unknown>;
/** Fields of an operation that is right or nearly right for the state of the model. */
export type Maker = (c: Choices) => Given;

export const U64 = (1n << 64n) - 1n;
export const I64 = (1n << 63n) - 1n;
const LARGEST_ID = 2 ** 47;
const END = 0xffff_ffff;

/** What the makers of operations draw from. */
export class Choices {
  readonly m: OwnModel;
  readonly random: SeededRandom;
  readonly people: Readonly<Record<string, number>>;

  constructor(m: OwnModel, random: SeededRandom, people: Readonly<Record<string, number>>) {
    this.m = m;
    this.random = random;
    this.people = people;
  }

  pick<T>(...list: T[]): T {
    return this.random.pick(list);
  }

  chance(p: number): boolean {
    return this.random.chance(p);
  }

  named(name: string): number {
    return this.people[name] as number;
  }

  /** This one mostly. */
  mostly(name: string): number {
    return this.chance(0.9) ? this.named(name) : this.account();
  }

  account(): number {
    if (this.chance(0.4)) return this.named(this.pick('alice', 'bob', 'node-one'));
    return this.chance(0.03) ? this.pick(9999, 0, 4, 5, LARGEST_ID) : this.random.pick(Object.values(this.people));
  }

  lifetime(): number {
    return this.chance(0.9) ? this.named(this.pick('alice', 'bob', 'node-one', 'dave')) : this.account();
  }

  source(): number {
    return this.chance(0.9) ? this.named(this.pick('source-one', 'source-two')) : this.account();
  }

  /** Seldom none although there are some. */
  row<T extends StateObject>(definition: ObjectDef<T>, isWanted: (row: T) => boolean = () => true): T | undefined {
    const rows = this.m.all(definition).filter(isWanted);
    return rows.length === 0 || this.chance(0.03) ? undefined : this.random.pick(rows);
  }

  maybe<T>(value: T, p = 0.5): T | undefined {
    return this.chance(p) ? value : undefined;
  }

  time(): number {
    const now = this.m.time;
    if (this.chance(0.6)) return now - this.random.below(30);
    return this.pick(now, now - 1, now + 1, now + 30, now - 30, now + 31, now - 31, 0, END);
  }

  asset(): number {
    return this.pick(1, 1, 1, 1, 0, 2, 3, 4, 99);
  }

  anyAmount(): bigint {
    if (this.chance(0.5)) return BigInt(100_000 + this.random.below(1_000_000));
    const some = [0n, 1n, 99_999n, 100_000n, 100_001n, 200_000n, 10n ** 9n, 10n ** 12n, I64, -1n, -I64 - 1n];
    return this.random.pick(some);
  }

  /** What an owner has of it, or less, or hardly more. */
  amountOf(owner: number, asset_id: number): { amount: bigint; asset_id: number } {
    const all = this.m.balance(owner, asset_id);
    const usual = this.pick(200_000n, 100_000n, 100_000n, 777_777n);
    const odd = this.pick(all, all + 1n, all - 1n, all / 2n, this.anyAmount(), this.anyAmount(), 99_999n, 1n);
    return { amount: this.chance(0.7) ? usual : odd, asset_id };
  }

  unsigned(): bigint {
    return this.pick(0n, 1n, 2n, 5n, 60_000n, U64, I64 + 1n, I64);
  }

  url(): string {
    return this.pick('', 'u', 'x'.repeat(126), 'x'.repeat(127), `${'é'.repeat(63)}x`);
  }
}
