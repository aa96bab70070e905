import { LIMITS } from '../base/limits.js';
import { signatureBackend } from '../crypto/signature.js';
import type { ContractEngine } from '../operations/contract/engine.js';
import { newJournal, type OperationContext } from '../operations/define.js';
import { runOperation } from '../operations/pipeline.js';
import type { Instance } from '../protocol/ids.js';

/** A context whose fields follow the run: billed time per operation, transaction per transaction. */
export type RunContext = { -readonly [K in keyof OperationContext]: OperationContext[K] };

export interface ContextInput {
  readonly skip: number;
  readonly engine: ContractEngine;
  readonly contractTimeUsMax: number;
  blockId(number: number): string | undefined;
  readonly impersonated?: ReadonlySet<Instance>;
}

/** Operations that others run inherit everything but what the caller sets. */
function derive(base: OperationContext, how: Partial<OperationContext>): OperationContext {
  const derived: RunContext = { ...base, ...how };
  derived.run = (state, operation, more) => runOperation(state, operation, derive(derived, more));
  return derived;
}

/** One context per block, or per pending transaction. */
export function newContext(input: ContextInput): RunContext {
  const journal = newJournal();
  const context: RunContext = {
    skip: input.skip,
    proposed: false,
    issuedByContract: false,
    billedCpuUs: 0,
    engine: input.engine,
    contractTimeUsMax: input.contractTimeUsMax,
    contractTime: { usedUs: 0 },
    contractMemos: { bytes: 0, bytesMax: LIMITS.contract_memo_bytes_max },
    contractArguments: { bytes: 0, bytesMax: LIMITS.contract_argument_bytes_max },
    blockId: input.blockId,
    recoverKey: (digest, signature) => signatureBackend().recover(digest, signature),
    run: (state, operation, how) => runOperation(state, operation, derive(context, how)),
    journal,
  };
  // Not spread into it: what follows a spread is added field by field, which cost more than all the rest.
  if (input.impersonated !== undefined) context.impersonated = input.impersonated;
  return context;
}
