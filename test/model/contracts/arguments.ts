import type { SeededRandom } from '../../sim/random.js';
import { ASSETS, HEAD, TABLES } from './scene.js';
import { type Argument, PAGE } from './script.js';

const U64 = (1n << 64n) - 1n;
const I64 = (1n << 63n) - 1n;
const BITS_48 = 1n << 48n;
const STRANGE_POINTERS = [0, 1, PAGE - 1, PAGE, PAGE + 1, 0xffff_ffff];
const STRANGE_LENGTHS = [0, PAGE, PAGE + 1, 0x7fff_fffe, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff];
/** Upper bits of floats: zeros, ones, the edges of integers and of narrower floats, what is no number. */
const SINGLES = [0, 0x8000, 0x3f80, 0xbf80, 0x4080, 0x5f00, 0x7f00, 0x7f7f, 0x7f80, 0xff80, 0x7fc0, 1].map(BigInt);
const DOUBLES = [0, 0x8000, 0x3ff0, 0xbff0, 0x3fe8, 0x47d0, 0x47e0, 0xc7e8, 0x47f0, 0x7ff0, 0xfff0, 0x7ff8, 1].map(
  BigInt,
);
const QUADS = [
  [0, 0x8000, 0x3fff, 0xbfff, 0x3ffe, 0x4000, 0xc000, 0x401d, 0x401e, 0xc01e, 0x401f, 0x403d, 0x403e, 0xc03e, 0x403f],
  [0x407d, 0x407e, 0xc07e, 0x407f, 0x43fe, 0x43ff, 0x3c01, 0x3c00, 0x3bcc, 0x407f, 0x3f81, 0x3f80, 0x3f69, 0x7ffe],
  [0x7fff, 0xffff, 1, 0x8001, 0x3f8f, 0x4070, 0x406f, 0x3fe0],
]
  .flat()
  .map(BigInt);
const ODD = 0.03;

export interface Around {
  readonly random: SeededRandom;
  readonly people: readonly number[];
  readonly contracts: readonly number[];
  /** The command that would make an action fail. */
  failing(who: Parties, data: Uint8Array): number | undefined;
}

/** Whose action it is, who has sent it, and who has made the call that all comes from. */
export interface Parties {
  readonly contract: number;
  readonly sender: number;
  readonly origin: number;
}

/** What the functions are given, right or nearly, by the words that say what it means. */
export class Arguments {
  /** Where results are kept that stand for rows, or for entries. */
  readonly rows: number[] = [];
  readonly entries: number[] = [];
  readonly #random: SeededRandom;
  readonly #around: Around;
  readonly #who: Parties;

  constructor(around: Around, who: Parties) {
    this.#around = around;
    this.#random = around.random;
    this.#who = who;
  }

  /** None are set, mostly. */
  lowBits(count: number): bigint {
    const random = this.#random;
    if (random.chance(0.6)) return 0n;
    return BigInt(random.pick([1, 2 ** count - 1, 2 ** (count - 1), random.below(2 ** count)]));
  }

  place(): number {
    return 8 * (1 + this.#random.below(100));
  }

  pointer(): number {
    const random = this.#random;
    if (random.chance(ODD)) return random.pick([...STRANGE_POINTERS, PAGE - 8, PAGE - 20]);
    return this.place() + (random.chance(0.1) ? random.below(8) : 0);
  }

  length(): number {
    const random = this.#random;
    return random.chance(ODD) ? random.pick(STRANGE_LENGTHS) : random.pick([0, 1, 8, 16, 25, 40]);
  }

  iterator(kept: readonly number[]): Argument {
    const random = this.#random;
    const last = kept.slice(-3);
    if (last.length > 0 && random.chance(0.95)) return { kept: random.pick(random.chance(0.7) ? last : kept) };
    return random.chance(0.6) ? -1 - random.below(4) : random.below(3);
  }

  id(): bigint {
    return this.#random.chance(0.9) ? BigInt(this.#random.below(6)) : this.#random.pick([U64, I64, I64 + 1n, U64 - 1n]);
  }

  party(): bigint {
    const random = this.#random;
    if (random.chance(ODD)) return random.pick([-1n, 9999n, BITS_48, BITS_48 + 6n, I64]);
    return BigInt(random.pick([...this.#around.people, ...this.#around.contracts]));
  }

  asset(): bigint {
    const random = this.#random;
    return random.chance(ODD) ? random.pick([-1n, 99n, BITS_48, BITS_48 + 1n]) : BigInt(random.pick(ASSETS));
  }

  payer(): bigint {
    const random = this.#random;
    if (random.chance(0.5)) return 0n;
    return random.chance(0.7) ? BigInt(random.pick(Object.values(this.#who))) : this.party();
  }

  amount(): bigint {
    const random = this.#random;
    return random.chance(0.85) ? BigInt(1 + random.below(1000)) : random.pick([0n, -1n, 100_001n, 10n ** 13n, I64]);
  }

  argument(kind: string): readonly Argument[] {
    const random = this.#random;
    const own = BigInt(this.#who.contract);
    switch (kind) {
      case 'P':
        return [this.pointer(), this.length()];
      case 'it':
        return [this.iterator(this.rows)];
      case 'it2':
        return [this.iterator(this.entries)];
      case 'code':
        return [random.chance(0.7) ? own : this.party()];
      case 'scope':
        return [random.chance(0.8) ? own : 5n];
      case 'table':
        return [random.chance(0.7) ? (TABLES[0] as bigint) : random.pick(TABLES)];
      case 'payer':
        return [this.payer()];
      case 'id':
        return [this.id()];
      case 'account':
        return [this.party()];
      case 'self':
        return [random.chance(0.97) ? own : this.party()];
      case 'asset':
        return [this.asset()];
      case 'amount':
        return [this.amount()];
      case 'cond':
        return [random.chance(0.95) ? random.pick([1, 256, 0x8000_0000]) : 0];
      case 'num':
        return [random.chance(0.5) ? 1 + random.below(HEAD) : random.pick([0, HEAD, HEAD, HEAD + 1, 0xffff_ffff])];
      case 'bits':
        return [random.pick([0, 1, 63, 64, 65, 127, 128, 129, 0xffff_ffff])];
      case 'size':
        return [random.chance(0.8) ? random.pick([0, 1, 8, 30]) : this.length()];
      case 'l':
        return [random.pick([0n, 1n, 3n, U64, I64, I64 + 1n, 0x1234_5678_9abc_def0n])];
      case 'n':
        return [random.pick([0, 1, 255, 256, 0xffff_ffff])];
      case 'f':
        return [(random.pick(SINGLES) << 16n) | this.lowBits(16)];
      case 'd':
        return [(random.pick(DOUBLES) << 48n) | this.lowBits(48)];
      case 'q':
        return [(random.pick(QUADS) << 48n) | this.lowBits(48)];
      default:
        return [this.pointer()];
    }
  }
}
