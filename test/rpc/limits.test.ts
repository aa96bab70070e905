import t from 'tap';
import type { Json } from '../../src/codec/json.js';
import { MemoryBudget } from '../../src/http/memory-budget.js';
import { publicKey } from '../../src/protocol/keys.js';
import { Lane, Scheduler } from '../../src/rpc/dispatch/scheduler.js';
import { eachInPieces, type Pieces } from '../../src/rpc/pieces/pieces.js';
import { Rpc } from '../../src/rpc/rpc.js';
import { ApiAccess } from '../../src/rpc/sessions/access.js';
import { FakeClock } from '../support/fake-clock.js';
import { NETWORK } from '../support/network.js';
import { askable, EVERY_API, goldenPorts } from './support/golden-rpc.js';
import { keyText } from './support/key-texts.js';

const ports = goldenPorts();
const { ask } = askable(ports);

interface Answer {
  readonly id: unknown;
  readonly result?: unknown;
  readonly error?: { readonly message: string; readonly data: { readonly key: string } };
}

const asked = async (method: string, params: Json[], api: Json = 0): Promise<Answer> =>
  JSON.parse((await ask('ws', JSON.stringify({ id: 1, method: 'call', params: [api, method, params] }))) ?? '');
const key = async (method: string, params: Json[], api: Json = 0): Promise<unknown> =>
  (await asked(method, params, api)).error?.data.key;

const repeated = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);
const transfer: Json = [0, {}];
const call: Json = [75, {}];
const proposal = (count: number): Json => [22, { proposed_ops: repeated(count, { op: transfer }) }];

t.test('a transaction from a client has limits, wherever it goes', async (t) => {
  for (const [api, method] of [
    ['database', 'validate_transaction'],
    ['database', 'verify_authority'],
    ['database', 'get_potential_signatures'],
    ['database', 'get_potential_address_signatures'],
    ['network_broadcast', 'broadcast_transaction'],
    ['network_broadcast', 'broadcast_transaction_synchronous'],
  ] as const) {
    t.equal(await key(method, [{ operations: repeated(1001, transfer) }], api), 'transaction_operations_max', method);
    t.equal(await key(method, [{ operations: [proposal(1000)] }], api), 'transaction_operations_max', method);
    t.equal(await key(method, [{ operations: repeated(11, call) }], api), 'transaction_calls_max', method);
    const signatures = repeated(1001, '00'.repeat(65));
    t.equal(await key(method, [{ operations: [transfer], signatures }], api), 'transaction_signatures_max', method);
    const proxied: Json = [73, { request_params: { signatures: repeated(251, '00'.repeat(65)) } }];
    const proposed: Json = [22, { proposed_ops: [{ op: proxied }] }];
    t.equal(
      await key(method, [{ operations: [proxied, proposed] }], api),
      'transaction_request_signatures_max',
      method,
    );
  }
  const most: Json[] = [
    { operations: repeated(1000, transfer) },
    { operations: repeated(10, call) },
    { operations: [transfer], signatures: repeated(1000, '00'.repeat(65)) },
  ];
  for (const trx of most)
    t.notMatch(await key('validate_transaction', [trx]), /^transaction_\w+_max$/, 'no more than that');
  const nested: Json = [22, { proposed_ops: [{ op: proposal(999) }] }];
  t.equal(
    await key('validate_transaction', [{ operations: [nested] }]),
    'transaction_operations_max',
    'one in another',
  );
  const calls: Json = [22, { proposed_ops: [{ op: [22, { proposed_ops: repeated(11, { op: call }) }] }] }];
  t.equal(await key('validate_transaction', [{ operations: [calls] }]), 'transaction_calls_max');
  const keys = repeated(1001, publicKey.toJson(publicKey.default(), NETWORK));
  t.equal(await key('get_required_signatures', [{ operations: [transfer] }, keys]), 'list_too_long');
  t.equal(await key('verify_account_authority', ['alice', keys]), 'list_too_long');
});

t.test('how much fits into a block is for the chain to say', async (t) => {
  const block = { transactions: repeated(10_001, { operations: [transfer] }) };
  const found = await key('broadcast_block', [block], 'network_broadcast');
  t.notMatch(found, /^list_too_long$/);
});

t.test('a question for fees has limits', async (t) => {
  t.equal(await key('get_required_fees', [repeated(101, call), '1.3.1']), 'fee_question_calls');
  t.equal(await key('get_required_fees', [[proposal(1000)], '1.3.1']), 'transaction_operations_max');
  t.equal((await asked('get_required_fees', [repeated(1001, transfer), '1.3.1'])).error, undefined);
});

t.test('counts beyond what is made are refused, not cut', async (t) => {
  t.equal(await key('debug_generate_blocks', ['', -1], 'debug'), 'debug_blocks_too_many');
  t.equal(await key('debug_push_blocks', ['', 100_001], 'debug'), 'debug_blocks_too_many');
});

t.test('parameters of the network are an object', async (t) => {
  for (const given of ['x'.repeat(1000), [1], 5, true]) {
    t.equal(await key('set_advanced_node_parameters', [given], 'network_node'), 'json_kind');
  }
});

t.test('an error repeats only the beginning of what it refuses', async (t) => {
  const long = 'x'.repeat(1_000_000);
  for (const params of [[long], [[long, long]], [{ [long]: long }], repeated(100_000, {})] as Json[][]) {
    for (const method of ['get_account_by_name', 'get_objects', 'get_block', long]) {
      const text = (await ask('ws', JSON.stringify({ id: 1, method, params }))) ?? '';
      if (text.includes('"result"')) continue;
      t.ok(text.length < 40_000, `${method.slice(0, 20)}: ${text.length}`);
    }
  }
  const small = askable(ports, { reply_bytes_max: 1024 });
  const text = (await small.ask('ws', JSON.stringify({ id: 1, method: long, params: [] }))) ?? '';
  t.equal(JSON.parse(text).error.data.stack.length, 0, 'without frames where answers must be short');
});

t.test('an answer is measured in bytes', async (t) => {
  const { rpc } = askable(ports, { reply_bytes_max: 2000 });
  const session = rpc.openSession({ address: 'test', canNotify: true, send: () => undefined });
  const text = await rpc.dispatcher.handle(JSON.stringify({ id: 1, method: 'ä'.repeat(3000), params: [] }), session);
  t.ok(Buffer.byteLength(text ?? '') <= 4000);
});

t.test('a request is counted while it is read', async (t) => {
  const list = repeated(1_000_001, {});
  const text = (await ask('ws', `{"id":1,"method":"get_objects","params":[${JSON.stringify(list)}]}`)) ?? '';
  t.equal(JSON.parse(text).error.data.key, 'rpc_json_nodes');
  const keys = Array.from({ length: 2000 }, (_, i) => keyText(i % 600));
  t.equal(((await asked('get_key_references', [keys])).result as unknown[]).length, 2000);
});

/** Work of so many pieces, each of which takes a millisecond. */
function* pieces(clock: FakeClock, count: number, done: () => void): Pieces<number> {
  for (let i = 0; i < count; i++) {
    clock.advance(1);
    yield;
  }
  done();
  return count;
}

t.test('connections take turns', async (t) => {
  const clock = new FakeClock();
  const scheduler = new Scheduler(clock, { turn_ms: 10, piece_ms: 5 });
  const order: string[] = [];
  const work = (name: string, count: number) => pieces(clock, count, () => order.push(name));

  await t.test('who asks much waits for itself, not others for it', async (t) => {
    const busy = Array.from({ length: 10 }, (_, i) => new Lane(`flood${i % 2}`));
    const flood = busy.flatMap((lane, i) =>
      Array.from({ length: 100 }, (_, n) => scheduler.run(lane, work(`${i}.${n}`, 4), 6000)),
    );
    const quiet = scheduler.run(new Lane('quiet'), work('quiet', 2), 100);
    await quiet;
    t.ok(order.length < 12, `${order.length} others were first`);
    t.equal(scheduler.waiting > 900, true);
    await Promise.all(flood);
    t.equal(order.length, 1001);
    for (let i = 0; i < 10; i++) {
      const own = order.filter((name) => name.startsWith(`${i}.`));
      t.same(
        own,
        Array.from({ length: 100 }, (_, n) => `${i}.${n}`),
        'in the order of asking',
      );
    }
    t.equal(scheduler.waiting, 0);
    t.equal(scheduler.waitingBytes, 0);
  });

  await t.test('other work comes between two turns', async (t) => {
    const lane = new Lane('busy');
    const asked = Array.from({ length: 50 }, () => scheduler.run(lane, work('x', 5), 1));
    let turns = 0;
    const count = (): void => {
      turns++;
      if (scheduler.waiting > 0) setImmediate(count);
    };
    setImmediate(count);
    await Promise.all(asked);
    t.ok(turns >= 20, `${turns} turns for 250 ms of work`);
  });

  await t.test('of large requests one is at work', async (t) => {
    const small = new Scheduler(clock, { large_bytes: 100, turn_ms: 10, piece_ms: 5 });
    let open = 0;
    let most = 0;
    const large = function* (): Pieces<number> {
      most = Math.max(most, ++open);
      yield* pieces(clock, 20, () => open--);
      return 1;
    };
    const lanes = Array.from({ length: 5 }, (_, i) => new Lane(`large${i}`));
    const gone = lanes[1] as Lane;
    const all = lanes.map((lane) => small.run(lane, large(), 101));
    gone.isDropped = true;
    t.same(await Promise.all(all), [1, undefined, 1, 1, 1]);
    t.equal(most, 1);
    t.equal(small.waiting, 0);
  });

  await t.test('a connection that is gone gives back what its request was in the middle of', async (t) => {
    let held = 0;
    const holding = function* (): Pieces<number> {
      held++;
      try {
        return yield* work('gone', 20);
      } finally {
        held--;
      }
    };
    const gone = new Lane('gone');
    const answer = scheduler.run(gone, holding(), 1);
    t.equal(held, 1);
    gone.isDropped = true;
    t.equal(await answer, undefined);
    t.equal(held, 0);
    t.equal(scheduler.waiting, 0);
  });

  await t.test('what fails is told to who asked, and to nobody else', async (t) => {
    const lane = new Lane('wrong');
    const wrong = function* (): Pieces<number> {
      yield* pieces(clock, 20, () => undefined);
      throw new Error('wrong');
    };
    const first = scheduler.run(lane, wrong(), 1) as Promise<number>;
    const second = scheduler.run(lane, work('after', 1), 1);
    await t.rejects(first, /wrong/);
    t.equal(await second, 1);
  });
});

t.test('a method in pieces lets other connections have their turn', async (t) => {
  const clock = new FakeClock();
  const rpc = new Rpc({ ...ports, clock }, { access: ApiAccess.open(EVERY_API), limits: { turn_ms: 10 } });
  const connect = (address: string) => rpc.openSession({ address, canNotify: true, send: () => undefined });
  const find = ports.chain.state.find.bind(ports.chain.state);
  const original = ports.chain.state.find;
  ports.chain.state.find = ((...args: Parameters<typeof find>) => {
    clock.advance(0.1);
    return find(...args);
  }) as typeof original;
  try {
    const ids = Array.from({ length: 10_000 }, (_, i) => `1.2.${i % 40}`);
    const long = rpc.dispatcher.handle(JSON.stringify({ id: 1, method: 'get_objects', params: [ids] }), connect('a'));
    let isDone = false;
    void Promise.resolve(long).then(() => (isDone = true));
    const short = await rpc.dispatcher.handle('{"id":2,"method":"get_test","params":[]}', connect('b'));
    t.match(short, /"result":100/);
    t.equal(isDone, false, 'the short one did not wait');
    t.match(await long, /"result":\[\{/);
  } finally {
    ports.chain.state.find = original;
  }
  t.same([...eachInPieces([1], (n) => n)], [], 'a short list needs no pause');
  rpc.close();
});

t.test('what waits for its turn has its place in the memory of all clients', async (t) => {
  const dropped: string[] = [];
  const memory = new MemoryBudget(1000);
  const slow = memory.open(() => dropped.push('slow'));
  slow.set(700);
  // Nothing is small enough to begin at once.
  const scheduler = new Scheduler(new FakeClock(), { large_bytes: 1 }, memory);
  const lane = new Lane('of a connection');
  const first = scheduler.run(lane, eachInPieces([1], Number), 300);
  t.equal(memory.bytes, 1000);
  t.same(dropped, []);
  const second = scheduler.run(lane, eachInPieces([1], Number), 600);
  t.same(dropped, ['slow'], 'who does not read goes before who asks');
  t.throws(() => scheduler.run(lane, eachInPieces([1], Number), 101), /no room for another request/);
  t.equal(memory.bytes, 900, 'what was refused does not count');
  const settled = scheduler.run(lane, eachInPieces([1], Number), 0);
  await Promise.all([first, second, settled]);
  t.equal(memory.bytes, 0);
  await scheduler.run(lane, eachInPieces([1], Number), 5000);
  t.equal(memory.bytes, 0, 'one alone may be larger');
});

t.test('what has begun is not refused for want of room', async (t) => {
  const clock = new FakeClock();
  let begun = 0;
  let ended = 0;
  function* work(count: number): Pieces<string> {
    begun++;
    try {
      yield* pieces(clock, count, () => undefined);
      return 'done';
    } finally {
      ended++;
    }
  }
  const memory = new MemoryBudget(100_000);
  const scheduler = new Scheduler(clock, { queue_bytes_max: 100_000, large_bytes: 90_000 }, memory);
  const asked = [scheduler.run(new Lane('large'), work(100), 95_000)];
  t.throws(() => scheduler.run(new Lane('other'), work(50), 8193), /no room for another request/);
  t.equal(begun, 0, 'it was refused before it began');
  asked.push(scheduler.run(new Lane('small'), work(50), 8192));
  t.equal(begun, 1, 'a small one begins');
  t.same(await Promise.all(asked), ['done', 'done'], 'and is not refused when it takes longer');
  t.equal(ended, 2);
  t.equal(memory.bytes, 0);
});

t.test('a request for which there is no room is refused by its id', async (t) => {
  const large = JSON.stringify({ id: 1, method: 'get_test', params: ['x'.repeat(20_000)] });
  const limits = { queue_bytes_max: 20_000, large_bytes: 1000 };
  const rpc = new Rpc(ports, { access: ApiAccess.open(EVERY_API), limits });
  const session = rpc.openSession({ address: 'x', canNotify: true, send: () => undefined });
  const first = rpc.dispatcher.handle(large, session);
  const second = rpc.dispatcher.handle('{"id":"two","method":"get_test","params":[]}', session);
  t.match(JSON.parse(String(second)), { id: 'two', error: { data: { key: 'rpc_queue_full' } } });
  t.match(JSON.parse(String(await first)), { id: 1, result: 100 });
  rpc.close();
});

t.test('answers in the making have their place there too', async (t) => {
  let taken = 0;
  let most = 0;
  const room = {
    take(bytes: number): boolean {
      taken += bytes;
      most = Math.max(most, taken);
      return true;
    },
    give(bytes: number): void {
      taken -= bytes;
    },
  };
  const rpc = new Rpc(ports, { access: ApiAccess.open(EVERY_API), room });
  const session = rpc.openSession({ address: 'x', canNotify: false, send: () => undefined });
  const one = (id: number): string => `{"id":${id},"method":"get_config","params":[]}`;
  for (const request of [one(1), `[${[1, 2, 3, 4].map(one).join()}]`]) {
    most = 0;
    const text = await rpc.dispatcher.handle(request, session);
    t.ok(most >= (text?.length ?? 0) * 0.9, `${most} of ${text?.length} characters were counted`);
    t.equal(taken, 0, 'and are not any more');
  }
  rpc.close();
});

t.test('blocks are read while their answer is written, and no more of them than may be in it', async (t) => {
  const { result } = await asked('get_blocks', [789, 794], 'block');
  t.match(result, [{ transactions: [] }, {}, {}, {}, null, null]);
  const one = await asked('get_block', [790]);
  t.match(one.result, (result as Json[])[1]);
  let read = 0;
  const { chain } = ports;
  const packedBlock: typeof chain.packedBlock = (number) => {
    read++;
    return chain.packedBlock(number);
  };
  const short = askable(
    { ...ports, chain: { ...chain, state: chain.state, packedBlock } },
    { reply_bytes_max: 100_000 },
  );
  const request = { id: 1, method: 'call', params: ['block', 'get_blocks', [1, 1000]] };
  t.match(await short.ask('ws', JSON.stringify(request)), 'rpc_reply_too_large');
  t.ok(read < 300, `${read} were read`);
});
