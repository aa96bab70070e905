import type { Json, JsonObject } from '../../src/codec/json.js';
import { HTTP_ERRORS } from '../../src/http/errors.js';
import { AUTHORITY_ERRORS } from '../../src/protocol/authority-check.js';
import { signedTransaction } from '../../src/protocol/transaction.js';
import { TRANSACTION_LIMIT_ERRORS } from '../../src/rpc/apis/transaction-limits.js';
import { Lane, Scheduler } from '../../src/rpc/dispatch/scheduler.js';
import type { DispatcherLimits } from '../../src/rpc/dispatcher.js';
import { RPC_ERRORS } from '../../src/rpc/errors.js';
import { WATCH_ERRORS } from '../../src/rpc/notices/subscriptions.js';
import type { RpcPorts } from '../../src/rpc/ports.js';
import { CONFIRMATION_ERRORS, Confirmations } from '../../src/rpc/remembered/confirmations.js';
import { Rpc } from '../../src/rpc/rpc.js';
import { ApiAccess } from '../../src/rpc/sessions/access.js';
import type { Session } from '../../src/rpc/sessions/session.js';
import { FakeChain } from '../rpc/support/fake-chain.js';
import { askable, goldenPorts } from '../rpc/support/golden-rpc.js';
import { transactionsOf } from '../rpc/support/recorded-transactions.js';
import { FakeClock } from '../support/fake-clock.js';
import { NETWORK } from '../support/network.js';
import { assertion, type Refusal } from './define.js';

/** Refusals of the RPC layer itself, whatever method is asked for. */

const ports = goldenPorts();

const call = (method: string, params: Json = []): string => JSON.stringify({ id: 1, method, params });
const asked =
  (transport: 'ws' | 'http', text: string, limits: Partial<DispatcherLimits> = {}, node: RpcPorts = ports) =>
  () =>
    askable(node, limits).ask(transport, text);

const own = (
  row: Refusal['row'],
  [code, name, title]: readonly [number, string, string],
  text: string,
  raise: () => unknown,
): Refusal => ({ row, code, name, message: `${title}: ${text}`, raise });
const BAD_CAST = [7, 'bad_cast_exception', 'Bad Cast'] as const;
const TRANSACTION = [3030000, 'transaction_exception', 'transaction validation exception'] as const;

function sessionOf(access: ApiAccess): { readonly session: Session; ask(text: string): Promise<string | undefined> } {
  const rpc = new Rpc(ports, { access });
  const session = rpc.openSession({ address: 'test', canNotify: true, send: () => undefined, mayAsk: () => false });
  return { session, ask: async (text) => rpc.dispatcher.handle(text, session) };
}

/** A transaction of the recorded chain, with other members. */
function transactionWith(members: JsonObject): JsonObject {
  const [transaction] = transactionsOf(ports.chain, 791);
  if (transaction === undefined) throw new Error('the recorded block has transactions');
  return { ...(signedTransaction.toJson(transaction, NETWORK) as JsonObject), ...members };
}

const TRANSFER: Json = [
  0,
  {
    fee: { amount: 0, asset_id: '1.3.1' },
    from: '1.2.31',
    to: '1.2.32',
    amount: { amount: 1, asset_id: '1.3.1' },
    extensions: [],
  },
];
const CONTRACT_CALL: Json = [
  75,
  {
    fee: { amount: 0, asset_id: '1.3.1' },
    account: '1.2.42',
    contract_id: '1.2.54',
    method_name: 'hi',
    data: '',
    extensions: [],
  },
];
const many = (count: number, one: Json): Json[] => Array.from({ length: count }, () => one);
const validated = (members: JsonObject) => asked('http', call('validate_transaction', [transactionWith(members)]));

/** Somebody waits for a transaction over HTTP while `work` goes on. */
function whileWaiting(
  work: (chain: FakeChain, rpc: Rpc, expiration: number) => void,
  node: RpcPorts = ports,
): () => Promise<unknown> {
  return async () => {
    const chain = new FakeChain(node);
    const { ask, rpc } = askable(chain.ports);
    const transaction = transactionWith({});
    const answer = ask('http', call('call', [2, 'broadcast_transaction_synchronous', [transaction]]));
    await new Promise(setImmediate);
    work(chain, rpc, signedTransaction.fromJson(transaction, NETWORK).expiration);
    return answer;
  };
}

/** Of a node to which no blocks come. */
const stopped = new FakeClock();

const failing: RpcPorts = {
  ...ports,
  chain: {
    ...ports.chain,
    packedBlock: () => {
      throw new Error('boom');
    },
  },
};

export const refusals: readonly Refusal[] = [
  {
    ...assertion(
      RPC_ERRORS.rpc_method_unknown,
      "itr != _by_name.end(): no method with name 'get_tset'",
      asked('http', call('get_tset')),
    ),
    hint: 'did you mean get_test?',
  },
  {
    ...assertion(
      RPC_ERRORS.rpc_api_unknown,
      '_local_apis.size() > api_id: ',
      asked('http', call('call', [99, 'x', []])),
    ),
    hint: 'this connection has no api with the id 99; the login API gives out ids',
  },
  assertion(WATCH_ERRORS.watching_ids, 'a connection subscribes through at most 10 of its api ids', async () => {
    const { session, ask } = sessionOf(ApiAccess.open());
    let answer: string | undefined;
    for (let i = 0; i < 11; i++) {
      session.login('*', '');
      answer = await ask(call('call', [session.apiId('database'), 'set_block_applied_callback', [1]]));
    }
    return answer;
  }),
  assertion(RPC_ERRORS.rpc_api_ids, 'a connection is given at most 100 api ids', async () => {
    const { session, ask } = sessionOf(ApiAccess.open());
    for (let i = 0; i < 96; i++) {
      session.login('*', '');
      session.apiId('database');
    }
    session.login('*', '');
    return ask(call('call', [1, 'database', []]));
  }),
  {
    ...assertion(RPC_ERRORS.rpc_api_not_enabled, '_asset_api: ', () =>
      sessionOf(ApiAccess.parse('{"permission_map":[]}')).ask(call('call', ['asset', 'get_all_asset_holders', []])),
    ),
    hint: 'the asset API is not open to this connection; log in as a user whom api-access lets use it',
  },
  {
    ...assertion(
      RPC_ERRORS.rpc_call_shape,
      'args.size() == 3 && args[2].is_array(): ',
      asked('http', call('call', [0, 'get_test'])),
    ),
    hint: 'call takes three parameters: an api, the name of a method and a list of arguments',
  },
  {
    ...assertion(
      RPC_ERRORS.rpc_arguments_missing,
      'a0 != e: too few arguments passed to method',
      asked('http', call('get_block')),
    ),
    hint: 'get_block takes block_num',
  },
  assertion(
    RPC_ERRORS.rpc_argument_missing,
    'the argument block_num is missing; the method takes block_num',
    asked('http', '{"id":1,"method":"get_block","params":{}}'),
  ),
  assertion(
    RPC_ERRORS.rpc_argument_unknown,
    'there is no argument number; the method takes block_num',
    asked('http', '{"id":1,"method":"get_block","params":{"number":1}}'),
  ),
  assertion(
    RPC_ERRORS.rpc_id_too_long,
    'an id has at most 256 characters',
    asked('http', `{"id":"${'x'.repeat(257)}","method":"get_test"}`),
  ),
  {
    ...assertion(
      RPC_ERRORS.rpc_reply_unknown,
      'await != _awaiting.end(): Unknown Response ID: 5',
      asked('http', '{"id":5}'),
    ),
    hint: 'a request names a method; what has none is taken for an answer to a question of this node',
  },
  own(RPC_ERRORS.rpc_not_an_object, BAD_CAST, 'Invalid cast from string_type to Object', asked('http', '"get_test"')),
  {
    ...own(RPC_ERRORS.rpc_empty, [11, 'eof_exception', 'End Of File'], 'stringstream', asked('http', ' ')),
    hint: 'the request has no body',
  },
  assertion(
    RPC_ERRORS.rpc_batch_too_long,
    'a batch holds at most 2 requests, not 3',
    asked('http', `[${[1, 2, 3].map(() => call('get_test')).join()}]`, { batch_max: 2 }),
  ),
  own(
    RPC_ERRORS.rpc_batch_empty,
    BAD_CAST,
    'Invalid cast from array_type to Object: an empty batch',
    asked('http', '[]'),
  ),
  assertion(
    RPC_ERRORS.rpc_reply_too_large,
    'the answer has 2692 bytes or more; this node sends at most 1000',
    asked('http', call('get_config'), { reply_bytes_max: 1000 }),
  ),
  assertion(
    RPC_ERRORS.rpc_overloaded,
    'this node has 0 requests under way and takes no more at the moment',
    asked('http', call('call', [2, 'broadcast_transaction', [transactionWith({})]]), { waiting_max: 0 }),
  ),
  assertion(
    RPC_ERRORS.rpc_json_nodes,
    'a request holds at most 10 values',
    asked('http', call('get_test', many(80_000, 0)), { nodes_max: 10 }),
  ),
  assertion(
    RPC_ERRORS.rpc_json_text,
    'a text in a request has at most 4300000 bytes',
    asked('http', call('get_account_by_name', ['x'.repeat(4_400_000)])),
  ),
  assertion(
    RPC_ERRORS.rpc_json_members,
    'an object in a request has at most 10 members',
    asked('http', call('get_test', [Object.fromEntries(many(80_000, 0).map((_, i) => [`k${i}`, 0]))]), {
      members_max: 10,
    }),
  ),
  assertion(
    RPC_ERRORS.rpc_queue_full,
    'this node has no room for another request at the moment; try again later',
    () => {
      const scheduler = new Scheduler(ports.clock, { queue_bytes_max: 10, large_bytes: 1 });
      const lane = new Lane('test');
      const work = function* () {
        yield undefined;
        return 'done';
      };
      void scheduler.run(lane, work(), 5);
      return scheduler.run(lane, work(), 6);
    },
  ),
  assertion(HTTP_ERRORS.http_rate, 'too many requests from this address; try again later', () =>
    sessionOf(ApiAccess.open()).ask(`[${call('get_test')},${call('get_test')}]`),
  ),
  own(
    RPC_ERRORS.rpc_internal,
    [1, 'unhandled_exception', 'Internal error'],
    'boom',
    asked('http', call('get_block', [1]), {}, failing),
  ),
  assertion(
    RPC_ERRORS.rpc_connection_closed,
    'the connection was closed while its request was under way',
    whileWaiting((_, rpc) => rpc.close()),
  ),
  own(
    CONFIRMATION_ERRORS.confirmation_expired,
    TRANSACTION,
    'transaction fee1a635e529d19ddbdc9d104edc0f133ac03b10 expired before a block took it',
    whileWaiting((chain, _, expiration) => {
      chain.applied(900, [], [], expiration + 1);
      chain.emit({ kind: 'irreversible', number: 900 });
    }),
  ),
  assertion(
    CONFIRMATION_ERRORS.confirmation_unknown,
    'transaction fee1a635e529d19ddbdc9d104edc0f133ac03b10 has expired, and no block since then is irreversible: whether one has taken it is not known here yet',
    whileWaiting(() => stopped.advance(100_000_000), { ...ports, clock: stopped }),
  ),
  assertion(
    CONFIRMATION_ERRORS.confirmation_waiters,
    'this node waits for 0 transactions already and takes no more at the moment',
    () =>
      new Confirmations(ports, { waiting_max: 0 }).wait('00', {
        expiration: 0,
        included: () => undefined,
        refused: () => undefined,
      }),
  ),
  assertion(
    TRANSACTION_LIMIT_ERRORS.transaction_operations_max,
    'a transaction from a client holds at most 1000 operations, those in proposals counted, not 1001',
    validated({ operations: many(1001, TRANSFER) }),
  ),
  assertion(
    TRANSACTION_LIMIT_ERRORS.transaction_calls_max,
    'a transaction from a client holds at most 10 contract calls, not 11',
    validated({ operations: many(11, CONTRACT_CALL) }),
  ),
  assertion(
    TRANSACTION_LIMIT_ERRORS.transaction_signatures_max,
    'a transaction from a client has at most 1000 signatures, not 1001',
    validated({ signatures: many(1001, '00'.repeat(65)) }),
  ),
  assertion(
    TRANSACTION_LIMIT_ERRORS.transaction_request_signatures_max,
    'the operations of a transaction from a client hold at most 500 signatures, not 501',
    validated({ operations: [[73, { request_params: { signatures: many(501, '00'.repeat(65)) } }]] }),
  ),
  own(
    AUTHORITY_ERRORS.signature_duplicate,
    [3030005, 'tx_duplicate_sig', 'duplicate signature included'],
    'Duplicate Signature detected',
    () => {
      const { signatures } = transactionWith({}) as { signatures: Json[] };
      return asked(
        'http',
        call('verify_authority', [transactionWith({ signatures: [...signatures, ...signatures] })]),
      )();
    },
  ),
];
