import { check, defineErrors } from '../base/errors.js';
import { sub64, wrapU64 } from '../base/int.js';
import { packedSize } from '../codec/binary.js';
import { type Asset, SHARE_SUPPLY_MAX } from '../protocol/asset.js';
import { FEE_SCALE_UNIT, type FeeSchedule, findFeeParameters } from '../protocol/chain-parameters.js';
import { type Operation, operation as operationType } from '../protocol/operation-slot.js';
import { type OperationResult, VOID_RESULT } from '../protocol/results.js';
import { adjustBalance } from '../state/rules/balances.js';
import { coreValueOfFee, feePayer } from '../state/rules/fee-checks.js';
import { bookFee, convertFee } from '../state/rules/fees.js';
import { parameters } from '../state/rules/parameters.js';
import type { ReadState, WriteState } from '../state/views.js';
import type { AnyOperationDef, AppliedOperation, OperationContext } from './define.js';
import { definitionOf } from './registered.js';

/**
 * The way of every operation: fee checks, the operation's own checks, booking of the fee, effects, deduction of the fee.
 * The order is consensus: the payer must still own the fee after the effects.
 */

export const PIPELINE_ERRORS = defineErrors({
  fee_insufficient: {
    code: 3030007,
    name: 'insufficient_fee',
    title: 'insufficient fee',
    text: 'Insufficient Fee Paid',
  },
  fee_above_supply: {
    text: 'scaled <= GRAPHENE_MAX_SHARE_SUPPLY: ',
    hint: 'the required fee of ${fee} is above the largest amount',
  },
  operation_without_evaluator: { text: 'eval: No registered evaluator for operation ${op}' },
});

/** Built-in fee parameters, made when a schedule without the operation's entry is first asked for it. */
const defaults = new Map<number, unknown>();

function feeParametersOf(definition: AnyOperationDef, schedule: FeeSchedule): unknown {
  const entry = findFeeParameters(schedule, definition.tag);
  if (entry !== undefined) return entry;
  let value = defaults.get(definition.tag);
  if (value === undefined) {
    value = Object.freeze(definition.fee.schema.default());
    defaults.set(definition.tag, value);
  }
  return value;
}

/** What the schedule demands for this operation, in the core asset. */
export function requiredFee(schedule: FeeSchedule, operation: Operation): bigint {
  const definition = definitionOf(operation[0]);
  const body = operation[1];
  const exact = definition.fee.calc(feeParametersOf(definition, schedule), body, () =>
    packedSize(definition.schema, body),
  );
  // Quirk: summed in 64 bits and read without a sign, so a negative parameter makes the fee huge.
  const base = wrapU64(exact);
  const scale = schedule.scale;
  const scaled = scale === FEE_SCALE_UNIT ? base : (base * BigInt(scale)) / BigInt(FEE_SCALE_UNIT);
  if (scaled > SHARE_SUPPLY_MAX) check(false, PIPELINE_ERRORS.fee_above_supply, { fee: scaled });
  return scaled;
}

function checkMinimum(state: ReadState, definition: AnyOperationDef, operation: Operation, core: bigint): void {
  const required =
    definition.feePolicy?.requiredFee?.(state, operation[1]) ?? requiredFee(parameters(state).current_fees, operation);
  if (core < required) {
    check(false, PIPELINE_ERRORS.fee_insufficient, { core_fee_paid: core, required });
  }
}

/** Applies one operation; the entry in the journal stands before those of operations that it runs in turn. */
export function runOperation(state: WriteState, operation: Operation, context: OperationContext): OperationResult {
  const definition = definitionOf(operation[0]);
  if (definition.noEvaluator === true) {
    check(false, PIPELINE_ERRORS.operation_without_evaluator, { op: operationType.toJson(operation, state.network) });
  }
  const journal = context.journal;
  const entry: AppliedOperation = {
    operation,
    result: VOID_RESULT,
    transaction: journal.transaction,
    index: journal.index,
    isVirtual: journal.depth > 0,
  };
  journal.operations.push(entry);
  journal.depth++;
  try {
    entry.result = evaluateAndApply(state, definition, operation, context);
    return entry.result;
  } finally {
    journal.depth--;
  }
}

function evaluateAndApply(
  state: WriteState,
  definition: AnyOperationDef,
  operation: Operation,
  context: OperationContext,
): OperationResult {
  const op = operation[1];
  const policy = definition.feePolicy;
  const fee: Asset = policy?.effectiveFee === undefined ? op.fee : policy.effectiveFee(state, op);
  const payer = feePayer(state, definition.payer(op), fee);
  const core = coreValueOfFee(state, payer, fee);
  if (policy?.minimum !== 'waived' && !context.issuedByContract) checkMinimum(state, definition, operation, core);
  const plan: unknown = definition.evaluate(state, op, context);

  const payment = policy?.payment;
  // Quirk: even if nothing is taken from the payer, the pool pays and the asset keeps the fee.
  if (payment !== 'self') convertFee(state, fee.asset_id, fee.amount, core);
  if (payment === undefined) {
    const isBooked = policy?.book?.(state, core) ?? false;
    if (!isBooked) bookFee(state, payer, policy?.bookedFee?.(state, op, core) ?? core);
  }
  const result = definition.apply(state, op, plan, context);
  if (payment === undefined) adjustBalance(state, payer.id, fee.asset_id, sub64(0n, fee.amount));
  return result;
}
