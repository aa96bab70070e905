import type { Asset } from '../../../src/protocol/asset.js';
import type { Transaction } from '../../../src/protocol/transaction.js';
import { must } from '../tables.js';
import { HOST, type HostName, type HostType, wasmTypes } from './host-types.js';
import { Iterators } from './iterators.js';
import { Memory } from './memory.js';
import type { ContractModel } from './model.js';
import type { Ram } from './ram.js';
import { GROW, PLACE, RESULT_COUNT, RESULTS, SCRIPT, SCRIPT_BYTES } from './script.js';

/** A contract's word that it is done. */
export class Exit extends Error {}

/** What all actions have in common that one call leads to. */
export interface Run {
  readonly origin: number;
  readonly ram: Ram;
  readonly transaction: Transaction | undefined;
  sent: number;
  /** The command of the first action that all has come to. */
  command: number;
}

export interface ActionGiven {
  readonly contract: number;
  readonly sender: number;
  readonly method: bigint;
  readonly data: Uint8Array;
  readonly amount: Asset | undefined;
}

/** What a host function does; pointers are checked before. */
export type Host = (a: Action, ...given: bigint[]) => unknown;

/** One run of a runner. */
export class Action {
  readonly m: ContractModel;
  readonly run: Run;
  readonly given: ActionGiven;
  readonly memory = new Memory();
  readonly rows = new Iterators();
  readonly entries = new Iterators();
  readonly queue: { readonly command: number; readonly given: ActionGiven }[] = [];
  /** Which one is being done. */
  command = -1;
  #at = SCRIPT;
  #kept = 0;

  constructor(m: ContractModel, run: Run, given: ActionGiven) {
    this.m = m;
    this.run = run;
    this.given = given;
  }

  get receiver(): bigint {
    return BigInt(this.given.contract);
  }

  perform(functions: Readonly<Record<HostName, Host>>, follow: (command: number) => void): void {
    const { memory } = this;
    memory.write(SCRIPT, this.given.data.subarray(0, SCRIPT_BYTES));
    const end = SCRIPT + Math.min(this.given.data.length, SCRIPT_BYTES);
    try {
      while (this.#at < end) {
        follow(++this.command);
        this.#command(memory.byte(this.#at++), functions);
      }
    } catch (error) {
      if (!(error instanceof Exit)) throw error;
    }
  }

  #command(index: number, functions: Readonly<Record<HostName, Host>>): void {
    const host = HOST[index];
    if (host !== undefined) this.#call(host, functions[host.name]);
    else if (index === PLACE) this.#place();
    else if (index === GROW) this.#keep(this.memory.grow(this.#pointer()));
    else must(false, 'contract_trap');
  }

  #argument(): bigint {
    const kept = this.memory.byte(this.#at++);
    if (kept !== 0) return this.memory.number(RESULTS + (kept - 1) * 8);
    const value = this.memory.number(this.#at);
    this.#at += 8;
    return value;
  }

  #pointer(): number {
    return Number(BigInt.asUintN(32, this.#argument()));
  }

  #place(): void {
    const to = this.#pointer();
    const length = this.#pointer();
    for (let i = 0; i < length; i++) this.memory.setByte((to + i) >>> 0, this.memory.byte(this.#at++));
  }

  #keep(value: bigint): void {
    this.memory.setNumber(RESULTS + (this.#kept++ % RESULT_COUNT) * 8, value);
  }

  #call(host: HostType, work: Host): void {
    const kinds = host.takes;
    const given = kinds.flatMap((kind) =>
      wasmTypes(kind).map((type) => {
        const value = this.#argument();
        if (kind === 'it' || kind === 'it2' || kind === 'bits') return BigInt.asIntN(32, value);
        return type === 'i32' || type === 'f32' ? BigInt.asUintN(32, value) : value;
      }),
    );
    this.#checkPointers(kinds, given);
    const result = work(this, ...given);
    if (host.gives === '') return;
    const type = wasmTypes(host.gives)[0];
    this.#keep(type === 'i64' || type === 'f64' ? (result as bigint) : BigInt.asIntN(32, result as bigint));
  }

  /** The last one first. */
  #checkPointers(kinds: readonly string[], given: readonly bigint[]): void {
    const { memory } = this;
    let next = given.length;
    for (const kind of [...kinds].reverse()) {
      next -= kind === 'P' ? 2 : 1;
      const at = Number(given[next]);
      if (kind === 'P') memory.checkRange(at, Number(given[next + 1]));
      else if (kind === 'Z') memory.checkText(at);
      else if (kind.startsWith('R')) memory.checkReference(at, Number(kind.slice(1)));
    }
  }
}
