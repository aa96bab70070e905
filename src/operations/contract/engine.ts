import type { Asset } from '../../protocol/asset.js';
import type { Instance } from '../../protocol/ids.js';
import type { WriteState } from '../../state/views.js';
import type { OperationContext } from '../define.js';

/** What the contract operations need from an engine. The engine lives in `vm` and is passed in. */
export interface ContractEngine {
  /** Refuses code that the chain does not admit. */
  validateCode(code: Uint8Array): void;
  /** Runs one action on one contract; effects go through `call.host`, refusals are coded errors. */
  execute(call: ContractCall): ContractOutcome;
}

export interface ContractCall {
  readonly state: WriteState;
  readonly context: OperationContext;
  /** The contract whose code runs: receiver and code alike. */
  readonly contract: Instance;
  /** Who called: an account, or a contract for inline calls. */
  readonly sender: Instance;
  /** The account that signed the transaction. */
  readonly origin: Instance;
  readonly action: bigint;
  readonly data: Uint8Array;
  readonly amount: Asset | undefined;
  /** Deterministic budget of the whole call, in the engine's own units; undefined: unlimited by time. */
  readonly timeUsMax: number | undefined;
}

export interface InlineCall {
  readonly contract: Instance;
  readonly action: bigint;
  readonly data: Uint8Array;
  readonly amount: Asset | undefined;
}

export interface ContractOutcome {
  /** CPU time by the engine's meter. */
  readonly cpuTimeUs: number;
  /** RAM bytes by paying account. */
  readonly ramBytes: ReadonlyMap<Instance, bigint>;
  /** Queued by the code, to be run after it returned, in this order. */
  readonly inlineCalls: readonly InlineCall[];
  /** What the code printed. */
  readonly console: string;
}
