import t from 'tap';
import { confirmation } from '../../src/api/network.js';
import { ChainError, defineErrors } from '../../src/base/errors.js';
import type { ChainEvent, ToldBlock } from '../../src/chain/events.js';
import { type ProcessedTransaction, signedTransaction } from '../../src/protocol/transaction.js';
import type { Reply } from '../../src/rpc/dispatcher.js';
import {
  CONFIRMATION_ERRORS,
  Confirmations,
  idOfTransaction,
  type Waiting,
} from '../../src/rpc/remembered/confirmations.js';
import { FakeClock } from '../support/fake-clock.js';
import { NETWORK } from '../support/network.js';
import { refused } from '../support/refused.js';
import { FakeChain } from './support/fake-chain.js';
import { askable, goldenPorts } from './support/golden-rpc.js';
import { transactionsOf } from './support/recorded-transactions.js';

/** Who waits for a block, or for its irreversibility, is held no longer than needed. */

const base = goldenPorts();
const ROWS = defineErrors({ test_refusal: { text: 'no, because ${why}' } });
const transaction = transactionsOf(base.chain, 791)[0] as ProcessedTransaction;
const id = idOfTransaction(transaction);
const given = signedTransaction.toJson(transaction, NETWORK);

const call = (method: string, params: unknown[]): string =>
  JSON.stringify({ id: 1, method: 'call', params: [2, method, params] });

t.test('finished broadcasts leave nothing behind in a session that stays', async (t) => {
  const chain = new FakeChain(base);
  const rpc = askable(chain.ports);
  const notices: string[] = [];
  const session = rpc.rpc.openSession({ address: 'x', canNotify: true, send: (text) => notices.push(text) });
  const { confirmations } = rpc.rpc.services;
  const send = async (method: string, params: unknown[]): Promise<Reply> =>
    rpc.rpc.dispatcher.handle(call(method, params), session);
  const unwatched = session.closers;

  for (let i = 0; i < 1000; i++) {
    const answer = send('broadcast_transaction_synchronous', [given]);
    chain.applied(i, [], [transaction]);
    await answer;
  }
  t.equal(session.closers, unwatched, 'taken into a block');

  for (let i = 0; i < 1000; i++) await send('broadcast_transaction_with_callback', [i, given]);
  t.equal(session.closers, unwatched + 1, 'the newest takes the place of those before it');
  chain.applied(2000, [], [transaction]);
  t.equal(notices.length, 1);
  t.equal(session.closers, unwatched + 1, 'a fork switch may take the block back');
  chain.emit({ kind: 'irreversible', number: 1999 });
  t.equal(confirmations.told, 1);
  chain.emit({ kind: 'irreversible', number: 2000 });
  t.equal(session.closers, unwatched, 'irreversible');

  chain.refusal = new ChainError(ROWS.test_refusal, { why: 'x' });
  for (let i = 0; i < 1000; i++) await send('broadcast_transaction_with_callback', [i, given]);
  for (let i = 0; i < 1000; i++) await send('broadcast_transaction_synchronous', [given]);
  t.equal(session.closers, unwatched + 1, 'refused: the callback stays');

  chain.refusal = undefined;
  await send('broadcast_transaction_with_callback', [1, given]);
  const late = send('broadcast_transaction_synchronous', [given]);
  chain.applied(2001, [], [], transaction.expiration + 1);
  chain.emit({ kind: 'irreversible', number: 2001 });
  await late;
  t.equal(session.closers, unwatched, 'expired');

  await send('broadcast_transaction_with_callback', [1, given]);
  chain.applied(2002, [], [transaction]);
  t.equal(confirmations.told, 1);
  void send('broadcast_transaction_synchronous', [given]);
  await new Promise(setImmediate);
  t.equal(rpc.rpc.dispatcher.waiting, 1);
  session.close();
  t.equal(confirmations.told, 0);
  t.equal(session.closers, 0, 'closed');
  await new Promise(setImmediate);
  t.equal(rpc.rpc.dispatcher.waiting, 0, 'nor does the request of a client that has gone count as waiting');
  rpc.rpc.close();
});

t.test('who waits for irreversibility takes no place from those who wait for a block', async (t) => {
  const chain = new FakeChain(base);
  const confirmations = new Confirmations(chain.ports, { waiting_max: 3, told_max: 8 });
  let block: ToldBlock | undefined;
  chain.ports.chain.listen((notice) => {
    if (notice.kind === 'applied') block = notice.block;
    confirmations.follow(notice);
  });
  const told: string[] = [];
  const ended: string[] = [];
  const wait = (name: string): Waiting =>
    confirmations.wait(id, {
      expiration: 2 ** 32,
      repeats: true,
      included: ({ block_num }) => told.push(`${name} ${block_num}`),
      refused: () => undefined,
      ended: () => ended.push(name),
    });
  for (const name of ['a', 'b', 'c']) wait(name);
  refused(t, CONFIRMATION_ERRORS.confirmation_waiters, () => wait('d'));
  chain.applied(1, [], [transaction]);
  t.equal(confirmations.waiting, 0);
  t.equal(confirmations.told, 3);

  for (const name of ['d', 'e', 'f']) wait(name);
  chain.applied(2, [], [transaction]);
  for (const name of ['g', 'h', 'i']) wait(name);
  t.same(ended, []);
  chain.applied(3, [], [transaction]);
  t.same(ended, ['a', 'b', 'c'], 'above the limit the oldest leave, down to three quarters of it');
  t.equal(confirmations.told, 6);

  told.length = 0;
  confirmations.follow({ kind: 'undone', block } as ChainEvent);
  t.equal(confirmations.waiting, 6, 'they wait again');
  t.equal(confirmations.told, 0);
  refused(t, CONFIRMATION_ERRORS.confirmation_waiters, () => wait('j'));
  chain.applied(4, [], [transaction]);
  t.same(told, ['d 4', 'e 4', 'f 4', 'g 4', 'h 4', 'i 4']);
  t.equal(confirmations.waiting, 0);
  confirmations.close();
  t.same(ended, ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i']);
  t.equal(confirmations.told, 0);
});

t.test('a client that is dropped while it is told is not kept', async (t) => {
  const chain = new FakeChain(base);
  const rpc = askable(chain.ports);
  const session = rpc.rpc.openSession({ address: 'x', canNotify: true, send: () => session.close() });
  for (let i = 0; i < 3; i++) {
    await rpc.rpc.dispatcher.handle(call('broadcast_transaction_with_callback', [i, given]), session);
  }
  chain.applied(1, [], [transaction]);
  t.ok(session.closed);
  t.equal(rpc.rpc.services.confirmations.told, 0);
  t.equal(rpc.rpc.services.confirmations.waiting, 0);
  rpc.rpc.close();
});

t.test('who waits for an answer gets one even if no block ever comes', async (t) => {
  const answerKey = (reply: Reply): string => JSON.parse(reply ?? '').error?.data.key;
  /** In seconds: what the node's clock and the head block say, as seen from the expiration. */
  const worlds = {
    'blocks keep up with the clock': { clock: 30, head: 33, least: 30, most: 30 + 80 },
    'blocks are a day behind the clock': { clock: 30, head: 86_400, least: 30, most: 30 + 80 },
    'blocks of a trial lie far behind the clock': { clock: -1e8, head: 300, least: 300, most: 300 + 80 },
    'blocks of a trial lie far before the clock': { clock: 1e8, head: 300, least: 300, most: 300 + 80 },
  };
  for (const [name, { clock: byClock, head, least, most }] of Object.entries(worlds)) {
    const clock = new FakeClock((transaction.expiration - byClock) * 1000);
    const chain = new FakeChain({ ...base, clock });
    chain.headTime = transaction.expiration - head;
    const rpc = askable(chain.ports);
    let answer: Reply;
    void Promise.resolve(rpc.ask('ws', call('broadcast_transaction_synchronous', [given]))).then(
      (text) => (answer = text),
    );
    await rpc.ask('ws', call('broadcast_transaction_with_callback', [1, given]));
    const { confirmations } = rpc.rpc.services;
    t.equal(confirmations.waiting, 2);
    clock.advance(least * 1000);
    await new Promise(setImmediate);
    t.equal(answer, undefined, name);
    clock.advance((most - least) * 1000);
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    t.equal(answerKey(answer), 'confirmation_unknown', name);
    t.equal(rpc.rpc.dispatcher.waiting, 0);
    t.equal(confirmations.waiting, 1, 'a callback goes on waiting');
    t.equal(clock.timers, 0);
    chain.applied(5, [], [transaction]);
    t.equal(rpc.notices.length, 1);
    rpc.rpc.close();
  }
});

t.test('a listener that fails costs nobody an answer', async (t) => {
  const chain = new FakeChain(base);
  const rpc = askable(chain.ports);
  const answer = Promise.resolve(rpc.ask('ws', call('broadcast_transaction_synchronous', [given])));
  const { subscriptions } = rpc.rpc.services;
  subscriptions.tellBlock = () => {
    throw new Error('wrong');
  };
  chain.applied(1, [], [transaction]);
  t.match(await answer, /"block_num":1/);
  t.ok(chain.errors.length > 0);
  rpc.rpc.close();
});

t.test('a notice that many wait for is printed once', async (t) => {
  const chain = new FakeChain(base);
  const rpc = askable(chain.ports);
  const sent: string[] = [];
  for (let i = 0; i < 3; i++) {
    const session = rpc.rpc.openSession({ address: 'x', canNotify: true, send: (text) => sent.push(text) });
    await rpc.rpc.dispatcher.handle(call('broadcast_transaction_with_callback', [i, given]), session);
  }
  chain.applied(1, [], [transaction]);
  t.equal(sent.length, 3);
  const [first] = sent.map((text) => JSON.parse(text).params[1]);
  for (const text of sent) t.same(JSON.parse(text).params[1], first);
  t.same(first, [confirmation.toJson({ id, block_num: 1, trx_num: 0, trx: transaction }, NETWORK)]);
  rpc.rpc.close();
});
