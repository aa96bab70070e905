import type { ContractAction, ContractHost, Restarted } from '../operations/contract/engine.js';

/** The engine by its own meter: instructions instead of the microseconds that contract operations bill. */

export interface MeteredLimits {
  /** Budget of the whole operation 75 with its inline calls. */
  readonly instructions: bigint;
  /** Chain parameters `max_inter_contract_depth` and `max_inline_action_size`. */
  readonly inlineCalls: number;
  readonly inlineActionBytes: number;
  readonly restarted?: Restarted | undefined;
}

/** One operation 75 with everything it causes. */
export interface MeteredSession {
  /** Account of the operation 75. */
  readonly origin: number;
  /** Runs the code of one action, then its queued inline calls in order. */
  execute(action: ContractAction): void;
  readonly instructionsUsed: bigint;
  /** Bytes per account in ascending order of accounts; entries with 0 were touched and go into the receipt. */
  ramUsage(): readonly (readonly [account: number, bytes: number])[];
  /** Sum of all bytes of rows and entries, whoever pays: the figure of the old receipts. */
  ramTotal(): number;
  /** Output of the print functions. */
  console(): string;
}

export interface MeteredEngine {
  /** Deployment check; throws a coded error. */
  validate(code: Uint8Array): void;
  begin(origin: number, limits: MeteredLimits, host: ContractHost): MeteredSession;
}

/** Keys and signatures, from the crypto layer. */
export interface ContractKeys {
  /** True when the bytes are taken for the text of a key. */
  isText(bytes: Uint8Array): boolean;
  /** Compressed key of a prefixed base-58 text; throws a coded error. */
  parsePublicKey(text: Uint8Array): Uint8Array;
  /** Compressed key, or undefined when there is none. `signature` is 65 bytes and canonical. */
  recover(digest: Uint8Array, signature: Uint8Array): Uint8Array | undefined;
}
