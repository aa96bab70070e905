import t from 'tap';
import type { ToldTransaction } from '../../src/chain/events.js';
import type { ProcessedTransaction } from '../../src/protocol/transaction.js';
import { FollowedKeys } from '../../src/rpc/notices/followed.js';
import { NoticeQueue, type Notices } from '../../src/rpc/notices/queue.js';
import { Subscriptions } from '../../src/rpc/notices/subscriptions.js';
import type { Session } from '../../src/rpc/sessions/session.js';
import type { AnyObjectDef, StateObject } from '../../src/state/define.js';
import type { Change } from '../../src/state/object-db.js';
import { accountObject } from '../../src/state/objects/account.js';
import { accountBalanceObject } from '../../src/state/objects/account-balance.js';
import { leagueDataProductObject } from '../../src/state/objects/data-market.js';
import { proposalObject } from '../../src/state/objects/proposal.js';
import { witnessObject } from '../../src/state/objects/witness.js';
import { FakeClock } from '../support/fake-clock.js';
import { MemoryLog } from '../support/memory-log.js';
import { FakeChain } from './support/fake-chain.js';
import { type Asking, askable, goldenPorts } from './support/golden-rpc.js';
import { transactionsOf } from './support/recorded-transactions.js';

const base = goldenPorts();

const call = (method: string, params: unknown[]): string => JSON.stringify({ id: 1, method, params });

function world(): { chain: FakeChain; rpc: Asking; taken(): [number, unknown][] } {
  const chain = new FakeChain(base);
  const rpc = askable(chain.ports);
  return {
    chain,
    rpc,
    /** Callback and argument of every notice since the last look. */
    taken: () =>
      rpc.notices.splice(0).map((text) => {
        const { method, params } = JSON.parse(text);
        if (method !== 'notice') throw new Error(`not a notice: ${text}`);
        return [params[0], params[1][0]];
      }),
  };
}

function changed(definition: AnyObjectDef, instance: number, how: Partial<Change> = {}): Change {
  const value = base.chain.state.find(definition, instance) as StateObject;
  return { definition, instance, value, isNew: false, ...how };
}

const idsOf = (argument: unknown): unknown[] =>
  (argument as unknown[]).map((item) => (typeof item === 'string' ? item : (item as { id: string }).id));

t.test('objects that were asked for are told of when they change', async (t) => {
  const { chain, rpc, taken } = world();
  await rpc.ask('ws', call('get_objects', [['1.2.32']]));
  await rpc.ask('ws', call('set_subscribe_callback', [7, false]));
  chain.applied(1, [changed(accountObject, 32)]);
  t.same(taken(), [], 'what was asked for before the subscription does not count');
  await rpc.ask('ws', call('get_objects', [['1.2.32', '2.0.0']]));
  chain.applied(2, [changed(accountObject, 32), changed(accountObject, 33)]);
  const [notice] = taken();
  t.equal(notice?.[0], 7);
  t.same(idsOf(notice?.[1]), ['1.2.32'], 'and nothing else');
  t.equal((notice?.[1] as { name: string }[])[0]?.name, 'alice', 'with its new values');
  await rpc.ask('ws', call('cancel_all_subscriptions', []));
  chain.applied(3, [changed(accountObject, 32)]);
  t.same(taken(), []);
});

t.test('who asks for the proof of a product hears of the product', async (t) => {
  const { chain, rpc, taken } = world();
  const [product] = base.chain.state.all(leagueDataProductObject);
  if (product === undefined) throw new Error('the recorded chain has products');
  const id = `1.18.${product.id}`;
  await rpc.ask('ws', call('set_subscribe_callback', [7, false]));
  await rpc.ask('ws', call('get_pocs_object', ['1.19.0', '1.2.32', id]));
  chain.applied(1, [changed(leagueDataProductObject, product.id)]);
  t.same(
    taken().map(([callback, argument]) => [callback, idsOf(argument)]),
    [[7, [id]]],
  );
});

t.test('what was looked at longest ago is forgotten first', async (t) => {
  const { chain, rpc, taken } = world();
  await rpc.ask('ws', call('set_subscribe_callback', [7, false]));
  await rpc.ask('ws', call('get_objects', [['1.2.32']]));
  const many = Array.from({ length: 9_999 }, (_, i) => `1.2.${i + 1000}`);
  await rpc.ask('ws', call('get_objects', [many]));
  chain.applied(1, [changed(accountObject, 32)]);
  t.equal(taken().length, 1, 'ten thousand are watched');
  await rpc.ask('ws', call('get_objects', [['1.2.33']]));
  chain.applied(2, [changed(accountObject, 32)]);
  t.equal(taken().length, 0, 'the first made room');
  chain.applied(3, [changed(accountObject, 33)]);
  t.equal(taken().length, 1);
});

t.test('with notify_remove_create everything new and gone is told, in a notice per kind', async (t) => {
  const { chain, rpc, taken } = world();
  await rpc.ask('ws', call('set_subscribe_callback', [8, true]));
  chain.applied(1, [
    changed(accountObject, 32, { isNew: true }),
    changed(accountObject, 33),
    changed(proposalObject, 59, { value: undefined }),
  ]);
  t.same(
    taken().map(([callback, argument]) => [callback, idsOf(argument)]),
    [
      [8, ['1.2.32']],
      [8, ['1.10.59']],
    ],
  );
});

t.test('a subscribed account is told of what concerns it', async (t) => {
  const { chain, rpc, taken } = world();
  await rpc.ask('ws', call('set_subscribe_callback', [9, false]));
  await rpc.ask('ws', call('get_full_accounts', [['alice'], true]));
  const own = [...base.chain.state.all(accountBalanceObject)].find(({ owner }) => owner === 32) as StateObject;
  const others = [...base.chain.state.all(accountBalanceObject)].find(({ owner }) => owner === 33) as StateObject;
  const witness = [...base.chain.state.all(witnessObject)].find((one) => one.witness_account === 32) as StateObject;
  chain.applied(1, [
    changed(accountBalanceObject, own.id),
    changed(accountBalanceObject, others.id),
    changed(witnessObject, witness.id),
    changed(proposalObject, 59),
  ]);
  t.same(
    idsOf(taken()[0]?.[1]),
    [`2.5.${own.id}`, `2.5.${others.id}`, `1.6.${witness.id}`, '1.10.59'],
    'one that concerns it is enough, and all of the kind are told',
  );
  chain.applied(2, [changed(accountBalanceObject, others.id)]);
  t.same(taken(), [], 'what does not concern it is not');
  chain.applied(3, [changed(accountBalanceObject, others.id, { before: own })]);
  t.same(idsOf(taken()[0]?.[1]), [`2.5.${others.id}`], 'whom it concerned before counts');
  chain.applied(4, [changed(accountBalanceObject, own.id, { value: undefined, before: own })]);
  t.same(taken()[0]?.[1], [`2.5.${own.id}`], 'also when it is gone, without notify_remove_create');
  for (let i = 0; i < 101; i++) await rpc.ask('ws', call('get_full_accounts', [[`1.2.${i + 30}`], true]));
  const refusal = JSON.parse((await rpc.ask('ws', call('get_full_accounts', [['1.2.5'], true]))) ?? '');
  t.equal(refusal.error.message, 'Assert Exception: subscribed_accounts.size() <= 100: ');
});

t.test('what a fork switch takes back is told behind its blocks', async (t) => {
  const { chain, rpc, taken } = world();
  const changes = [
    changed(accountObject, 32),
    changed(accountObject, 33),
    changed(proposalObject, 59, { isNew: true }),
  ];
  chain.applied(10, changes);
  // From here on: what the client reads is what the block has made.
  await rpc.ask('ws', call('set_subscribe_callback', [3, false]));
  await rpc.ask('ws', call('get_objects', [['1.2.32', '1.2.33', '1.10.59']]));
  chain.undone(10, [], changes);
  t.same(taken(), [], 'not before the other branch has its blocks');
  const proposal = base.chain.state.find(proposalObject, 59) as StateObject;
  chain.gone.add(proposal);
  chain.applied(10, [changed(accountObject, 32)]);
  const notices = taken().map(([, argument]) => idsOf(argument));
  t.same(notices, [['1.2.32'], ['1.2.33'], ['1.10.59']], 'changed again, changed back, and gone');
  chain.applied(11, []);
  t.same(taken(), [], 'once');
});

t.test('blocks and pending transactions, until the connection ends', async (t) => {
  const { chain, rpc, taken } = world();
  await rpc.ask('ws', call('set_block_applied_callback', [1]));
  await rpc.ask('ws', call('set_pending_transaction_callback', [4294967296]));
  await rpc.ask('ws', call('cancel_all_subscriptions', []));
  chain.applied(5);
  t.same(taken(), [[1, '0000000500000000000000000000000000000000']], 'canceling does not touch these');
  const transaction = transactionsOf(base.chain, 791)[0];
  if (transaction === undefined) throw new Error('the recorded block has transactions');
  chain.emit({ kind: 'pending', transaction: { id: 'x', transaction }, operations: [] });
  const [notice] = taken();
  t.equal(notice?.[0], '4294967296', 'a large callback id comes back as text');
  t.ok((notice?.[1] as { signatures: string[] }).signatures.length > 0);
  t.notOk(Object.hasOwn(notice?.[1] as object, 'operation_results'), 'a signed transaction, not a processed one');
});

t.test('over HTTP a subscription is taken and nothing comes of it', async (t) => {
  const { rpc } = world();
  for (const [method, params] of [
    ['set_subscribe_callback', [1, true]],
    ['set_block_applied_callback', [1]],
    ['set_pending_transaction_callback', [1]],
    ['set_data_transaction_subscribe_callback', [1, true]],
  ] as const) {
    const { result } = JSON.parse((await rpc.ask('http', call(method, [...params]))) ?? '');
    t.equal(result, null, method);
  }
  t.equal(rpc.rpc.services.subscriptions.count, 0, 'and nothing is kept');
});

t.test('a closed connection leaves nothing behind', async (t) => {
  const { chain, rpc } = world();
  const sent: string[] = [];
  const session = rpc.rpc.openSession({ address: 'x', canNotify: true, send: (text) => sent.push(text) });
  await rpc.rpc.dispatcher.handle(call('set_block_applied_callback', [1]), session);
  t.equal(rpc.rpc.services.subscriptions.count, 1);
  session.close();
  t.equal(rpc.rpc.services.subscriptions.count, 0);
  chain.applied(5);
  t.same(sent, []);
  t.ok(chain.listeners > 0);
  rpc.rpc.close();
  t.equal(chain.listeners, 0);
});

t.test('what a block has changed is told as the block has left it', async (t) => {
  const { chain, rpc, taken } = world();
  await rpc.ask('ws', call('set_subscribe_callback', [7, false]));
  await rpc.ask('ws', call('get_objects', [['1.2.32']]));
  const value = { ...(base.chain.state.find(accountObject, 32) as StateObject) } as StateObject & { name: string };
  const block = { number: 1, id: '01', block: chain.block(1), bytes: new Uint8Array(), transactionIds: [] };
  const changes = () => [{ definition: accountObject, instance: 32, value, isNew: false } as Change];
  chain.emit({ kind: 'applied', block, operations: [], changes });
  // Objects are changed in their places, by what waits for a block and is tried again on top of this one.
  value.name = 'later';
  chain.emit({ kind: 'settled' });
  t.equal((taken()[0]?.[1] as { name: string }[])[0]?.name, 'alice');
});

/** An api id of its own, as a login gives out. */
async function anotherId(rpc: Asking, session: Session): Promise<number> {
  const ask = async (method: string, params: unknown[]): Promise<string> =>
    (await rpc.rpc.dispatcher.handle(call('call', [1, method, params]), session)) ?? '';
  await ask('login', ['', '']);
  return JSON.parse(await ask('database', [])).result;
}

t.test('a connection subscribes through few of its api ids', async (t) => {
  const { chain, rpc } = world();
  const sent: string[] = [];
  const session = rpc.rpc.openSession({ address: 'x', canNotify: true, send: (text) => sent.push(text) });
  const answers: string[] = [];
  for (let i = 0; i < 11; i++) {
    const id = await anotherId(rpc, session);
    const ask = call('call', [id, 'set_block_applied_callback', [i]]);
    for (let again = 0; again < 2; again++) answers.push((await rpc.rpc.dispatcher.handle(ask, session)) ?? '');
  }
  t.equal(answers.filter((answer) => answer.includes('"result":null')).length, 20);
  t.match(answers.at(-1), /through at most 10 of its api ids/);
  chain.applied(1);
  t.equal(sent.length, 10);
  session.close();
  t.equal(rpc.rpc.services.subscriptions.count, 0);
  rpc.rpc.close();
});

t.test('what all clients follow has a bound, and who follows little keeps it', async (t) => {
  const { chain, rpc } = world();
  const queue = new NoticeQueue(chain.ports);
  const subscriptions = new Subscriptions(chain.ports, queue, 5000);
  chain.ports.chain.listen((event) => subscriptions.follow(event));
  const told: string[] = [];
  const connect = (): Session =>
    rpc.rpc.openSession({ address: 'x', canNotify: true, send: (text) => told.push(text) });
  const little = { session: connect() };
  subscriptions.watchObjects(little, 7n, false);
  subscriptions.touch(little, '1.2.32');
  const greedy = Array.from({ length: 60 }, () => ({ session: connect() }));
  const products = Array.from({ length: 200 }, (_, i) => BigInt(i));
  for (const [i, handle] of greedy.entries()) {
    if (i % 2 === 0) {
      subscriptions.watchObjects(handle, 1n, false);
      for (let k = 0; k < 200; k++) subscriptions.touch(handle, `1.2.${k + 1000}`);
    } else subscriptions.watchProducts(handle, 2n, products);
  }
  t.ok(subscriptions.followed > 3500 && subscriptions.followed <= 5000, String(subscriptions.followed));
  chain.applied(1, [changed(accountObject, 32)]);
  queue.send();
  t.equal(told.length, 1);
  told.length = 0;
  chain.applied(2, [changed(accountObject, 32, { instance: 1199 })]);
  queue.send();
  t.equal(told.length, 30, 'the others keep what they have looked at last');
  for (const handle of greedy) handle.session.close();
  t.equal(subscriptions.followed, 1);
  rpc.rpc.close();
});

t.test('the bound holds whatever the others follow', async (t) => {
  const followed = new FollowedKeys(100);
  const [little, some, much] = [followed.open<number>(1000), followed.open<number>(1000), followed.open<number>(1000)];
  for (let i = 0; i < 24; i++) little.add(i);
  for (let i = 0; i < 36; i++) some.add(i);
  let most = 0;
  for (let i = 0; i < 200; i++) {
    much.add(i);
    most = Math.max(most, followed.count);
  }
  t.equal(most, 100);
  t.equal(little.size, 24, 'who follows little keeps it');
  t.ok(some.has(35) && much.has(199), 'the others keep what they have looked at last');
  t.equal(followed.count, little.size + some.size + much.size);
});

t.test('a thousand who hear of everything are told without having the thread to themselves', async (t) => {
  const clock = new FakeClock();
  const chain = new FakeChain({ ...base, clock });
  const rpc = askable(chain.ports);
  const told: string[][] = [];
  for (let i = 0; i < 300; i++) {
    const mine: string[] = [];
    told.push(mine);
    const send = (text: string): void => {
      clock.advance(0.5);
      mine.push(text);
    };
    const session = rpc.rpc.openSession({ address: 'x', canNotify: true, send });
    for (const [method, params] of [
      ['set_block_applied_callback', [1]],
      ['set_pending_transaction_callback', [2]],
      ['set_subscribe_callback', [3, true]],
    ] as const) {
      await rpc.rpc.dispatcher.handle(call(method, [...params]), session);
    }
  }
  const count = (): number => told.reduce((sum, mine) => sum + mine.length, 0);
  const transaction = transactionsOf(base.chain, 791)[0] as ProcessedTransaction;
  chain.emit({ kind: 'pending', transaction: { transaction } as ToldTransaction, operations: [] });
  t.equal(count(), 20, 'ten milliseconds of work');
  chain.applied(1, [changed(accountObject, 32, { isNew: true })]);
  t.equal(count(), 20, 'and no more in the same turn');
  const { notices } = rpc.rpc.services;
  let turns = 0;
  for (; notices.waiting > 0; turns++) {
    const before = count();
    await new Promise(setImmediate);
    if (count() - before > 20) t.fail(`${count() - before} in one turn`);
  }
  t.ok(turns >= 40, `${turns} turns`);
  const kinds = told.map((mine) => mine.map((text) => JSON.parse(text).params[0]));
  t.same(
    kinds,
    told.map(() => [2, 1, 3]),
    'each is told everything, in its order',
  );
  rpc.rpc.close();
});

t.test('who brings more than clients can be told of waits for the oldest', async (t) => {
  const clock = new FakeClock();
  const queue = new NoticeQueue({ clock, log: base.log });
  const told: number[] = [];
  function* notices(index: number): Notices {
    clock.advance(20);
    told.push(index);
    yield;
  }
  for (let i = 0; i < 10_100; i++) queue.tell(notices(i));
  t.ok(queue.waiting <= 10_000, String(queue.waiting));
  while (queue.waiting > 0) await new Promise(setImmediate);
  t.same(
    told,
    told.map((_, i) => i),
  );
  t.equal(told.length, 10_100);
});

t.test('notices that fail stop no others', async (t) => {
  const log = new MemoryLog();
  const queue = new NoticeQueue({ clock: new FakeClock(), log });
  const told: number[] = [];
  function* wrong(): Notices {
    yield;
    throw new Error('wrong');
  }
  function* right(): Notices {
    told.push(1);
    yield;
  }
  queue.tell(wrong());
  queue.tell(right());
  t.same(told, [1]);
  t.equal(log.entries.filter(({ text }) => text === 'notices met a bug').length, 1);
});
