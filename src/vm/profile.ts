import type { ContractAction } from '../operations/contract/engine.js';
import type { HostCall } from './host-call.js';
import type { ContractExports } from './web-assembly.js';

/** What one function has cost by itself, without the functions that it called. */
export interface FunctionCounts {
  readonly calls: bigint;
  readonly instructions: bigint;
}

/** Where the instructions of one action went. The same code without a profile has the same sums. */
export interface ActionProfile {
  readonly contract: number;
  readonly method: bigint;
  /** All of the action, with its start and what host functions and memory cost. */
  readonly instructions: bigint;
  /** Price of getting the contract ready. */
  readonly start: bigint;
  /** The contract's own functions, in the order of their bodies; the flat price of a host call is the caller's. */
  readonly functions: readonly FunctionCounts[];
  /** Host functions by name: what they cost beside that. */
  readonly host: ReadonlyMap<string, FunctionCounts>;
}

/** Wants to know what contracts spend; an engine with one is slower and must not be used by a node. */
export interface Profiler {
  /** At the end of every action, whether it succeeded or not, in the order of their ends. */
  onAction(profile: ActionProfile): void;
}

/** Counts of the action that is running. */
export class ActionCounts {
  private readonly action: ContractAction;
  private readonly startCost: number;
  private readonly exports: ContractExports;
  private readonly budget: bigint;
  private readonly hostCounts = new Map<string, { calls: bigint; instructions: bigint }>();

  constructor(action: ContractAction, startCost: number, exports: ContractExports, budget: bigint) {
    this.action = action;
    this.startCost = startCost;
    this.exports = exports;
    this.budget = budget;
  }

  host<R>(name: string, call: HostCall, body: () => R): R {
    const before = call.instructionsLeft;
    let counts = this.hostCounts.get(name);
    if (counts === undefined) {
      counts = { calls: 0n, instructions: 0n };
      this.hostCounts.set(name, counts);
    }
    counts.calls++;
    try {
      return body();
    } finally {
      counts.instructions += before - call.instructionsLeft;
    }
  }

  finish(instructionsLeft: bigint): ActionProfile {
    const functions: FunctionCounts[] = [];
    for (let body = 0; ; body++) {
      const calls = this.exports[`calls ${body}`];
      if (calls === undefined) break;
      functions.push({ calls: calls.value, instructions: this.exports[`instructions ${body}`]?.value ?? 0n });
    }
    const start = BigInt(this.startCost);
    return {
      contract: this.action.contract,
      method: this.action.method,
      instructions: start + this.budget - instructionsLeft,
      start,
      functions,
      host: this.hostCounts,
    };
  }
}
