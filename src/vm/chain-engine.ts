import { ChainError, fail } from '../base/errors.js';
import type { ContractEngine } from '../operations/contract/engine.js';
import { RUN_ERRORS } from './errors.js';
import { INSTRUCTIONS_UNLIMITED, instructionsFromMicroseconds, microsecondsFromInstructions } from './limits.js';
import type { ContractKeys } from './metered.js';
import type { Profiler } from './profile.js';
import { createContractEngine } from './runtime.js';

/** Of a call that takes longer than this node lets it, another node may think otherwise. */
function withOwnCap(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof ChainError && error.row === RUN_ERRORS.contract_time_exceeded)) throw error;
    fail(RUN_ERRORS.contract_own_time_exceeded);
  }
}

/**
 * The engine as contract operations use it. They limit and bill microseconds, as the chain's parameters and receipts
 * do; the meter counts instructions.
 */
export function chainContractEngine(keys: ContractKeys, profiler?: Profiler): ContractEngine {
  const engine = createContractEngine(keys, profiler);
  return {
    validate: (code) => engine.validate(code),
    begin(origin, limits, host) {
      const { timeUs, inlineCalls, inlineActionBytes, restarted } = limits;
      const instructions = timeUs === undefined ? INSTRUCTIONS_UNLIMITED : instructionsFromMicroseconds(timeUs);
      const session = engine.begin(origin, { instructions, inlineCalls, inlineActionBytes, restarted }, host);
      return {
        origin,
        execute: (action) => (limits.isOwnCap ? withOwnCap(() => session.execute(action)) : session.execute(action)),
        get cpuTimeUs() {
          return microsecondsFromInstructions(session.instructionsUsed);
        },
        ramUsage: () => session.ramUsage(),
        ramTotal: () => session.ramTotal(),
        console: () => session.console(),
      };
    },
  };
}
