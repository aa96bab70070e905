import { check, invariant } from '../base/errors.js';
import { type ContractAction, ContractRestart } from '../operations/contract/engine.js';
import { ContractCache } from './contract-cache.js';
import { RUN_ERRORS } from './errors.js';
import { TRAP } from './float-helpers.js';
import { bind } from './host/define.js';
import { HOST_FUNCTIONS, HOST_TYPES } from './host/index.js';
import { ContractExit } from './host/system.js';
import { HostCall, SessionState } from './host-call.js';
import type { Execution } from './load-contract.js';
import { ContractMemory } from './memory.js';
import type { ContractKeys, MeteredEngine, MeteredSession } from './metered.js';
import { ActionCounts, type Profiler } from './profile.js';
import { errorOfTrap } from './trap.js';
import { validateModule } from './validate.js';
import type { WasmImports } from './web-assembly.js';

/** The contract engine: see `context.ts` for what it offers and needs. */
export function createContractEngine(keys: ContractKeys, profiler?: Profiler, execution?: Execution): MeteredEngine {
  const runtime = new Runtime(profiler, execution);
  return {
    validate: (code) => {
      validateModule(code, HOST_TYPES);
    },
    begin: (origin, limits, host) => new Session(runtime, new SessionState(origin, limits, host, keys)),
  };
}

class Session implements MeteredSession {
  private readonly runtime: Runtime;
  private readonly state: SessionState;

  constructor(runtime: Runtime, state: SessionState) {
    this.runtime = runtime;
    this.state = state;
  }

  get origin(): number {
    return this.state.origin;
  }

  get instructionsUsed(): bigint {
    return this.state.instructionsUsed;
  }

  execute(action: ContractAction): void {
    const queue = this.runtime.run(this.state, action);
    for (const inline of queue) this.state.host.effects.callContract(inline);
  }

  ramUsage(): readonly (readonly [account: number, bytes: number])[] {
    return this.state.ram.usage();
  }

  ramTotal(): number {
    return this.state.ram.total;
  }

  console(): string {
    return this.state.printed.read();
  }
}

class Runtime {
  private readonly cache: ContractCache;
  private readonly profiler: Profiler | undefined;
  /** Counts of the action that runs, when somebody wants a profile. */
  private counts: ActionCounts | undefined;
  private readonly imports: WasmImports;
  /** The action that runs; contracts never interrupt each other, so one place is enough. */
  private current: HostCall | undefined;

  constructor(profiler: Profiler | undefined, execution: Execution = 'by size') {
    this.profiler = profiler;
    this.cache = new ContractCache({ isProfiled: profiler !== undefined, execution });
    const env: Record<string, (...args: never[]) => unknown> = {};
    const current = (): HostCall => {
      invariant(this.current !== undefined, 'host functions are called by a running action only');
      return this.current;
    };
    for (const [name, definition] of HOST_FUNCTIONS) {
      const bound = bind(definition, current);
      env[name] =
        profiler === undefined ? bound : (...args) => this.counts?.host(name, current(), () => bound(...args));
    }
    this.imports = { env };
  }

  /** Runs one action and returns the inline calls that it queued. */
  run(session: SessionState, action: ContractAction): HostCall['queue'] {
    const code = session.host.chain.contract(action.contract);
    invariant(code !== undefined, 'the evaluator has seen the code of the contract');
    const { codeVersion } = code;
    const contract = this.cache.get(codeVersion, code.code, session.limits.restarted?.interpreted.has(codeVersion));
    session.instructionsUsed += BigInt(contract.startCost);
    const budget = session.limits.instructions - session.instructionsUsed;
    check(budget >= 0n, RUN_ERRORS.contract_time_exceeded);
    const exports = contract.instance(this.imports);
    const memory = new ContractMemory(exports.memory, exports.pages);
    exports.instructions.value = budget;
    const call = new HostCall(session, action, memory, exports.instructions);
    invariant(this.current === undefined, 'contracts run one after the other');
    this.current = call;
    if (this.profiler !== undefined) this.counts = new ActionCounts(action, contract.startCost, exports, budget);
    let inStart = true;
    try {
      exports.start?.();
      inStart = false;
      const receiver = BigInt(action.contract);
      exports.apply(receiver, receiver, BigInt.asIntN(64, action.method));
    } catch (error) {
      if (exports.trap.value === TRAP.shrink) {
        throw new ContractRestart(codeVersion, session.instructionsUsed + budget - call.instructionsLeft);
      }
      if (!(error instanceof ContractExit)) throw errorOfTrap(error, exports, inStart);
    } finally {
      this.current = undefined;
      this.profile(call);
    }
    call.settle();
    session.instructionsUsed += budget - exports.instructions.value;
    if (this.profiler === undefined) this.cache.release(contract, exports);
    return call.queue;
  }

  private profile(call: HostCall): void {
    if (this.counts !== undefined) this.profiler?.onAction(this.counts.finish(call.instructionsLeft));
    this.counts = undefined;
  }
}
