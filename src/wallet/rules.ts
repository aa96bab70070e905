import type { Asset } from '../protocol/asset.js';
import type { RequiredAuthorities } from '../protocol/authority.js';
import type { FeeSchedule } from '../protocol/chain-parameters.js';
import type { FeeTarget } from '../protocol/fee-target.js';
import type { Instance } from '../protocol/ids.js';
import type { Operation } from '../protocol/operation-slot.js';

/**
 * What only those modules know of an operation that also carry it out: the wallet is handed it, so that whoever uses the
 * wallet's parts alone loads no chain.
 */
export interface OperationRules {
  /** Refuses what no chain would take, whatever its state. */
  validate(operation: Operation): void;
  payer(operation: Operation): Instance;
  /** Who has to agree to all of them together. */
  required(operations: readonly Operation[]): RequiredAuthorities;
  /** What an operation costs by a schedule. */
  fee(schedule: FeeSchedule, operation: Operation, target: FeeTarget): Asset;
}
