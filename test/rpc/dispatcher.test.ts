import t from 'tap';
import { nothing } from '../../src/api/types.js';
import { ChainError } from '../../src/base/errors.js';
import { text, u32 } from '../../src/codec/scalars.js';
import { basicCredentials } from '../../src/http/credentials.js';
import { HTTP_ERRORS } from '../../src/http/errors.js';
import { api, method } from '../../src/rpc/define.js';
import type { DispatcherLimits, Reply } from '../../src/rpc/dispatcher.js';
import { Rpc } from '../../src/rpc/rpc.js';
import { ApiAccess, type UnknownApi } from '../../src/rpc/sessions/access.js';
import { cpuMs } from '../support/cpu-time.js';
import { FakeClock } from '../support/fake-clock.js';
import { askable, EVERY_API, goldenPorts } from './support/golden-rpc.js';

const ports = goldenPorts();

interface Answer {
  readonly id: unknown;
  readonly result?: unknown;
  readonly error?: {
    readonly code: number;
    readonly message: string;
    readonly data: {
      readonly code: number;
      readonly name: string;
      readonly key: string;
      readonly kind: string;
      readonly stack: unknown[];
    };
  };
}

const call = (name: string, params: unknown = [], id: unknown = 1): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method: name, params });

t.test('text that is no request gets an error with the id null', async (t) => {
  const { ask } = askable(ports);
  const cases: Record<string, string> = {
    '': 'rpc_empty',
    '   ': 'rpc_empty',
    '{': 'json_syntax',
    '{"id":1,"method":"get_test"} trailing': 'json_syntax',
    "{'id':1}": 'json_syntax',
    null: 'rpc_not_an_object',
    '"text"': 'rpc_not_an_object',
    '5': 'rpc_not_an_object',
    '[]': 'rpc_batch_empty',
    '{}': 'rpc_reply_unknown',
    [`{"id":"${'x'.repeat(257)}","method":"get_test"}`]: 'rpc_id_too_long',
    '{"id":1e999,"method":"get_test"}': 'json_integer',
    '{"id":[1],"method":"get_test"}': 'json_kind',
    '{"id":{"toString":1},"method":"get_test"}': 'json_kind',
    [`${'['.repeat(251)}${']'.repeat(251)}`]: 'json_too_deep',
  };
  for (const [text, key] of Object.entries(cases)) {
    const answer = JSON.parse((await ask('http', text)) ?? '') as Answer;
    t.equal(answer.id, null, text);
    t.equal(answer.error?.data.key, key, text);
  }
});

t.test('who gets only the id right is answered by it', async (t) => {
  const { ask } = askable(ports);
  const cases: [string, string][] = [
    ['{"id":7,"method":7}', 'json_kind'],
    ['{"id":7,"method":{"toString":1}}', 'json_kind'],
    ['{"id":"seven","method":7}', 'json_kind'],
    ['{"id":7,"params":[]}', 'rpc_reply_unknown'],
    ['{"id":7,"method":"get_test","params":7}', 'json_array'],
    ['{"id":7,"method":"get_test","params":"x"}', 'json_array'],
    [call('call', [{ toString: 1 }, 'get_test', []], 7), 'json_kind'],
    [call('call', [[0], 'get_test', []], 7), 'json_kind'],
    [call('call', [0, { toString: 1 }, []], 7), 'json_scalar'],
    [call('call', [0, ['get_test'], []], 7), 'json_scalar'],
  ];
  const before = ports.log.entries.length;
  for (const [text, key] of cases) {
    const answer = JSON.parse((await ask('http', text)) ?? '') as Answer;
    t.equal(answer.id, text.includes('seven') ? 'seven' : 7, text);
    t.equal(answer.error?.data.key, key, text);
  }
  t.equal(ports.log.entries.length, before, 'none of it is a bug');
});

t.test('hostile sizes end in a coded error, soon', async (t) => {
  const { ask } = askable(ports);
  const started = cpuMs();
  const key = async (text: string): Promise<string | undefined> =>
    (JSON.parse((await ask('http', text)) ?? '') as Answer).error?.data.key;
  t.equal(await key('['.repeat(5_000_000)), 'json_too_deep');
  t.equal(await key(`{"a":`.repeat(1_000_000)), 'json_too_deep');
  t.equal(await key('1'.repeat(1_000_000)), 'json_number_length');
  t.equal(await key(call('get_objects', [Array.from({ length: 300_000 }, () => '1.2.0')])), 'list_too_long');
  t.equal(await key(call('get_accounts', [Array.from({ length: 300_000 }, () => '1.2.0')])), 'list_too_long');
  t.equal(
    await key(call('get_full_accounts', [Array.from({ length: 101 }, (_, i) => `1.2.${i}`), false])),
    'list_too_long',
  );
  t.equal(await key(call('call', ['block', 'get_blocks', [0, 4_000_000_000]])), 'blocks_too_many');
  t.equal(await key(`[${Array.from({ length: 101 }, () => call('get_test')).join()}]`), 'rpc_batch_too_long');
  t.ok(cpuMs() - started < 5000, 'computed within seconds');
});

t.test('wrong calls are refused by name', async (t) => {
  const { ask } = askable(ports);
  const cases: [string, string, RegExp][] = [
    [call('nope'), 'rpc_method_unknown', /^Assert Exception: itr != _by_name\.end\(\): no method with name 'nope'$/],
    [call('__proto__'), 'rpc_method_unknown', /__proto__/],
    [call('constructor'), 'rpc_method_unknown', /constructor/],
    [call('get_block'), 'rpc_arguments_missing', /a0 != e: too few arguments passed to method$/],
    [call('get_block', ['x']), 'json_integer', /^Parse Error: Couldn't parse uint64_t$/],
    [call('get_block', [{}]), 'json_scalar', /^Bad Cast: /],
    [call('get_objects', [['1.2']]), 'id_number', /Couldn't parse uint64_t$/],
    [call('call', [0, 'get_test']), 'rpc_call_shape', /args\.size\(\) == 3/],
    [call('call', [99, 'get_test', []]), 'rpc_api_unknown', /_local_apis\.size\(\) > api_id: $/],
    [call('call', [-1, 'get_test', []]), 'rpc_api_unknown', /_local_apis/],
    [call('call', [1.5, 'get_test', []]), 'rpc_api_unknown', /_local_apis/],
    [call('call', ['orders', 'x', []]), 'rpc_method_unknown', /no method with name 'orders'$/],
    [call('call', ['login', 'x', []]), 'rpc_api_not_enabled', /_login_api: $/],
  ];
  for (const [text, key, message] of cases) {
    const { error } = JSON.parse((await ask('ws', text)) ?? '') as Answer;
    t.equal(error?.data.key, key, text);
    t.match(error?.message, message, text);
    t.equal(error?.code, 1);
  }
});

t.test('the id comes back as it came', async (t) => {
  const { ask } = askable(ports);
  const numbers = ['7', '-1', '4.5', '2147483647', '2147483648', '1700000000000', '18446744073709551615'];
  for (const given of [...numbers, '"12"', '"4294967295"', '"a \\"word\\""', '""', '"0x7f"', 'true']) {
    const text = (await ask('http', `{"id":${given},"method":"get_test"}`)) ?? '';
    t.equal(/^\{"id":(.*),"jsonrpc":"2\.0","result":100\}$/.exec(text)?.[1] ?? text, given);
    const refused = (await ask('http', `{"id":${given},"method":"nope"}`)) ?? '';
    t.equal(/^\{"id":(.*),"jsonrpc":"2\.0","error":\{/.exec(refused)?.[1] ?? refused, given, 'with an error, too');
  }
  t.equal(await ask('http', '{"method":"get_test"}'), undefined, 'without an id there is no answer');
  t.equal(await ask('http', '{"id":null,"method":"nope"}'), undefined, 'not even to a wrong call');
});

t.test('arguments by name', async (t) => {
  const { ask } = askable(ports);
  const answer = async (method: string, params: unknown): Promise<Answer> =>
    JSON.parse((await ask('http', call(method, params))) ?? '') as Answer;
  for (const params of [{ name: 'alice' }, ['alice']]) {
    t.match(await answer('get_account_by_name', params), { result: { name: 'alice' } });
    t.match(await answer('database.get_account_by_name', params), { result: { name: 'alice' } });
    t.match(await answer('call', [0, 'get_account_by_name', params]), { result: { name: 'alice' } });
  }
  const names = await answer('lookup_account_names', { names: ['alice'] });
  t.match(names, { result: [{ name: 'alice' }] });
  t.match(await answer('get_test', {}), { result: 100 });
  const refusals: [string, unknown, string, RegExp][] = [
    ['get_account_by_name', {}, 'rpc_argument_missing', /argument name is missing; the method takes name$/],
    ['get_account_by_name', { nam: 1, name: 'a' }, 'rpc_argument_unknown', /no argument nam; the method takes name$/],
    ['get_account_by_name', { toString: 'a' }, 'rpc_argument_unknown', /no argument toString;/],
    ['get_test', { name: 1 }, 'rpc_argument_unknown', /takes nothing$/],
    ['get_block', { block_num: 'x' }, 'json_integer', /Couldn't parse/],
    ['call', { api: 0 }, 'rpc_call_shape', /args\.size/],
  ];
  for (const [method, params, key, message] of refusals) {
    const { error } = await answer(method, params);
    t.equal(error?.data.key, key);
    t.match(error?.message, message);
  }
});

t.test('a method that nobody has gets a short answer with a suggestion', async (t) => {
  const { ask } = askable(ports);
  const hint = async (method: string, params: unknown[] = []): Promise<unknown> => {
    const text = (await ask('http', call(method, params))) ?? '';
    t.ok(text.length < 1500, `${method}: ${text.length} characters`);
    return (JSON.parse(text) as { error: { data: { hint: string } } }).error.data.hint;
  };
  const list = 'rpc.discover lists the methods of all APIs';
  t.equal(await hint('get_acount_by_name'), 'did you mean get_account_by_name?');
  t.equal(await hint('getAccounts'), 'did you mean get_accounts?');
  t.equal(await hint('database.get_obects'), 'did you mean get_objects?');
  t.equal(await hint('databse.get_objects'), 'did you mean database.get_objects?', 'the API is the mistake');
  t.equal(await hint('get_blocks'), 'did you mean block.get_blocks?', 'it is another API that has it');
  t.equal(await hint('get_block', ['5 GXC']), '5 GXC is not such a number', 'where the message names a type alone');
  t.equal(await hint('eth_blockNumber'), list);
  t.equal(await hint('get'), list);
  t.equal(await hint('orders.get_tests'), list);
  t.equal(await hint(''), list);
});

t.test('a batch is answered in order, without those that want no answer', async (t) => {
  const { ask } = askable(ports);
  const batch = [call('get_test', [], 1), '{"method":"get_test"}', call('nope', [], 2), call('get_chain_id', [], 3)];
  const answers = JSON.parse((await ask('http', `[${batch.join()}]`)) ?? '') as Answer[];
  t.same(
    answers.map(({ id }) => id),
    [1, 2, 3],
  );
  t.equal(answers[1]?.error?.data.key, 'rpc_method_unknown');
  t.equal(answers[1]?.error?.data.kind, 'invalid');
  t.equal(await ask('http', '[{"method":"get_test"}]'), undefined);
  const mixed = `[${call('call', ['asset', 'get_asset_holders_count', ['1.3.1']], 1)},${call('get_test', [], 2)}]`;
  t.same(
    (JSON.parse((await ask('http', mixed)) ?? '') as Answer[]).map(({ id }) => id),
    [1, 2],
    'also when some answers come later',
  );
});

t.test('a batch of costly requests runs in turns', async (t) => {
  const clock = new FakeClock();
  const ran: number[] = [];
  const costly = api({
    name: 'block',
    about: 'for this test',
    methods: {
      work: method({
        about: 'takes 3 ms',
        params: { number: u32 },
        result: u32,
        run: (_context, { number }) => {
          clock.advance(3);
          ran.push(number);
          return number;
        },
      }),
      act: method({
        about: 'changes something and tells of it at length',
        params: {},
        result: text,
        waits: true,
        run: () => 'x'.repeat(250),
      }),
    },
  });
  const make = (limits: Partial<DispatcherLimits> = {}) =>
    new Rpc({ ...ports, clock }, { access: ApiAccess.open(EVERY_API), apis: [costly], limits });
  const connection = { address: 'test', canNotify: true, send: () => undefined };
  const batch = (from: number, count: number): string => {
    const numbers = Array.from({ length: count }, (_, i) => from + i);
    return `[${numbers.map((number) => call('call', ['block', 'work', [number]], number)).join()}]`;
  };
  const answers = async (reply: Reply | Promise<Reply>): Promise<Answer[]> => JSON.parse((await reply) ?? 'null');
  const turn = () => new Promise(setImmediate);

  await t.test('answers keep their order, other work comes in between', async (t) => {
    const rpc = make();
    t.type(
      rpc.dispatcher.handle(batch(1, 2), rpc.openSession(connection)),
      'string',
      'a short one is answered at once',
    );
    await turn();
    ran.length = 0;
    const first = rpc.dispatcher.handle(batch(10, 6), rpc.openSession(connection));
    t.same(ran, [10, 11, 12, 13], 'as much as there is time for in this turn');
    const second = rpc.dispatcher.handle(batch(20, 4), rpc.openSession(connection));
    t.same(ran.slice(4), [], 'and nothing else');
    await turn();
    t.same(ran.slice(4), [14, 15, 20, 21], 'batches take turns');
    const ids = async (reply: Reply | Promise<Reply>) => (await answers(reply)).map(({ id, result }) => [id, result]);
    t.same(
      await ids(first),
      [10, 11, 12, 13, 14, 15].map((id) => [id, id]),
    );
    t.same(
      await ids(second),
      [20, 21, 22, 23].map((id) => [id, id]),
    );
    t.same(ran.slice(8), [22, 23]);
  });

  await t.test('a session that closes stops it', async (t) => {
    const rpc = make();
    ran.length = 0;
    const session = rpc.openSession(connection);
    const reply = rpc.dispatcher.handle(batch(1, 50), session);
    session.close();
    t.equal(await reply, undefined);
    t.same(ran, [1, 2, 3, 4]);
  });

  await t.test('the gate counts every request', async (t) => {
    const rpc = make();
    ran.length = 0;
    let tokens = 3;
    const given = await answers(
      rpc.dispatcher.handle(batch(1, 6), rpc.openSession({ ...connection, mayAsk: () => tokens-- > 0 })),
    );
    t.same(ran, [1, 2, 3, 4], 'the transport has asked for the first one');
    t.same(
      given.map(({ id, error }) => [id, error?.data.key]),
      [1, 2, 3, 4, 5, 6].map((id) => [id, id > 4 ? 'http_rate' : undefined]),
    );
  });

  await t.test('one whose answers are too large ends early', async (t) => {
    const rpc = make({ reply_bytes_max: 200 });
    ran.length = 0;
    const given = await answers(rpc.dispatcher.handle(batch(1, 50), rpc.openSession(connection)));
    t.equal(given.length, 50, 'each has its answer');
    for (const { error } of given) t.equal(error?.data.key, 'rpc_reply_too_large');
    t.ok(ran.length < 10, String(ran.length));
  });

  await t.test('unfinished answers have a limit together', async (t) => {
    // Room for two of the largest answers, whatever is asked for.
    const rpc = make({ unfinished_chars_max: 0, reply_bytes_max: 300 });
    const asked = Array.from({ length: 5 }, (_, i) =>
      rpc.dispatcher.handle(batch(10 * i, 6), rpc.openSession(connection)),
    );
    const given = await Promise.all(asked.map(answers));
    const refusedOnes = given.filter((one) => one.some(({ error }) => error !== undefined));
    t.ok(refusedOnes.length > 0 && refusedOnes.length < 5, String(refusedOnes.length));
    for (const { error } of refusedOnes.flat()) t.equal(error?.data.key, 'rpc_queue_full');
    for (const whole of given) t.equal(whole.length, 6);
    const later = await answers(rpc.dispatcher.handle(batch(60, 6), rpc.openSession(connection)));
    t.equal(later.length, 6, 'there is room again');
  });

  await t.test('what was done is answered while the answers of others fill the room', async (t) => {
    const rpc = make({ unfinished_chars_max: 0, reply_bytes_max: 300 });
    // Each just fits, and so do both: there is no room for a third one of that length before they are finished.
    const others = [0, 1].map((i) => rpc.dispatcher.handle(batch(10 + 10 * i, 8), rpc.openSession(connection)));
    const done: Promise<Answer>[] = [];
    for (let turns = 0; turns < 6; turns++) {
      const reply = rpc.dispatcher.handle(call('call', ['block', 'act', []]), rpc.openSession(connection));
      done.push(Promise.resolve(reply).then((given) => JSON.parse(given ?? '')));
      await turn();
    }
    for (const { error } of await Promise.all(done)) t.equal(error, undefined);
    for (const whole of await Promise.all(others.map(answers))) t.equal(whole.length, 8);
  });
});

t.test('an answer above the limit is refused', async (t) => {
  const { ask } = askable(ports, { reply_bytes_max: 1000 });
  const { error } = JSON.parse((await ask('http', call('get_global_properties'))) ?? '') as Answer;
  t.equal(error?.data.key, 'rpc_reply_too_large');
  const batch = `[${Array.from({ length: 50 }, (_, i) => call('get_chain_id', [], i + 1)).join()}]`;
  const refusals = JSON.parse((await ask('http', batch)) ?? '') as Answer[];
  t.same(new Set(refusals.map(({ error }) => error?.data.key)), new Set(['rpc_reply_too_large']));
});

t.test('a bug is an error with a name and a log line, and costs nobody else anything', async (t) => {
  const broken = api({
    name: 'block',
    about: 'for this test',
    methods: {
      now: method({
        about: 'throws',
        params: {},
        result: nothing,
        run: () => {
          throw new TypeError('oops');
        },
      }),
      later: method({ about: 'rejects', params: {}, result: nothing, run: () => Promise.reject(new Error('later')) }),
    },
  });
  const rpc = new Rpc(ports, { access: ApiAccess.open(EVERY_API), apis: [broken] });
  const session = rpc.openSession({ address: 'test', canNotify: false, send: () => undefined });
  for (const name of ['now', 'later']) {
    const before = ports.log.entries.length;
    const text = await rpc.dispatcher.handle(call('call', ['block', name, []]), session);
    const { error } = JSON.parse(text ?? '') as Answer;
    t.equal(error?.data.name, 'unhandled_exception');
    t.same(
      ports.log.entries.slice(before).map(({ text: said }) => said),
      ['a request met a bug'],
    );
  }
  t.equal(rpc.dispatcher.waiting, 0);
  rpc.close();
});

t.test('what is refused later is answered, even when the turn is over before anybody waits for it', async (t) => {
  const clock = new FakeClock();
  const slow = api({
    name: 'block',
    about: 'for this test',
    methods: {
      later: method({
        about: 'uses up its turn and is refused in the next',
        params: {},
        result: nothing,
        waits: true,
        run: () => {
          clock.advance(1000);
          return Promise.reject(new ChainError(HTTP_ERRORS.http_rate));
        },
      }),
    },
  });
  const rpc = new Rpc({ ...ports, clock }, { access: ApiAccess.open(EVERY_API), apis: [slow] });
  const session = rpc.openSession({ address: 'test', canNotify: false, send: () => undefined });
  // A refusal that nobody has asked for yet when the turn ends would end the process.
  const unheard: unknown[] = [];
  const hear = (reason: unknown): unknown => unheard.push(reason);
  process.prependListener('unhandledRejection', hear);
  t.teardown(() => process.off('unhandledRejection', hear));
  const { error } = JSON.parse(
    (await rpc.dispatcher.handle(call('call', ['block', 'later', []]), session)) ?? '',
  ) as Answer;
  t.equal(error?.data.key, 'http_rate');
  t.equal(error?.data.kind, 'limit');
  t.same(unheard, []);
  rpc.close();
});

t.test('api ids: those of the start, then new ones per login', async (t) => {
  const { rpc } = askable(ports);
  const session = rpc.openSession({ address: 'test', canNotify: true, send: () => undefined });
  const ask = async (text: string): Promise<unknown> =>
    JSON.parse((await rpc.dispatcher.handle(text, session)) ?? '').result;
  t.equal(await ask(call('call', [0, 'get_test', []])), 100);
  t.equal(await ask(call('call', [1, 'database', []])), 4, 'the first accessor hands out a new id');
  t.equal(await ask(call('call', [1, 'database', []])), 4, 'asking again gives the same');
  t.equal(await ask(call('call', [1, 'history', []])), 5);
  t.equal(await ask(call('call', [1, 'login', ['u', 'p']])), true);
  t.equal(await ask(call('call', [1, 'database', []])), 6, 'a login starts over');
  t.equal(await ask(call('call', [4, 'get_test', []])), 100, 'old ids stay valid');
});

t.test('three APIs are open before any login, and a login takes nothing away', async (t) => {
  const entry = (allowed_apis: string[]) => ({ password_hash_b64: '*', password_salt_b64: '*', allowed_apis });
  const permission_map = [
    ['alice', entry(['database_api', 'crypto_api', 'nope_api'])],
    ['bob', entry(['asset_api'])],
  ];
  const rpc = new Rpc(ports, { access: ApiAccess.parse(JSON.stringify({ permission_map })) });
  const session = rpc.openSession({ address: 'test', canNotify: true, send: () => undefined });
  const ask = async (text: string): Promise<Answer> => JSON.parse((await rpc.dispatcher.handle(text, session)) ?? '');
  const enter = async (name: string): Promise<unknown> => (await ask(call('call', [1, name, []]))).result;
  t.same(await Promise.all(['database', 'network_broadcast', 'history'].map(enter)), [0, 2, 3]);
  t.equal((await ask(call('call', ['database', 'get_test', []]))).result, 100);
  t.equal((await ask(call('call', [1, 'network_node', []]))).error?.message, 'Assert Exception: _network_node_api: ');
  t.equal((await ask(call('call', [1, 'login', ['alice', '']]))).result, true);
  t.same(await Promise.all(['database', 'history', 'crypto'].map(enter)), [4, 3, 5], 'a login replaces what it names');
  t.equal((await ask(call('call', [1, 'login', ['bob', '']]))).result, true);
  t.same(await Promise.all(['database', 'crypto', 'asset'].map(enter)), [4, 5, 6], 'and keeps the rest');
  const open = new Rpc(ports, { access: ApiAccess.parse('{"permission_map":[]}'), networkNodeForAll: true });
  const other = open.openSession({ address: 'test', canNotify: true, send: () => undefined });
  t.equal(other.apiId('network_node'), 4, 'with its flag network_node too');
  for (let i = 0; i < 200; i++) {
    session.login('alice', '');
    const { error, result } = await ask(call('call', [1, 'database', []]));
    if (error === undefined) t.equal(result, 7 + i);
    else t.equal(error.message, 'Assert Exception: a connection is given at most 100 api ids');
  }
  rpc.close();
  open.close();
});

t.test('what everybody may use is what the file says of everybody', async (t) => {
  const entry = (allowed_apis: string[]) => ({ password_hash_b64: '*', password_salt_b64: '*', allowed_apis });
  const of = (permission_map: unknown): ApiAccess => ApiAccess.parse(JSON.stringify({ permission_map }));
  const named = of([['alice', entry(['asset_api'])]]);
  t.equal(named.isOpen('asset'), false, 'what one user may use is not open');
  const all = of([['*', entry(['asset_api'])]]);
  t.equal(all.isOpen('asset'), true);
  t.equal(all.isOpen('crypto'), false);
});

t.test('the access file gates what the accessors give', async (t) => {
  const salt = Buffer.from('saltsalt').toString('base64');
  const { createHash } = await import('node:crypto');
  const hash = createHash('sha256').update('secret').update('saltsalt').digest('base64');
  const file = {
    permission_map: [
      ['alice', { password_hash_b64: hash, password_salt_b64: salt, allowed_apis: ['network_node_api'] }],
      ['*', { password_hash_b64: '*', password_salt_b64: '*', allowed_apis: ['database_api'] }],
    ],
  };
  const rpc = new Rpc(ports, { access: ApiAccess.parse(JSON.stringify(file)) });
  const session = rpc.openSession({ address: 'test', canNotify: true, send: () => undefined });
  const ask = async (text: string): Promise<Answer> => JSON.parse((await rpc.dispatcher.handle(text, session)) ?? '');
  const enter = (name: string) => ask(call('call', [1, name, []]));
  t.equal((await enter('database')).result, 4);
  t.equal((await enter('network_node')).error?.message, 'Assert Exception: _network_node_api: ');
  t.equal((await ask(call('call', [1, 'login', ['alice', 'wrong']]))).result, false);
  t.equal((await enter('network_node')).error?.data.key, 'rpc_api_not_enabled', 'a wrong password opens nothing');
  t.equal((await ask(call('call', [1, 'login', ['alice', 'secret']]))).result, true);
  t.equal((await enter('network_node')).result, 5);
  const basic = basicCredentials(`Basic ${Buffer.from('alice:secret').toString('base64')}`);
  const other = rpc.openSession({ address: 'test', canNotify: true, send: () => undefined }, basic);
  t.equal(other.apiId('network_node'), 4, 'credentials of the HTTP header are a login');
  const unknown = '{"permission_map":[["a",{"password_hash_b64":"*","allowed_apis":["databse_api","history_api"]}]]}';
  const told: UnknownApi[] = [];
  const lenient = ApiAccess.parse(unknown, (one) => told.push(one));
  t.same(
    told,
    [{ user: 'a', name: 'databse_api', nearest: 'database_api' }],
    'a name that stands for no api is told of',
  );
  const known: UnknownApi[] = [];
  ApiAccess.parse(unknown, (one) => known.push(one), ['databse_api']);
  t.same(known, [], 'a plugin may bring it');
  t.same([...(lenient.login('a', '') ?? [])], ['databse', 'history'], 'and stops nobody');
  t.equal(basicCredentials('Basic YWJj'), undefined, 'must have two parts');
  t.equal(basicCredentials('Bearer x'), undefined);
  rpc.close();
});
