import { fail } from '../base/errors.js';
import type { ContractAction, ContractHost, InlineCall } from '../operations/contract/engine.js';
import { RUN_ERRORS } from './errors.js';
import type { ContractMemory } from './memory.js';
import type { ContractKeys, MeteredLimits } from './metered.js';
import { Printed } from './printed.js';
import { EntryIterators } from './tables/entries.js';
import { RamMeter } from './tables/ram.js';
import { RowIterators } from './tables/rows.js';
import type { WasmGlobal } from './web-assembly.js';

/** Prices of host functions are collected in a number and taken from the WebAssembly budget in larger pieces. */
const CHARGE_STEP = 4096;

/** State of one operation 75 that all its actions share. */
export class SessionState {
  readonly origin: number;
  readonly limits: MeteredLimits;
  readonly host: ContractHost;
  readonly keys: ContractKeys;
  readonly ram: RamMeter;
  instructionsUsed: bigint;
  inlineCalls = 0;
  readonly printed = new Printed();

  constructor(origin: number, limits: MeteredLimits, host: ContractHost, keys: ContractKeys) {
    this.origin = origin;
    this.limits = limits;
    this.host = host;
    this.keys = keys;
    this.instructionsUsed = limits.restarted?.spent ?? 0n;
    this.ram = new RamMeter(host.rules.ram_per_payer);
  }
}

/** What a host function sees: the action that runs, its memory, its iterators. Nothing of it survives the action. */
export class HostCall {
  readonly session: SessionState;
  readonly action: ContractAction;
  readonly memory: ContractMemory;
  readonly receiver: bigint;
  readonly rows: RowIterators;
  readonly entries: EntryIterators;
  readonly queue: InlineCall[] = [];
  private readonly budget: WasmGlobal<bigint>;
  private pending = 0;

  constructor(session: SessionState, action: ContractAction, memory: ContractMemory, budget: WasmGlobal<bigint>) {
    this.session = session;
    this.action = action;
    this.memory = memory;
    this.budget = budget;
    this.receiver = BigInt(action.contract);
    const access = {
      receiver: this.receiver,
      sender: BigInt(action.sender),
      origin: BigInt(session.origin),
      rules: session.host.rules,
      ram: session.ram,
    };
    this.rows = new RowIterators(session.host.store, access);
    this.entries = new EntryIterators(session.host.store, access);
  }

  get host(): ContractHost {
    return this.session.host;
  }

  /** What the budget still holds. */
  get instructionsLeft(): bigint {
    return this.budget.value - BigInt(this.pending);
  }

  charge(instructions: number): void {
    this.pending += instructions;
    if (this.pending >= CHARGE_STEP) this.settle();
  }

  /** Takes what host functions have cost so far from the budget. */
  settle(): void {
    const left = this.budget.value - BigInt(this.pending);
    this.pending = 0;
    this.budget.value = left;
    if (left < 0n) fail(RUN_ERRORS.contract_time_exceeded);
  }

  print(piece: string | Uint8Array): void {
    this.session.printed.add(piece);
  }
}
