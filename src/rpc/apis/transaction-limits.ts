import { check, defineErrors } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import { countBurden } from '../../operations/burdens.js';
import { AUTHORITY_ERRORS } from '../../protocol/authority-check.js';
import type { Operation, OperationWrapper } from '../../protocol/operation-slot.js';
import type { SignedTransaction } from '../../protocol/transaction.js';
import type { Pieces } from '../pieces/pieces.js';
import type { ChainPort } from '../ports.js';

/**
 * A transaction is tried in one go, because it happens as a whole or not at all. So what a client may put into one has
 * limits here; the chain itself takes any that fits into a block.
 */
export const TRANSACTION_LIMIT_ERRORS = defineErrors({
  transaction_operations_max: {
    kind: 'limit',
    text: 'a transaction from a client holds at most ${limit} operations, those in proposals counted, not ${count}',
  },
  transaction_calls_max: {
    kind: 'limit',
    text: 'a transaction from a client holds at most ${limit} contract calls, not ${count}',
  },
  transaction_signatures_max: {
    kind: 'limit',
    text: 'a transaction from a client has at most ${limit} signatures, not ${count}',
  },
  transaction_request_signatures_max: {
    kind: 'limit',
    text: 'the operations of a transaction from a client hold at most ${limit} signatures, not ${count}',
  },
});

const PROPOSAL_CREATE = 22;
const CONTRACT_CALL = 75;

/** Shows the operation itself and those proposed in it, at any depth. */
function withProposed(operation: Operation, see: (one: Operation) => void): void {
  see(operation);
  if (operation[0] !== PROPOSAL_CREATE) return;
  const { proposed_ops } = operation[1] as unknown as { readonly proposed_ops: readonly OperationWrapper[] };
  for (const { op } of proposed_ops) withProposed(op, see);
}

export function isContractCall([tag]: Operation): boolean {
  return tag === CONTRACT_CALL;
}

export function checkOperations(operations: readonly Operation[]): void {
  let count = 0;
  let calls = 0;
  const see = (one: Operation): void => {
    count++;
    if (isContractCall(one)) calls++;
  };
  for (const operation of operations) withProposed(operation, see);
  const { rpc_operations_max, rpc_contract_calls_max, held_signatures_max } = LIMITS;
  check(count <= rpc_operations_max, TRANSACTION_LIMIT_ERRORS.transaction_operations_max, {
    limit: rpc_operations_max,
    count,
  });
  check(calls <= rpc_contract_calls_max, TRANSACTION_LIMIT_ERRORS.transaction_calls_max, {
    limit: rpc_contract_calls_max,
    count: calls,
  });
  const signatures = countBurden('heldSignatures', operations);
  check(signatures <= held_signatures_max, TRANSACTION_LIMIT_ERRORS.transaction_request_signatures_max, {
    limit: held_signatures_max,
    count: signatures,
  });
}

export function checkTransaction({ operations, signatures }: SignedTransaction): void {
  checkOperations(operations);
  const limit = LIMITS.rpc_signatures_max;
  check(signatures.length <= limit, TRANSACTION_LIMIT_ERRORS.transaction_signatures_max, {
    limit,
    count: signatures.length,
  });
}

/** Asks with the keys that have signed; they are found by the threads. */
export async function withSigners<R>(
  chain: ChainPort,
  transaction: SignedTransaction,
  ask: (keys: readonly string[]) => R | Pieces<R>,
): Promise<R | Pieces<R>> {
  checkTransaction(transaction);
  const keys = await chain.signers(transaction);
  check(new Set(keys).size === keys.length, AUTHORITY_ERRORS.signature_duplicate);
  return ask(keys);
}
