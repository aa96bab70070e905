import { check, type ErrorData, type ErrorRow } from '../../src/base/errors.js';
import { array } from '../../src/codec/containers.js';
import { u32 } from '../../src/codec/scalars.js';
import { INTAKE_ERRORS, TransactionIntake } from '../../src/node/ports/intake.js';
import { signedTransaction } from '../../src/protocol/transaction.js';
import { AUTHORITY_API_ERRORS } from '../../src/rpc/apis/database/authority.js';
import { TABLE_API_ERRORS } from '../../src/rpc/apis/database/contract-tables.js';
import { DEBUG_API_ERRORS } from '../../src/rpc/apis/debug.js';
import { checkTransaction, TRANSACTION_LIMIT_ERRORS } from '../../src/rpc/apis/transaction-limits.js';
import { Lane, Scheduler } from '../../src/rpc/dispatch/scheduler.js';
import { RPC_ERRORS } from '../../src/rpc/errors.js';
import { LIST_ERRORS } from '../../src/rpc/limits.js';
import { decodePieces } from '../../src/rpc/pieces/decode.js';
import { parseJsonPieces } from '../../src/rpc/pieces/json.js';
import { eachInPieces } from '../../src/rpc/pieces/pieces.js';
import { Sink } from '../../src/rpc/pieces/print.js';
import { inlineVerifier } from '../../src/verify/inline.js';
import { allPieces } from '../support/all-pieces.js';
import { FakeClock } from '../support/fake-clock.js';
import { NETWORK } from '../support/network.js';
import { assertion, type Refusal } from './define.js';

/** What a request may hold: limits of ours, with texts of ours. */

const LIMITS = { nodes_max: 3, members_max: 2 };
const parse = (text: string) => () => allPieces(parseJsonPieces(Buffer.from(text), LIMITS));
/** Rows that only a whole node can raise; their tests stand with its methods. */
const filled = (row: ErrorRow, data: ErrorData) => () => check(false, row, data);
const transfers = (count: number) => () =>
  checkTransaction({
    ...signedTransaction.default(),
    operations: Array.from({ length: count }, () => [0, {}] as never),
  });

export const refusals: readonly Refusal[] = [
  assertion(
    INTAKE_ERRORS.intake_full,
    'this node has 0 transactions of 0 bytes to check and takes no more at the moment',
    () =>
      new TransactionIntake(inlineVerifier(), '', { transactions: 0, bytes: 0 }).verify(
        signedTransaction.default(),
        () => undefined,
      ),
  ),
  assertion(RPC_ERRORS.rpc_json_nodes, 'a request holds at most 3 values', parse('[1,2,3]')),
  assertion(RPC_ERRORS.rpc_json_members, 'an object in a request has at most 2 members', parse('{"a":1,"b":2,"c":3}')),
  assertion(
    RPC_ERRORS.rpc_json_text,
    'a text in a request has at most 4300000 bytes',
    parse(JSON.stringify('a'.repeat(4_400_000))),
  ),
  assertion(RPC_ERRORS.rpc_reply_too_large, 'the answer has 4 bytes or more; this node sends at most 3', () =>
    new Sink(3).put('text'),
  ),
  assertion(
    RPC_ERRORS.rpc_queue_full,
    'this node has no room for another request at the moment; try again later',
    () => {
      const scheduler = new Scheduler(new FakeClock(), { large_bytes: 0, queue_bytes_max: 10_000 });
      for (let i = 0; i < 2; i++) scheduler.run(new Lane('test'), eachInPieces([], Number), 9_000);
    },
  ),
  assertion(LIST_ERRORS.list_too_long, 'at most 300 elements in one request, not 301', () =>
    allPieces(decodePieces(array(u32), new Array(301).fill(0), NETWORK, 300)),
  ),
  assertion(
    TRANSACTION_LIMIT_ERRORS.transaction_operations_max,
    'a transaction from a client holds at most 1000 operations, those in proposals counted, not 1001',
    transfers(1001),
  ),
  assertion(
    TRANSACTION_LIMIT_ERRORS.transaction_calls_max,
    'a transaction from a client holds at most 10 contract calls, not 11',
    () =>
      checkTransaction({
        ...signedTransaction.default(),
        operations: Array.from({ length: 11 }, () => [75, {}] as never),
      }),
  ),
  assertion(
    TRANSACTION_LIMIT_ERRORS.transaction_signatures_max,
    'a transaction from a client has at most 1000 signatures, not 1001',
    () =>
      checkTransaction({
        ...signedTransaction.default(),
        signatures: Array.from({ length: 1001 }, () => new Uint8Array(65)),
      }),
  ),
  assertion(
    AUTHORITY_API_ERRORS.fee_question_calls,
    'at most 100 contract calls in one question for fees, not 101',
    filled(AUTHORITY_API_ERRORS.fee_question_calls, { limit: 100, count: 101 }),
  ),
  assertion(
    TABLE_API_ERRORS.action_arguments_large,
    'the arguments of an action hold more than 20000 values',
    filled(TABLE_API_ERRORS.action_arguments_large, { limit: 20_000 }),
  ),
  assertion(
    DEBUG_API_ERRORS.debug_blocks_too_many,
    'at most 100000 blocks in one request, not 4294967295',
    filled(DEBUG_API_ERRORS.debug_blocks_too_many, { limit: 100_000, count: 4_294_967_295 }),
  ),
];
