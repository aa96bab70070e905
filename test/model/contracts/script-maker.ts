import { concatBytes } from '../../../src/base/bytes.js';
import type { SeededRandom } from '../../sim/random.js';
import { Arguments, type Around, type Parties } from './arguments.js';
import { HOST, type HostName, type HostType } from './host-types.js';
import { METHODS, TABLES } from './scene.js';
import { type Argument, RESULTS, Script } from './script.js';
import { lengthBytes, signedCall } from './signed-calls.js';

const LOG = 77n << 50n;
const LOGGED_BYTES = RESULTS + 512;
/** So many commands that would fail are left out, mostly: what fails leaves nothing behind to go on from. */
const REPAIRS = 20;

const OFTEN = HOST.filter(({ name }) => name.startsWith('db_'));
const MONEY = HOST.filter(({ name }) => ['withdraw_asset', 'inline_transfer', 'get_balance'].includes(name));
const NUMBERS = HOST.filter(({ name }) => name.startsWith('__'));
const RARE: readonly HostName[] = ['abort', 'graphene_exit', 'graphene_assert_message', 'memcpy'];
const SELDOM = HOST.filter(({ name }) => !RARE.includes(name) && !name.startsWith('__'));
const hostOf = (name: HostName): HostType => HOST.find((one) => one.name === name) as HostType;

function numberBytes(...values: readonly bigint[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(values.length * 8));
  for (const [i, value] of values.entries()) view.setBigUint64(i * 8, value, true);
  return new Uint8Array(view.buffer);
}

/** What one action of a contract does: right, or nearly right. */
export class ScriptMaker {
  readonly #script = new Script();
  readonly #random: SeededRandom;
  readonly #around: Around;
  readonly #who: Parties;
  readonly #depth: number;
  readonly #draw: Arguments;

  constructor(around: Around, who: Parties, depth = 0) {
    this.#around = around;
    this.#random = around.random;
    this.#who = who;
    this.#depth = depth;
    this.#draw = new Arguments(around, who);
  }

  make(): Uint8Array {
    const random = this.#random;
    const commands = random.chance(0.1) ? 45 : 2 + random.below(16);
    for (let i = 0; i < commands; i++) this.#command();
    if (random.chance(0.9)) this.#log();
    for (let i = 0; i < REPAIRS; i++) {
      const bytes = this.#script.bytes();
      const failing = this.#around.failing(this.#who, bytes);
      if (failing === undefined || random.chance(0.2)) return bytes;
      this.#script.remove(failing);
    }
    return this.#script.bytes();
  }

  /** What the functions gave and wrote, where it can be compared. */
  #log(): void {
    const id = BigInt(this.#random.below(2 ** 31));
    this.#script.call('db_store_i64', this.#who.contract, LOG, 0, id, 0, LOGGED_BYTES);
  }

  #command(): void {
    const random = this.#random;
    if (random.chance(0.25)) this.#script.place(this.#draw.place(), numberBytes(this.#draw.id(), this.#draw.id()));
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

  #call(host: HostType, given: readonly Argument[] = host.takes.flatMap((kind) => this.#draw.argument(kind))): void {
    const kept = this.#script.call(host.name, ...given);
    if (host.gives === 'it') this.#draw.rows.push(kept);
    if (host.gives === 'it2') this.#draw.entries.push(kept);
  }

  // What needs more than one call

  /** A name or a symbol that there is, or nearly. */
  #named(): void {
    const random = this.#random;
    if (random.chance(0.3)) {
      this.#call(hostOf('get_account_name_by_id'), [this.#draw.place(), random.below(9), this.#draw.party()]);
      return;
    }
    const name = random.pick<HostName>(['get_account_id', 'get_asset_id', 'get_asset_precision']);
    const texts = ['alice', 'ram-account', 'one', 'GXC', 'OTHER', 'MORE', 'gxc', 'nobody', ''];
    const bytes = Buffer.from(random.pick(texts));
    const at = this.#draw.place();
    this.#script.place(at, bytes);
    this.#call(hostOf(name), [at, bytes.length + (random.chance(0.1) ? 1 : 0)]);
  }

  #hashes(): void {
    const random = this.#random;
    const hash = random.pick(['sha1', 'sha256', 'sha512', 'ripemd160'] as const);
    const [at, length, out] = [this.#draw.place(), random.below(60), this.#draw.place()];
    this.#call(hostOf(hash), [at, length, out]);
    this.#call(hostOf(`assert_${hash}`), [at, length + (random.chance(0.03) ? 1 : 0), out]);
  }

  /** Copied to where it just does not lie over itself, or just does. */
  #sideBySide(): void {
    const random = this.#random;
    const [at, size] = [200 + this.#draw.place(), 1 + random.below(20)];
    const to = at + random.pick([-1, 1]) * (size - (random.chance(0.2) ? 1 : 0));
    this.#call(hostOf(random.pick<HostName>(['memcpy', 'memmove'])), [to, at, size]);
  }

  /** Both references are one, or lie over each other. */
  #bounds(): void {
    const random = this.#random;
    const name = random.pick<HostName>(['db_idx64_lowerbound', 'db_idx64_upperbound']);
    const at = this.#draw.place();
    const other = at + random.pick([0, 4, 8, 1]);
    const places = random.chance(0.5) ? [at, other] : [other, at];
    this.#call(hostOf(name), [this.#who.contract, this.#who.contract, TABLES[0] as bigint, ...places]);
  }

  #signature(): void {
    const { places, name, given } = signedCall(this.#random);
    for (const [at, bytes] of places) this.#script.place(at, bytes);
    this.#call(hostOf(name), given);
  }

  #sendInline(): void {
    const random = this.#random;
    const target = random.chance(0.97) ? random.pick(this.#around.contracts) : Number(this.#draw.party());
    const who = { contract: target, sender: this.#who.contract, origin: this.#who.origin };
    const data = new ScriptMaker(this.#around, who, this.#depth + 1).make();
    const amount = random.chance(0.6) ? 0n : this.#draw.amount();
    const isPaid = amount !== 0n && random.chance(0.8);
    const method = isPaid || random.chance(0.7) ? METHODS.run : random.pick([METHODS.free, METHODS.none, METHODS.free]);
    const sender = random.chance(0.98) ? BigInt(this.#who.contract) : this.#draw.party();
    const head = numberBytes(sender, BigInt(target), amount, this.#draw.asset(), method);
    const more = Uint8Array.from(random.chance(0.1) ? [1, 2] : []);
    const bytes = concatBytes(head, Uint8Array.from(lengthBytes(data.length)), data, more);
    const cut = random.chance(0.03) ? bytes.subarray(0, random.below(bytes.length)) : bytes;
    const at = 50_000;
    if (cut.length > 10_000) return;
    this.#script.place(at, cut);
    this.#call(hostOf('send_inline'), [at, cut.length]);
  }
}
