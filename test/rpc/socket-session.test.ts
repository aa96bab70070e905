import t from 'tap';
import type { Json } from '../../src/codec/json.js';
import { anyCaller } from '../../src/http/caller.js';
import type { OpenSocket } from '../../src/http/handler.js';
import { MemoryBudget } from '../../src/http/memory-budget.js';
import { type SignedTransaction, signedTransaction } from '../../src/protocol/transaction.js';
import type { PushedTransaction } from '../../src/rpc/ports.js';
import { idOfTransaction } from '../../src/rpc/remembered/confirmations.js';
import { RpcSocketSession } from '../../src/rpc/sessions/socket-session.js';
import { eventually } from '../support/eventually.js';
import { NETWORK } from '../support/network.js';
import { FakeChain } from './support/fake-chain.js';
import { askable, goldenPorts } from './support/golden-rpc.js';
import { transactionsOf } from './support/recorded-transactions.js';

const base = goldenPorts();
const transactions = [791, 792, 793, 794, 795, 796].flatMap((number) => transactionsOf(base.chain, number)).slice(0, 4);

const PLACES = 3;

t.test(
  'so many requests of one WebSocket wait at once; a place is free again as soon as one is answered',
  async (t) => {
    const chain = new FakeChain(base);
    const { rpc } = askable(chain.ports);
    const answers: { id: Json; result?: Json; error?: { message: string } }[] = [];
    const socket: OpenSocket = {
      send: (text) => answers.push(JSON.parse(text)) > 0,
      together: (work) => work(),
    };
    const parts = { rpc, limits: { waiting_per_connection_max: PLACES, held_chars_max: 10_000 }, mayAsk: () => true };
    const session = new RpcSocketSession(parts, socket, anyCaller('10.1.1.1'), undefined);
    const wait = (id: number): void => {
      const params = [
        2,
        'broadcast_transaction_synchronous',
        [signedTransaction.toJson(transactions[id] as never, NETWORK)],
      ];
      session.message(JSON.stringify({ id, method: 'call', params }));
    };
    t.equal(transactions.length, PLACES + 1);
    for (let id = 0; id < PLACES; id++) wait(id);
    await eventually('all of them wait', () => rpc.dispatcher.waiting === PLACES);
    t.same(answers, [], 'none is refused');
    wait(PLACES);
    t.match(answers.shift()?.error?.message, `has ${PLACES} requests under way`);
    t.equal(chain.pushed.length, PLACES, 'what was refused was not done');
    chain.applied(900, [], [transactions[1] as never]);
    await eventually('one is answered', () => answers.length === 1);
    t.equal(answers.shift()?.id, 1);
    wait(PLACES);
    await eventually('the last one has its place', () => chain.pushed.length === PLACES + 1);
    chain.applied(901, [], transactions.filter((_, i) => i !== 1) as never);
    await eventually('all are answered', () => answers.length === PLACES);
    t.same(answers.map(({ id }) => id).sort(), [0, 2, 3]);
    session.close();
    rpc.close();
  },
);

t.test('answers leave in the order of their requests', async (t) => {
  const chain = new FakeChain(base);
  const pushes: { done(): void; fail(reason: Error): void }[] = [];
  const push = (transaction: SignedTransaction) =>
    new Promise<PushedTransaction>((resolve, reject) => {
      const id = idOfTransaction(transaction);
      pushes.push({
        done: () => resolve({ id, transaction: { ...transaction, operation_results: [] } }),
        fail: reject,
      });
    });
  const { rpc } = askable({ ...chain.ports, chain: { ...chain.ports.chain, push } });
  const room = new MemoryBudget(1_000_000);
  const answers: Json[] = [];
  let isTooOften = false;
  const socket: OpenSocket = {
    send: (text) => answers.push(...[JSON.parse(text)].flat().map(({ id }) => id)) > 0,
    together: (work) => work(),
  };
  const open = (held_chars_max: number) => {
    pushes.length = 0;
    answers.length = 0;
    const limits = { waiting_per_connection_max: 10, held_chars_max };
    const session = new RpcSocketSession(
      { rpc, limits, room, mayAsk: () => !isTooOften },
      socket,
      anyCaller('10.1.1.1'),
      undefined,
    );
    const ask = (id: number, method: string, params: Json = [], blanks = 0): void =>
      session.message(JSON.stringify({ id, method, params }) + ' '.repeat(blanks));
    const send = (id: number, method = 'broadcast_transaction'): void =>
      ask(id, 'call', [2, method, [signedTransaction.toJson(transactions[0] as never, NETWORK)]]);
    return { session, ask, send };
  };
  const immediate = () => new Promise(setImmediate);
  const LARGE = 300_000;

  await t.test('a large request and a small one', async (t) => {
    const { session, ask } = open(10_000);
    ask(1, 'get_test', [], LARGE);
    // In the turn in which the first one is done, before its answer has left.
    setImmediate(() => ask(2, 'get_test'));
    await eventually('both are answered', () => answers.length === 2);
    t.same(answers, [1, 2]);
    ask(3, 'get_test');
    t.same(answers, [1, 2, 3], 'at once, where nothing older waits');
    session.close();
  });

  await t.test('what is asked behind a transaction whose signatures are looked at elsewhere', async (t) => {
    const { session, ask, send } = open(10_000);
    send(1);
    ask(2, 'get_test');
    send(3);
    ask(4, 'nobody_has_this');
    ask(5, 'get_test', [], LARGE);
    await eventually('both are pushed', () => pushes.length === 2);
    for (let turns = 0; turns < 4; turns++) await immediate();
    t.same(answers, []);
    t.ok(room.bytes > 0, 'what is ready is counted');
    pushes[1]?.fail(new Error('refused'));
    for (let turns = 0; turns < 4; turns++) await immediate();
    t.same(answers, []);
    pushes[0]?.done();
    await eventually('all are answered', () => answers.length === 5);
    t.same(answers, [1, 2, 3, 4, 5]);
    t.equal(room.bytes, 0);
    session.close();
  });

  await t.test('nobody waits for an answer that waits for a block', async (t) => {
    const { session, ask, send } = open(10_000);
    send(1, 'broadcast_transaction_synchronous');
    ask(2, 'get_test');
    await eventually('the other one is answered', () => answers.length === 1);
    send(3);
    send(4, 'broadcast_transaction_synchronous');
    ask(5, 'get_test');
    await eventually('all are pushed', () => pushes.length === 3);
    for (const one of pushes) one.done();
    await eventually('those behind the transaction are answered', () => answers.length === 3);
    t.same(answers, [2, 3, 5]);
    chain.applied(900, [], [transactions[0] as never]);
    await eventually('all are answered', () => answers.length === 5);
    t.same(answers, [2, 3, 5, 1, 4]);
    session.close();
  });

  await t.test('what waits is bounded, and goes with its connection', async (t) => {
    const { session, ask, send } = open(100);
    send(1);
    ask(2, 'get_config');
    t.ok(room.bytes > 100);
    ask(3, 'get_test');
    t.same(answers, [3], 'refused by its id: there is too much behind the transaction');
    session.close();
    t.equal(room.bytes, 0);
    await eventually('it is pushed', () => pushes.length === 1);
    pushes[0]?.done();
    for (let turns = 0; turns < 4; turns++) await immediate();
    t.same(answers, [3]);
    t.equal(room.bytes, 0);
  });
  await t.test('who asks too often hears it by the id, in its place', async (t) => {
    const { session, ask, send } = open(10_000);
    send(1);
    isTooOften = true;
    ask(2, 'get_test');
    session.message('[{"id":3,"method":"get_test"},{"id":"x","method":"get_test"},{"method":"get_test"}]');
    session.message('{"method":"get_test"}');
    ask(4, 'get_test', [], 3000);
    session.message('nonsense');
    isTooOften = false;
    ask(5, 'get_test');
    t.same(answers, []);
    await eventually('it is pushed', () => pushes.length === 1);
    pushes[0]?.done();
    await eventually('all are answered', () => answers.length === 7);
    t.same(answers, [1, 2, 3, 'x', null, null, 5]);
    session.close();
  });
  rpc.close();
});
