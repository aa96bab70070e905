import { invariant } from '../base/errors.js';
import { array, lazy } from '../codec/containers.js';
import { struct } from '../codec/struct.js';
import type { Type, ValueOf } from '../codec/type.js';
import type { Asset } from './asset.js';

/**
 * The place of an operation inside transactions, proposals and blocks. Operations contain operations (proposals), and
 * the list of all operations lives above this layer; it is plugged in here once, when the registry is loaded.
 */
export interface OperationBody {
  fee: Asset;
}
/** `[tag, body]`. The body's exact type is known to the module of the operation with that tag. */
export type Operation = [tag: number, body: OperationBody];

let registered: Type<Operation> | undefined;

export function registerOperations(type: Type<Operation>): void {
  registered = type;
}

export const operation: Type<Operation> = lazy('operation', () => {
  invariant(registered !== undefined, 'the list of operations is loaded before anything is decoded');
  return registered;
});

/**
 * Fee parameters are a variant with one alternative per operation; the alternatives stand with the operations and are
 * plugged in the same way.
 */
export type FeeParameters = [tag: number, parameters: object];

let registeredFees: Type<FeeParameters> | undefined;

export function registerFeeParameters(type: Type<FeeParameters>): void {
  registeredFees = type;
}

export const feeParameters: Type<FeeParameters> = lazy('fee_parameters', () => {
  invariant(registeredFees !== undefined, 'the list of operations is loaded before anything is decoded');
  return registeredFees;
});

export const operationWrapper = struct('op_wrapper', { op: operation });
export type OperationWrapper = ValueOf<typeof operationWrapper>;
export const operations = array(operation);
