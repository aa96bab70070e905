import t, { type Test } from 'tap';
import { WebSocket } from 'ws';
import { encodeWith } from '../../src/codec/binary.js';
import { blockHeaderDigest } from '../../src/crypto/digests.js';
import { PrivateKey } from '../../src/crypto/private-key.js';
import { signatureBackend } from '../../src/crypto/signature.js';
import { DEV_ACCOUNTS, DEV_SIGNING_KEYS } from '../../src/node/dev/dev-network.js';
import { blockHeader, signedBlock } from '../../src/protocol/block.js';
import { signedTransaction } from '../../src/protocol/transaction.js';
import { type DevNode, startDevNode } from '../support/dev-node.js';
import { NETWORK } from '../support/network.js';
import { rpcCall, signedBy } from '../support/rpc-call.js';

/** Two nodes make different blocks; the first one is given those of the second. Its subscribers live through the switch. */

const OPTIONS = {
  'enable-debug-api': 'true',
  plugins: 'none',
  'debug-private-key': DEV_SIGNING_KEYS.map((key) => key.toWif()),
};
const [ALICE] = DEV_ACCOUNTS;
const COMMON = 6;

type Plain = string | undefined;
const generate = (plain: Plain, count = 1) => rpcCall(plain, 'call', ['debug', 'debug_generate_blocks', ['', count]]);
const give = (plain: Plain, block: unknown) => rpcCall(plain, 'call', [2, 'broadcast_block', [block]]);
const blocksOf = (plain: Plain, from: number, to: number) =>
  rpcCall<unknown[]>(plain, 'call', ['block', 'get_blocks', [from, to]]);
const idOf = async (plain: Plain, number: number): Promise<string> =>
  (await rpcCall<{ block_id: string }>(plain, 'get_block', [number])).block_id;

interface Seen {
  readonly id: string;
  readonly balance?: number | string;
  readonly name?: string;
}

class Subscriber {
  readonly #socket: WebSocket;
  readonly #got: [callback: number, argument: unknown][] = [];
  readonly #answers = new Map<number, (result: unknown) => void>();
  #asked = 0;
  #wake = (): void => undefined;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data) => {
      const document = JSON.parse(String(data));
      if (document.method === 'notice') this.#got.push([document.params[0], document.params[1][0]]);
      else this.#answers.get(document.id)?.(document.result);
      this.#wake();
    });
  }

  static async open(t: Test, plain: Plain): Promise<Subscriber> {
    const socket = new WebSocket(`ws://${plain}`);
    t.teardown(() => socket.terminate());
    await new Promise((resolve) => socket.once('open', resolve));
    return new Subscriber(socket);
  }

  ask(method: string, params: unknown[]): Promise<unknown> {
    const id = ++this.#asked;
    this.#socket.send(JSON.stringify({ id, method, params }));
    return new Promise((resolve) => this.#answers.set(id, resolve));
  }

  /** Everything that was told up to now: what the node sends goes out in order, so an answer comes behind it. */
  async taken(): Promise<[number, unknown][]> {
    await this.ask('get_test', []);
    return this.#got.splice(0);
  }
}

/** By callback id. */
const OBJECTS = 1;
const BLOCKS = 2;
const PENDING = 3;
const CONFIRMED = 4;

const of = (notices: readonly [number, unknown][], callback: number): unknown[] =>
  notices.filter(([id]) => id === callback).map(([, argument]) => argument);
const seenIn = (notices: readonly [number, unknown][]): (Seen | string)[] => of(notices, OBJECTS).flat() as Seen[];
const objectIn = (notices: readonly [number, unknown][], id: string): Seen | undefined =>
  seenIn(notices)
    .filter((one): one is Seen => typeof one !== 'string' && one.id === id)
    .at(-1);

async function twoNodes(t: Test): Promise<{ dev: DevNode; a: Plain; b: Plain }> {
  const folder = t.testdir({ a: {}, b: {} });
  const dev = await startDevNode(`${folder}/a`, OPTIONS);
  t.teardown(() => dev.node.stop());
  const other = await startDevNode(`${folder}/b`, OPTIONS);
  t.teardown(() => other.node.stop());
  const a = dev.node.endpoints.plain;
  const b = other.node.endpoints.plain;
  await generate(a, COMMON);
  for (const block of await blocksOf(a, 1, COMMON)) await give(b, block);
  t.equal(await idOf(b, COMMON), await idOf(a, COMMON), 'both stand on the same block');
  return { dev, a, b };
}

t.test('a subscriber hears what a fork switch takes back, brings, and makes wait again', async (t) => {
  const { a, b } = await twoNodes(t);
  const alice = await rpcCall<{ id: string }>(a, 'get_account_by_name', ['alice']);
  const bob = await rpcCall<{ id: string }>(a, 'get_account_by_name', ['bob']);
  const full = await rpcCall<[string, { balances: { id: string; asset_type: string; balance: number }[] }][]>(
    a,
    'get_full_accounts',
    [['bob'], false],
  );
  const balance = full[0]?.[1].balances.find(({ asset_type }) => asset_type === '1.3.1');
  t.ok(balance);
  const before = Number(balance?.balance);
  const client = await Subscriber.open(t, a);
  await client.ask('set_subscribe_callback', [OBJECTS, true]);
  await client.ask('get_objects', [[balance?.id]]);
  await client.ask('set_block_applied_callback', [BLOCKS]);
  await client.ask('set_pending_transaction_callback', [PENDING]);

  const key = ALICE?.key as PrivateKey;
  const pay = { from: alice.id, to: bob.id, amount: { amount: 5, asset_id: '1.3.1' }, extensions: [] };
  const paid = signedTransaction.toJson(await signedBy(a, key, [[0, pay]]), NETWORK);
  const authority = { weight_threshold: 1, account_auths: [], key_auths: [[publicText(alice), 1]], address_auths: [] };
  const options = { memo_key: publicText(alice), voting_account: '1.2.5', num_witness: 0, num_committee: 0, votes: [] };
  const newcomer = {
    registrar: alice.id,
    referrer: alice.id,
    referrer_percent: 0,
    name: 'newcomer-1',
    owner: authority,
    active: authority,
    options: { ...options, extensions: [] },
    extensions: {},
  };
  const created = signedTransaction.toJson(await signedBy(a, key, [[5, newcomer]]), NETWORK);
  await client.ask('call', [2, 'broadcast_transaction_with_callback', [CONFIRMED, paid]]);
  await rpcCall(a, 'call', [2, 'broadcast_transaction', [created]]);
  t.equal(of(await client.taken(), PENDING).length, 2, 'both wait');
  await generate(a);
  const own = await client.taken();
  t.same(of(own, BLOCKS), [await idOf(a, COMMON + 1)]);
  t.equal(Number(objectIn(own, balance?.id ?? '')?.balance), before + 5);
  t.match(of(own, CONFIRMED), [{ block_num: COMMON + 1 }]);
  const account = seenIn(own).find((one): one is Seen => typeof one !== 'string' && one.name === 'newcomer-1');
  t.match(account?.id, /^1\.2\.\d+$/, 'with notify_remove_create everything new is told');

  await generate(b, 2);
  const theirs = await blocksOf(b, COMMON + 1, COMMON + 2);
  await t.rejects(give(a, theirs[1]), /block does not link to known chain/, 'a block of a branch that nobody knows');
  t.same(await client.taken(), []);
  await give(a, theirs[0]);
  t.same(await client.taken(), [], 'a branch that is not longer changes nothing');
  t.equal(await idOf(a, COMMON + 1), of(own, BLOCKS)[0]);

  await give(a, theirs[1]);
  const after = await client.taken();
  t.same(of(after, BLOCKS), [await idOf(b, COMMON + 1), await idOf(b, COMMON + 2)]);
  t.equal(await idOf(a, COMMON + 2), await idOf(b, COMMON + 2));
  // The lost block's transactions wait and have their effects again before anything is told.
  const [now] = await rpcCall<Seen[]>(a, 'get_objects', [[balance?.id]]);
  t.same(objectIn(after, balance?.id ?? ''), now, 'what is told is what reading answers');
  t.equal(Number(now?.balance), before + 5);
  t.notOk(seenIn(after).includes(account?.id ?? ''), 'the account is there again, so it is not told as removed');
  const waiting = of(after, PENDING) as { operations: [number, object][] }[];
  t.same(
    waiting.map(({ operations }) => operations[0]?.[0]),
    [0, 5],
    'its transactions wait again, in their order',
  );
  t.same(of(after, CONFIRMED), []);
  const order = after.map(([callback]) => callback);
  t.ok(order.lastIndexOf(PENDING) < order.indexOf(BLOCKS), 'before the blocks');

  await generate(a);
  const end = await client.taken();
  t.equal(Number(objectIn(end, balance?.id ?? '')?.balance), before + 5, 'and are in the next block');
  t.match(of(end, CONFIRMED), [{ block_num: COMMON + 3 }]);
  t.ok(seenIn(end).some((one) => typeof one !== 'string' && one.name === 'newcomer-1'));
  t.same(of(end, PENDING), [], 'nothing waits any more');
});

t.test('who subscribes behind a block hears that it is taken back', async (t) => {
  const { a, b } = await twoNodes(t);
  const alice = await rpcCall<{ id: string }>(a, 'get_account_by_name', ['alice']);
  const pay = { from: alice.id, to: '1.2.0', amount: { amount: 1, asset_id: '1.3.1' }, extensions: [] };
  const balanceOf = async (plain: Plain): Promise<Seen | undefined> => {
    const full = await rpcCall<[string, { balances: (Seen & { asset_type: string })[] }][]>(
      plain,
      'get_full_accounts',
      [['alice'], false],
    );
    return full[0]?.[1].balances.find(({ asset_type }) => asset_type === '1.3.1');
  };
  const before = await balanceOf(a);
  const paid = await signedBy(a, ALICE?.key as PrivateKey, [[0, pay]]);
  await rpcCall(a, 'call', [2, 'broadcast_transaction', [signedTransaction.toJson(paid, NETWORK)]]);
  await generate(a);

  const client = await Subscriber.open(t, a);
  await client.ask('set_subscribe_callback', [OBJECTS, false]);
  const [read] = (await client.ask('get_objects', [[before?.id]])) as [Seen];
  t.not(read.balance, before?.balance, 'the block is the first thing that this client knows of');
  await generate(b, 2);
  for (const block of await blocksOf(b, COMMON + 1, COMMON + 2)) await give(a, block);
  const [now] = await rpcCall<Seen[]>(a, 'get_objects', [[before?.id]]);
  t.same(objectIn(await client.taken(), before?.id ?? ''), now, 'as reading answers: the transfer waits again');
  t.equal(now?.balance, read.balance);
});

t.test('a longer branch with a bad block: back to where it was, and everybody knows', async (t) => {
  const { dev, a, b } = await twoNodes(t);
  const client = await Subscriber.open(t, a);
  await client.ask('set_subscribe_callback', [OBJECTS, false]);
  await client.ask('get_objects', [['2.1.0']]);
  await client.ask('set_block_applied_callback', [BLOCKS]);
  // Something that makes the block differ from that of the other node.
  const alice = await rpcCall<{ id: string }>(a, 'get_account_by_name', ['alice']);
  const pay = { from: alice.id, to: '1.2.0', amount: { amount: 1, asset_id: '1.3.1' }, extensions: [] };
  const paid = await signedBy(a, ALICE?.key as PrivateKey, [[0, pay]]);
  await rpcCall(a, 'call', [2, 'broadcast_transaction', [signedTransaction.toJson(paid, NETWORK)]]);
  await generate(a);
  const own = await idOf(a, COMMON + 1);
  await client.taken();

  await generate(b, 2);
  const [good, next] = await blocksOf(b, COMMON + 1, COMMON + 2);
  const bad = signedBlock.fromJson(next as never, NETWORK);
  const stranger = PrivateKey.fromSeed('a stranger');
  bad.witness_signature = signatureBackend().sign(encodeWith(blockHeader, bad, blockHeaderDigest), stranger);
  await give(a, good);
  const { head } = dev.node.chain.queries;
  await t.rejects(give(a, signedBlock.toJson(bad, NETWORK)), /Assert Exception/);
  t.same(dev.node.chain.queries.head, head);
  const notices = await client.taken();
  t.same(of(notices, BLOCKS), [await idOf(b, COMMON + 1), own], 'over and back');
  const last = objectIn(notices, '2.1.0') as unknown as { head_block_id: string };
  t.equal(last.head_block_id, own);
});

function publicText(account: unknown): string {
  return (account as { options: { memo_key: string } }).options.memo_key;
}

interface Refusal {
  readonly code: number;
  readonly message: string;
}

async function refusalOf(plain: Plain, block: unknown): Promise<Refusal | undefined> {
  const body = JSON.stringify({ id: 1, method: 'call', params: [2, 'broadcast_block', [block]] });
  const response = await fetch(`http://${plain}/`, { method: 'POST', body });
  const { error } = (await response.json()) as { error?: { message: string; data: { code: number } } };
  return error === undefined ? undefined : { code: error.data.code, message: error.message };
}

t.test('broadcast_block: what cannot be taken is refused with its reason, and changes nothing', async (t) => {
  const { dev, a, b } = await twoNodes(t);
  await generate(a, 30);
  await generate(b, 2);
  const [own] = (await blocksOf(a, COMMON + 30, COMMON + 30)) as [Record<string, unknown>];
  const [, lost] = (await blocksOf(b, COMMON + 1, COMMON + 2)) as [unknown, unknown];
  const { head } = dev.node.chain.queries;
  t.equal(await refusalOf(a, own), undefined, 'a block that is known already is no mistake');
  const cases: readonly (readonly [what: string, block: unknown, code: number, message: RegExp])[] = [
    ['no block', {}, 10, /too old/],
    [
      'on a block that nobody knows',
      { ...own, previous: `${own.previous}`.replace(/..$/, '00') },
      3080000,
      /does not link/,
    ],
    ['of a branch that left long ago', lost, 10, /too old|does not link/],
    [
      'with other transactions than its header says',
      { ...own, transaction_merkle_root: '11'.repeat(20) },
      10,
      /merkle/,
    ],
    ['of tomorrow', { ...own, timestamp: '2106-01-01T00:00:00' }, 10, /time|ahead|future/],
    ['with a member of another kind', { ...own, witness: '1.2.5' }, 10, /1\.2\.5/],
  ];
  for (const [what, block, code, message] of cases) {
    const refusal = await refusalOf(a, block);
    t.equal(refusal?.code, code, `${what}: ${refusal?.message}`);
    t.match(refusal?.message, message, what);
  }
  t.same(dev.node.chain.queries.head, head);
});
