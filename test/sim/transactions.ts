import type { QueryDoor } from '../../src/chain/doors.js';
import { encodeWith } from '../../src/codec/binary.js';
import { signatureDigest, tapos } from '../../src/crypto/digests.js';
import type { PrivateKey } from '../../src/crypto/private-key.js';
import { signatureBackend } from '../../src/crypto/signature.js';
import { quoteFee } from '../../src/operations/required-fee.js';
import { coreTarget } from '../../src/protocol/fee-target.js';
import type { Operation, OperationBody } from '../../src/protocol/operation-slot.js';
import { type SignedTransaction, transaction } from '../../src/protocol/transaction.js';
import { parameters } from '../../src/state/rules/parameters.js';
import type { ReadState } from '../../src/state/views.js';
import { operationByName } from '../support/operation-by-name.js';
import { resolveNames } from '../support/resolve-names.js';
import type { Given } from '../support/world.js';

/** Names stand for ids, what is left out has its default, the fee is what the chain asks for. */
export function operationOf(state: ReadState, name: string, given: Given): Operation {
  const definition = operationByName(name);
  if (definition === undefined) throw new Error(`there is no operation ${name}`);
  const fields = resolveNames(state, definition.schema, given) as Record<string, unknown>;
  const body = { ...definition.schema.default(), ...fields } as OperationBody;
  if (given.fee !== undefined) return [definition.tag, body];
  body.fee = { amount: 0n, asset_id: state.coreAsset };
  const schedule = parameters(state).current_fees;
  return [definition.tag, { ...body, fee: quoteFee(schedule, [definition.tag, body], coreTarget(state.coreAsset)) }];
}

export interface SigningInput {
  readonly operations: readonly Operation[];
  readonly keys: readonly PrivateKey[];
  readonly expiration: number;
  /** Block that the transaction refers to. */
  readonly reference: string;
}

export function signedTransactionOf(queries: QueryDoor, input: SigningInput): SignedTransaction {
  const unsigned = {
    ...tapos(input.reference),
    expiration: input.expiration,
    operations: [...input.operations],
    extensions: [],
  };
  const digest = encodeWith(transaction, unsigned, (bytes) => signatureDigest(queries.chainId, bytes));
  return { ...unsigned, signatures: input.keys.map((key) => signatureBackend().sign(digest, key)) };
}
