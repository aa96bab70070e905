import { concatBytes } from '../../../src/base/bytes.js';
import type { SeededRandom } from '../../sim/random.js';
import { HOST, type HostName, type HostType } from './host-types.js';
import { ASSETS, HEAD, METHODS, TABLES } from './scene.js';
import { type Argument, PAGE, RESULTS, Script } from './script.js';
import { lengthBytes, signedCall } from './signed-calls.js';

const U64 = (1n << 64n) - 1n;
const I64 = (1n << 63n) - 1n;
const BITS_48 = 1n << 48n;
const LOG = 77n << 50n;
const LOGGED_BYTES = RESULTS + 512;
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
/** So many commands that would fail are left out, mostly: what fails leaves nothing behind to go on from. */
const REPAIRS = 20;

const OFTEN = HOST.filter(({ name }) => name.startsWith('db_'));
const MONEY = HOST.filter(({ name }) => ['withdraw_asset', 'inline_transfer', 'get_balance'].includes(name));
const NUMBERS = HOST.filter(({ name }) => name.startsWith('__'));
const RARE: readonly HostName[] = ['abort', 'graphene_exit', 'graphene_assert_message', 'memcpy'];
const SELDOM = HOST.filter(({ name }) => !RARE.includes(name) && !name.startsWith('__'));
const hostOf = (name: HostName): HostType => HOST.find((one) => one.name === name) as HostType;

export interface Around {
  readonly random: SeededRandom;
  readonly people: readonly number[];
  readonly contracts: readonly number[];
  /** The command that would make an action fail. */
  failing(contract: number, sender: number, data: Uint8Array): number | undefined;
}

function numberBytes(...values: readonly bigint[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(values.length * 8));
  for (const [i, value] of values.entries()) view.setBigUint64(i * 8, value & U64, true);
  return new Uint8Array(view.buffer);
}

/** What one action of a contract does: right, or nearly right. */
export class ScriptMaker {
  readonly #script = new Script();
  readonly #random: SeededRandom;
  readonly #around: Around;
  readonly #contract: number;
  readonly #sender: number;
  readonly #depth: number;
  #rows: number[] = [];
  #entries: number[] = [];

  constructor(around: Around, contract: number, sender: number, depth = 0) {
    this.#around = around;
    this.#random = around.random;
    this.#contract = contract;
    this.#sender = sender;
    this.#depth = depth;
  }

  make(): Uint8Array {
    const random = this.#random;
    const commands = random.chance(0.1) ? 45 : 2 + random.below(16);
    for (let i = 0; i < commands; i++) this.#command();
    if (random.chance(0.9)) this.#log();
    for (let i = 0; i < REPAIRS; i++) {
      const bytes = this.#script.bytes();
      const failing = this.#around.failing(this.#contract, this.#sender, bytes);
      if (failing === undefined || random.chance(0.2)) return bytes;
      this.#script.remove(failing);
    }
    return this.#script.bytes();
  }

  /** What the functions gave and wrote, where it can be compared. */
  #log(): void {
    const id = BigInt(this.#random.below(2 ** 31));
    this.#script.call('db_store_i64', this.#contract, LOG, 0, id, 0, LOGGED_BYTES);
  }

  #command(): void {
    const random = this.#random;
    if (random.chance(0.25)) this.#script.place(this.#place(), numberBytes(this.#id(), this.#id()));
    if (random.chance(0.004)) this.#script.trap();
    else if (random.chance(0.01)) this.#script.grow(random.pick([0, 1, 2, 1, random.chance(0.1) ? 527 : 528]));
    else if (random.chance(0.08) && this.#depth < 4) this.#sendInline();
    else if (random.chance(0.05)) this.#named();
    else if (random.chance(0.04)) this.#hashes();
    else if (random.chance(0.025)) this.#sideBySide();
    else if (random.chance(0.03)) this.#signature();
    else if (random.chance(0.02)) this.#bounds();
    else this.#any();
  }

  #any(): void {
    const random = this.#random;
    const list = random.chance(0.5) ? OFTEN : random.pick([MONEY, NUMBERS, SELDOM, SELDOM, SELDOM, SELDOM]);
    this.#call(random.chance(0.004) ? hostOf(random.pick(RARE)) : random.pick(list));
  }

  #call(host: HostType, given: readonly Argument[] = host.takes.flatMap((kind) => this.#argument(kind))): void {
    const kept = this.#script.call(host.name, ...given);
    if (host.gives === 'it') this.#rows.push(kept);
    if (host.gives === 'it2') this.#entries.push(kept);
  }

  // Arguments

  /** None are set, mostly. */
  #lowBits(count: number): bigint {
    const random = this.#random;
    if (random.chance(0.6)) return 0n;
    return BigInt(random.pick([1, 2 ** count - 1, 2 ** (count - 1), random.below(2 ** count)]));
  }

  #place(): number {
    return 8 * (1 + this.#random.below(100));
  }

  #pointer(): number {
    const random = this.#random;
    if (random.chance(ODD)) return random.pick([...STRANGE_POINTERS, PAGE - 8, PAGE - 20]);
    return this.#place() + (random.chance(0.1) ? random.below(8) : 0);
  }

  #length(): number {
    const random = this.#random;
    return random.chance(ODD) ? random.pick(STRANGE_LENGTHS) : random.pick([0, 1, 8, 16, 25, 40]);
  }

  #iterator(kept: readonly number[]): Argument {
    const random = this.#random;
    const last = kept.slice(-3);
    if (last.length > 0 && random.chance(0.95)) return { kept: random.pick(random.chance(0.7) ? last : kept) };
    return random.chance(0.6) ? -1 - random.below(4) : random.below(3);
  }

  #id(): bigint {
    return this.#random.chance(0.9) ? BigInt(this.#random.below(6)) : this.#random.pick([U64, I64, I64 + 1n, U64 - 1n]);
  }

  #party(): bigint {
    const random = this.#random;
    if (random.chance(ODD)) return random.pick([-1n, 9999n, BITS_48, BITS_48 + 6n, I64]);
    return BigInt(random.pick([...this.#around.people, ...this.#around.contracts]));
  }

  #asset(): bigint {
    const random = this.#random;
    return random.chance(ODD) ? random.pick([-1n, 99n, BITS_48, BITS_48 + 1n]) : BigInt(random.pick(ASSETS));
  }

  #payer(): bigint {
    const random = this.#random;
    if (random.chance(0.5)) return 0n;
    return random.chance(0.7) ? BigInt(random.pick([this.#contract, this.#sender])) : this.#party();
  }

  #amount(): bigint {
    const random = this.#random;
    return random.chance(0.85) ? BigInt(1 + random.below(1000)) : random.pick([0n, -1n, 100_001n, 10n ** 13n, I64]);
  }

  #argument(kind: string): readonly Argument[] {
    const random = this.#random;
    const own = BigInt(this.#contract);
    switch (kind) {
      case 'P':
        return [this.#pointer(), this.#length()];
      case 'it':
        return [this.#iterator(this.#rows)];
      case 'it2':
        return [this.#iterator(this.#entries)];
      case 'code':
        return [random.chance(0.7) ? own : this.#party()];
      case 'scope':
        return [random.chance(0.8) ? own : 5n];
      case 'table':
        return [random.chance(0.7) ? (TABLES[0] as bigint) : random.pick(TABLES)];
      case 'payer':
        return [this.#payer()];
      case 'id':
        return [this.#id()];
      case 'account':
        return [this.#party()];
      case 'self':
        return [random.chance(0.97) ? own : this.#party()];
      case 'asset':
        return [this.#asset()];
      case 'amount':
        return [this.#amount()];
      case 'cond':
        return [random.chance(0.95) ? random.pick([1, 256, 0x8000_0000]) : 0];
      case 'num':
        return [random.chance(0.5) ? 1 + random.below(HEAD) : random.pick([0, HEAD, HEAD, HEAD + 1, 0xffff_ffff])];
      case 'bits':
        return [random.pick([0, 1, 63, 64, 65, 127, 128, 129, 0xffff_ffff])];
      case 'size':
        return [random.chance(0.8) ? random.pick([0, 1, 8, 30]) : this.#length()];
      case 'l':
        return [random.pick([0n, 1n, 3n, U64, I64, I64 + 1n, 0x1234_5678_9abc_def0n])];
      case 'n':
        return [random.pick([0, 1, 255, 256, 0xffff_ffff])];
      case 'f':
        return [(random.pick(SINGLES) << 16n) | this.#lowBits(16)];
      case 'd':
        return [(random.pick(DOUBLES) << 48n) | this.#lowBits(48)];
      case 'q':
        return [(random.pick(QUADS) << 48n) | this.#lowBits(48)];
      default:
        return [this.#pointer()];
    }
  }

  // What needs more than one call

  /** A name or a symbol that there is, or nearly. */
  #named(): void {
    const random = this.#random;
    if (random.chance(0.3)) {
      this.#call(hostOf('get_account_name_by_id'), [this.#place(), random.below(9), this.#party()]);
      return;
    }
    const name = random.pick<HostName>(['get_account_id', 'get_asset_id', 'get_asset_precision']);
    const texts = ['alice', 'ram-account', 'one', 'GXC', 'OTHER', 'MORE', 'gxc', 'nobody', ''];
    const bytes = Buffer.from(random.pick(texts));
    const at = this.#place();
    this.#script.place(at, bytes);
    this.#call(hostOf(name), [at, bytes.length + (random.chance(0.1) ? 1 : 0)]);
  }

  #hashes(): void {
    const random = this.#random;
    const hash = random.pick(['sha1', 'sha256', 'sha512', 'ripemd160'] as const);
    const [at, length, out] = [this.#place(), random.below(60), this.#place()];
    this.#call(hostOf(hash), [at, length, out]);
    this.#call(hostOf(`assert_${hash}`), [at, length + (random.chance(0.03) ? 1 : 0), out]);
  }

  /** Copied to where it just does not lie over itself, or just does. */
  #sideBySide(): void {
    const random = this.#random;
    const [at, size] = [200 + this.#place(), 1 + random.below(20)];
    const to = at + random.pick([-1, 1]) * (size - (random.chance(0.2) ? 1 : 0));
    this.#call(hostOf(random.pick<HostName>(['memcpy', 'memmove'])), [to, at, size]);
  }

  /** Both references are one, or lie over each other. */
  #bounds(): void {
    const random = this.#random;
    const name = random.pick<HostName>(['db_idx64_lowerbound', 'db_idx64_upperbound']);
    const at = this.#place();
    const other = at + random.pick([0, 4, 8, 1]);
    const places = random.chance(0.5) ? [at, other] : [other, at];
    this.#call(hostOf(name), [this.#contract, this.#contract, TABLES[0] as bigint, ...places]);
  }

  #signature(): void {
    const { places, name, given } = signedCall(this.#random);
    for (const [at, bytes] of places) this.#script.place(at, bytes);
    this.#call(hostOf(name), given);
  }

  #sendInline(): void {
    const random = this.#random;
    const target = random.chance(0.97) ? random.pick(this.#around.contracts) : Number(this.#party());
    const data = new ScriptMaker(this.#around, target, this.#contract, this.#depth + 1).make();
    const amount = random.chance(0.6) ? 0n : this.#amount();
    const isPaid = amount !== 0n && random.chance(0.95);
    const method = isPaid || random.chance(0.7) ? METHODS.run : random.pick([METHODS.free, METHODS.none, METHODS.free]);
    const sender = random.chance(0.98) ? BigInt(this.#contract) : this.#party();
    const head = numberBytes(sender, BigInt(target), amount, this.#asset(), method);
    const more = Uint8Array.from(random.chance(0.1) ? [1, 2] : []);
    const bytes = concatBytes(head, Uint8Array.from(lengthBytes(data.length)), data, more);
    const cut = random.chance(0.03) ? bytes.subarray(0, random.below(bytes.length)) : bytes;
    const at = 50_000;
    if (cut.length > 10_000) return;
    this.#script.place(at, cut);
    this.#call(hostOf('send_inline'), [at, cut.length]);
  }
}
