import type { WasmGlobal } from '../web-assembly.js';
import type { Machine } from './machine.js';

/** A machine counts in a number, which is exact below 2^53; it would take years to get through so many. */
const COUNTED_MAX = 1n << 52n;

/** The budget of a machine as the global of compiled code that it stands for. */
export class Budget implements WasmGlobal<bigint> {
  private readonly machine: Machine;
  private beyond = 0n;

  constructor(machine: Machine) {
    this.machine = machine;
  }

  get value(): bigint {
    return this.beyond + BigInt(this.machine.budget);
  }

  set value(value: bigint) {
    const counted = value < COUNTED_MAX ? value : COUNTED_MAX;
    this.beyond = value - counted;
    this.machine.budget = Number(counted);
  }
}
