import t from 'tap';
import { ChainError, defineErrors } from '../../src/base/errors.js';
import { INTAKE_ERRORS } from '../../src/node/ports/intake.js';
import { type ProcessedTransaction, signedTransaction } from '../../src/protocol/transaction.js';
import { Lane, Scheduler } from '../../src/rpc/dispatch/scheduler.js';
import { eachInPieces } from '../../src/rpc/pieces/pieces.js';
import { idOfTransaction } from '../../src/rpc/remembered/confirmations.js';
import { FakeClock } from '../support/fake-clock.js';
import { NETWORK } from '../support/network.js';
import { FakeChain } from './support/fake-chain.js';
import { type Asking, askable, goldenPorts } from './support/golden-rpc.js';
import { transactionsOf } from './support/recorded-transactions.js';

const base = goldenPorts();
const ROWS = defineErrors({ test_refusal: { text: 'no, because ${why}' } });

const found = transactionsOf(base.chain, 791)[0];
if (found === undefined) throw new Error('the recorded block has transactions');
const transaction: ProcessedTransaction = found;
const id = idOfTransaction(transaction);
const given = signedTransaction.toJson(transaction, NETWORK);

const call = (method: string, params: unknown[]): string =>
  JSON.stringify({ id: 1, method: 'call', params: [2, method, params] });

function world(): { chain: FakeChain; rpc: Asking } {
  const chain = new FakeChain(base);
  return { chain, rpc: askable(chain.ports) };
}

t.test('broadcast_transaction answers with the id, or with the reason', async (t) => {
  const { chain, rpc } = world();
  t.equal(JSON.parse((await rpc.ask('http', call('broadcast_transaction', [given]))) ?? '').result, id);
  t.equal(chain.pushed.length, 1);
  chain.refusal = new ChainError(ROWS.test_refusal, { why: 'so' }).within('while paying ${what}', { what: 'rent' });
  const { error } = JSON.parse((await rpc.ask('http', call('broadcast_transaction', [given]))) ?? '');
  t.equal(error.message, 'Assert Exception: no, because so while paying rent');
  t.equal(error.data.key, 'test_refusal');
  t.equal(error.data.stack[0].format, 'no, because ${why}');
  t.same(error.data.stack[0].data, { why: 'so' });
  t.equal(error.data.stack.at(-1).data['call.method'], 'call');
});

t.test('the synchronous form waits for the block', async (t) => {
  const { chain, rpc } = world();
  const waiting = rpc.ask('http', call('broadcast_transaction_synchronous', [given]));
  await new Promise(setImmediate);
  t.equal(rpc.rpc.services.confirmations.waiting, 1);
  t.equal(rpc.rpc.dispatcher.waiting, 1);
  chain.applied(900, [], []);
  chain.applied(901, [], [transaction]);
  const { result } = JSON.parse((await waiting) ?? '');
  t.match(result, { id, block_num: 901, trx_num: 0 });
  t.same(Object.keys(result), ['id', 'block_num', 'trx_num', 'trx']);
  t.ok(Object.hasOwn(result.trx, 'operation_results'));
  t.equal(rpc.rpc.services.confirmations.waiting, 0);
});

t.test('the synchronous form ends when it is refused, or has expired', async (t) => {
  const { chain, rpc } = world();
  chain.refusal = new ChainError(ROWS.test_refusal, { why: 'x' });
  const refused = JSON.parse((await rpc.ask('http', call('broadcast_transaction_synchronous', [given]))) ?? '');
  t.equal(refused.error.data.key, 'test_refusal');
  t.equal(rpc.rpc.services.confirmations.waiting, 0);
  chain.refusal = undefined;
  const waiting = rpc.ask('http', call('broadcast_transaction_synchronous', [given]));
  await new Promise(setImmediate);
  chain.applied(900, [], [], transaction.expiration);
  t.equal(rpc.rpc.services.confirmations.waiting, 1, 'in its last second it may still be taken');
  chain.applied(901, [], [], transaction.expiration + 1);
  chain.emit({ kind: 'irreversible', number: 900 });
  t.equal(rpc.rpc.services.confirmations.waiting, 1, 'another branch may still have it');
  chain.emit({ kind: 'irreversible', number: 901 });
  t.equal(JSON.parse((await waiting) ?? '').error.data.key, 'confirmation_expired');
});

t.test('what has expired in one branch and is in another one is told', async (t) => {
  const { chain, rpc } = world();
  const waiting = rpc.ask('http', call('broadcast_transaction_synchronous', [given]));
  await rpc.ask('ws', call('broadcast_transaction_with_callback', [5, given]));
  chain.applied(900, [], []);
  chain.applied(901, [], [], transaction.expiration + 1);
  chain.undone(901);
  chain.undone(900);
  chain.applied(900, [], [transaction], transaction.expiration);
  t.match(JSON.parse((await waiting) ?? ''), { result: { id, block_num: 900 } });
  t.match(JSON.parse(rpc.notices[0] ?? '{}'), { params: [5, [{ id, block_num: 900 }]] });
  chain.applied(901, [], [], transaction.expiration + 1);
  chain.emit({ kind: 'irreversible', number: 901 });
  t.same([rpc.rpc.services.confirmations.waiting, rpc.rpc.services.confirmations.told], [0, 0]);
});

t.test('the form with a callback tells once, over the connection', async (t) => {
  const { chain, rpc } = world();
  t.equal(
    JSON.parse((await rpc.ask('http', call('broadcast_transaction_with_callback', [5, given]))) ?? '').result,
    null,
    'over HTTP nobody can be told, and it is sent all the same',
  );
  t.equal(chain.pushed.length, 1);
  t.equal(rpc.rpc.services.confirmations.waiting, 0);
  t.equal(
    JSON.parse((await rpc.ask('ws', call('broadcast_transaction_with_callback', [5, given]))) ?? '').result,
    null,
  );
  chain.applied(901, [], [transaction]);
  chain.applied(902, [], [transaction]);
  t.equal(rpc.notices.length, 1);
  t.match(JSON.parse(rpc.notices[0] ?? ''), { method: 'notice', params: [5, [{ id, block_num: 901 }]] });
});

t.test('the callback stays when the push is refused, and the newest of a transaction is told', async (t) => {
  const { chain, rpc } = world();
  const { confirmations } = rpc.rpc.services;
  const send = async (callback: number) =>
    JSON.parse((await rpc.ask('ws', call('broadcast_transaction_with_callback', [callback, given]))) ?? '');
  t.equal((await send(5)).result, null);
  chain.refusal = new ChainError(ROWS.test_refusal, { why: 'it waits already' });
  t.equal((await send(6)).error.data.key, 'test_refusal');
  t.same([confirmations.waiting, confirmations.refused], [0, 1], 'it takes no place from others');
  chain.applied(901, [], [transaction]);
  t.same(
    rpc.notices.splice(0).map((text) => JSON.parse(text).params[0]),
    [6],
  );
  t.same([confirmations.waiting, confirmations.refused, confirmations.told], [0, 0, 1]);
  chain.refusal = undefined;
  t.equal((await send(7)).result, null, 'also in the place of one that was told already');
  t.same([confirmations.waiting, confirmations.told], [1, 0]);
  chain.applied(902, [], [transaction]);
  t.same(
    rpc.notices.splice(0).map((text) => JSON.parse(text).params[0]),
    [7],
  );
});

t.test('a client that goes away is not waited for', async (t) => {
  const { rpc } = world();
  const session = rpc.rpc.openSession({ address: 'x', canNotify: false, send: () => undefined });
  void rpc.rpc.dispatcher.handle(call('broadcast_transaction_synchronous', [given]), session);
  await new Promise(setImmediate);
  t.equal(rpc.rpc.services.confirmations.waiting, 1);
  session.close();
  t.equal(rpc.rpc.services.confirmations.waiting, 0);
});

t.test('a transaction is found by id, with its block and whether that is final', async (t) => {
  const { chain, rpc } = world();
  const ask = async (method: string): Promise<{ [key: string]: unknown } | null> =>
    JSON.parse((await rpc.ask('http', JSON.stringify({ id: 1, method, params: [id] }))) ?? '').result;
  t.equal(await ask('get_transaction_confirmation'), null);
  t.match(await ask('get_transaction_by_txid'), { block_number: 0 }, 'the family answers with an empty transaction');
  const block = transactionsOf(base.chain, 791);
  chain.applied(791, [], block);
  t.match(await ask('get_transaction_confirmation'), { id, block_num: 791, trx_in_block: 0, irreversible: false });
  t.match(await ask('get_transaction_by_txid'), { block_number: 0 }, 'not before its block is irreversible');
  t.equal(await ask('get_transaction_rows'), null, 'not before its block is irreversible');
  chain.undone(791, block);
  t.equal(await ask('get_transaction_confirmation'), null, 'a fork switch took it back');
  const old = transactionsOf(base.chain, 700);
  chain.applied(700, [], old);
  const [first] = old as [ProcessedTransaction];
  const text = JSON.stringify({ id: 1, method: 'get_transaction_rows', params: [idOfTransaction(first)] });
  t.ok(JSON.parse((await rpc.ask('http', text)) ?? '').result.operation_results);
  const final = JSON.parse((await rpc.ask('http', text.replace('_rows', '_by_txid'))) ?? '').result;
  t.equal(final.block_number, 700);
  t.equal(final.transaction.operations.length, first.operations.length);
});

t.test('who is told that there is no room has changed nothing', async (t) => {
  const chain = new FakeChain(base);
  const answers = (rpc: Asking, requests: readonly string[]) =>
    Promise.all(requests.map(async (request) => JSON.parse((await rpc.ask('ws', request)) ?? '')));
  const keys = (all: readonly { error?: { data: { key: string } } }[]) => all.map(({ error }) => error?.data.key);
  const five = <T>(value: T): T[] => new Array<T>(5).fill(value);
  const forms: readonly (readonly [string, unknown[]])[] = [
    ['broadcast_transaction', [given]],
    ['broadcast_transaction_with_callback', [5, given]],
  ];
  for (const [name, params] of forms) {
    const rpc = askable(chain.ports, { waiting_max: 2 });
    chain.pushed.length = 0;
    const told = keys(await answers(rpc, five(call(name, params))));
    t.same(told, [undefined, undefined, 'rpc_overloaded', 'rpc_overloaded', 'rpc_overloaded'], name);
    t.equal(chain.pushed.length, 2, `${name}: as many as there were places`);
    t.equal(rpc.rpc.dispatcher.waiting, 0);
    t.same(keys(await answers(rpc, [call(name, params)])), [undefined], 'the places are free again');
  }

  await t.test('the synchronous form keeps its place until a block has it', async (t) => {
    const rpc = askable(chain.ports, { waiting_max: 2 });
    chain.pushed.length = 0;
    const all = answers(rpc, five(call('broadcast_transaction_synchronous', [given])));
    await new Promise(setImmediate);
    t.same([chain.pushed.length, rpc.rpc.services.confirmations.waiting], [2, 2]);
    t.same(keys(await answers(rpc, [call('broadcast_transaction', [given])])), ['rpc_overloaded']);
    chain.applied(901, [], [transaction]);
    t.same(keys(await all), [undefined, undefined, 'rpc_overloaded', 'rpc_overloaded', 'rpc_overloaded']);
  });

  await t.test('a callback is not kept for what was not done', async (t) => {
    const rpc = askable(chain.ports);
    const { confirmations } = rpc.rpc.services;
    chain.refusal = new ChainError(INTAKE_ERRORS.intake_full, { count: 1, bytes: 1 });
    t.same(keys(await answers(rpc, [call('broadcast_transaction_with_callback', [5, given])])), ['intake_full']);
    t.same([confirmations.waiting, confirmations.refused], [0, 0]);
    chain.refusal = undefined;
  });
});

t.test('what was done in a batch is answered, however little room there is', async (t) => {
  const { chain } = world();
  const send = call('broadcast_transaction', [given]);
  const question = JSON.stringify({ id: 2, method: 'get_global_properties', params: [] });
  type Told = { id: number; result?: unknown; error?: { data: { key: string } } };
  const outcome = ({ result, error }: Told) => error?.data.key ?? (result === id ? 'done' : 'answered');

  const rpc = askable(chain.ports, { reply_bytes_max: 250 });
  const small = question.replace('get_global_properties', 'get_chain_id');
  const batch = `[${[send, small, small, small, send].join()}]`;
  const all = JSON.parse((await rpc.ask('http', batch)) ?? '') as Told[];
  t.same(all.map(outcome), ['done', ...new Array(4).fill('rpc_reply_too_large')]);
  t.equal(chain.pushed.length, 1, 'and what comes too late is not done');
});

t.test('work that was let in goes on when a request larger than the queue fills it', async (t) => {
  const scheduler = new Scheduler(new FakeClock(), { large_bytes: 1, queue_bytes_max: 10 });
  const lane = new Lane('of a connection');
  const large = scheduler.run(lane, eachInPieces([1], Number), 100);
  const settled = scheduler.run(lane, eachInPieces([1], Number), 0);
  await Promise.all([large, settled]);
  t.equal(scheduler.waiting, 0);
});
