import { join } from 'node:path';
import type { Kysely } from 'kysely';
import t, { type Test } from 'tap';
import { toHex } from '../../src/base/bytes.js';
import type { Clock } from '../../src/base/world.js';
import type { NodeClient } from '../../src/client/client.js';
import { RpcConnectionError, RpcError } from '../../src/client/connection.js';
import { encode } from '../../src/codec/binary.js';
import { PrivateKey } from '../../src/crypto/private-key.js';
import { systemClock } from '../../src/node/runtime/clock.js';
import { proxyTransferParams } from '../../src/protocol/proxy-transfer.js';
import type { FollowedBlock } from '../../src/services/chain/follower.js';
import { ChainNode } from '../../src/services/chain/node.js';
import { openDatabase } from '../../src/services/common/database.js';
import { PAYMENT_ERRORS, Payments } from '../../src/services/payment/payments.js';
import { refusalOf } from '../../src/services/payment/refusal.js';
import type { ReleasePoint } from '../../src/services/payment/releases.js';
import { PAYMENT_TABLES, type PaymentRow, type PaymentTables } from '../../src/services/payment/tables.js';
import { eventually } from '../support/eventually.js';
import { FakeClock } from '../support/fake-clock.js';
import { MemoryLog } from '../support/memory-log.js';
import { refusedLater } from '../support/refused.js';
import { emptyDatabaseFor } from './support/databases.js';

/** What blocks, fork switches and the end of transactions make of payments; the chain itself is asked elsewhere. */

const OWN = 18;
const SIGNATURE = 'ab'.repeat(65);
const [EARLIER, LATER] = ['1'.repeat(40), '2'.repeat(40)] as const;

/** Has blocks, and nothing else. */
class BlocksOnly extends ChainNode {
  readonly asked: number[] = [];
  readonly #blockAt: (number: number) => FollowedBlock | undefined;

  constructor(blockAt: (number: number) => FollowedBlock | undefined) {
    super('http://127.0.0.1:1', 1000, systemClock);
    this.#blockAt = blockAt;
  }

  override async ask<V>(_what: string, question: (database: NodeClient['database']) => Promise<V>): Promise<V> {
    const get_block = async ({ block_num }: { block_num: number }) => {
      this.asked.push(block_num);
      return this.#blockAt(block_num);
    };
    return question({ get_block } as unknown as NodeClient['database']);
  }
}

interface Opened {
  readonly db: Kysely<PaymentTables>;
  readonly payments: Payments;
  readonly told: string[];
  readonly log: MemoryLog;
  row(): Promise<PaymentRow>;
}

async function open(
  t: Test,
  row: Partial<PaymentRow>,
  releaseAt: ReleasePoint = 'sent',
  clock: Clock = systemClock,
  node = new BlocksOnly((number) => emptyBlock(number)),
): Promise<Opened> {
  const file = join(t.testdir(), 'payments.db');
  const db = await openDatabase<PaymentTables>((await emptyDatabaseFor(file)) ?? file, [PAYMENT_TABLES]);
  t.teardown(() => db.destroy());
  const told: string[] = [];
  const log = new MemoryLog();
  const payments = new Payments(
    db,
    node,
    { account: OWN, key: PrivateKey.fromSeed('payments'), chainId: '0'.repeat(64), feeAsset: 1 },
    {
      purpose: 'test',
      releaseAt,
      keepsReserved: false,
      paid: async () => void told.push('paid'),
      unpaid: async () => void told.push('unpaid'),
    },
    { refused: () => undefined },
    { owner: 'this one', clock, log },
    30,
  );
  const whole: PaymentRow = {
    signature: SIGNATURE,
    purpose: 'test',
    state: 'signed',
    payer: 17,
    asset: 1,
    units: '20',
    expiration: 10_000,
    request: '',
    memo: 'what for',
    packed: '00',
    txid: LATER,
    tx_expiration: 1000,
    after_block: 5,
    attempts: 1,
    block: null,
    block_id: null,
    failure: null,
    created_ms: 0,
    sent_ms: null,
    released_ms: row.sent_ms ?? null,
    lease_owner: '',
    lease_until_ms: 0,
    ...row,
  };
  await db.insertInto('payment').values(whole).execute();
  const read = async (): Promise<PaymentRow> => (await payments.find(SIGNATURE)) as PaymentRow;
  return { db, payments, told, log, row: read };
}

/** `branch`: a letter for blocks of the same number. */
const idOf = (number: number, branch = '0'): string => `${number.toString(16).padStart(8, '0')}${branch.repeat(32)}`;

/** As much of a block as is looked at. */
function blockWith(number: number, txid: string, proxy = OWN): FollowedBlock {
  const request_params = { proxy_account: proxy, signatures: [Buffer.from(SIGNATURE, 'hex')] };
  return {
    block_id: idOf(number),
    timestamp: 900,
    transactions: [{ operations: [[0, {}]] }, { operations: [[73, { request_params }]] }],
    transaction_ids: ['0'.repeat(40), txid],
  } as unknown as FollowedBlock;
}

/** Of a time behind all transactions here. */
const emptyBlock = (number: number, branch?: string): FollowedBlock =>
  ({
    block_id: idOf(number, branch),
    timestamp: 1001,
    transactions: [],
    transaction_ids: [],
  }) as unknown as FollowedBlock;

t.test('into a block, out of it, into another one, and for ever', async (t) => {
  const { payments, told, row } = await open(t, { state: 'sent', sent_ms: 1 });
  await payments.releases.applied(blockWith(7, LATER, OWN + 1));
  t.match(await row(), { state: 'sent' }, 'another proxy’s payment is not ours');
  await payments.releases.applied(blockWith(7, EARLIER));
  t.match(await row(), { state: 'included', block: 7, txid: EARLIER }, 'whichever transaction it was');
  await payments.releases.settled(6, 900);
  t.match(await row(), { state: 'included' });
  await payments.releases.undone(7, idOf(7));
  t.match(await row(), { state: 'sent', block: null, sent_ms: 1 });
  await payments.releases.applied(blockWith(8, EARLIER));
  await payments.releases.settled(8, 2000);
  t.match(await row(), { state: 'final', block: 8 });
  await payments.releases.undone(8, idOf(8));
  await payments.releases.applied(blockWith(9, LATER));
  t.match(await row(), { state: 'final', block: 8, txid: EARLIER }, 'nothing changes it any more');
  t.same(told, [], 'it was handed out when the node took it');
});

t.test('when it is handed out', async (t) => {
  for (const [releaseAt, whenIncluded] of [
    ['sent', 1],
    ['included', 1],
    ['final', 0],
  ] as const) {
    const { payments, told, row } = await open(t, { state: 'signed' }, releaseAt);
    await payments.releases.applied(blockWith(7, LATER));
    t.equal(told.length, whenIncluded, `${releaseAt}: a block has it`);
    await payments.releases.undone(7, idOf(7));
    await payments.releases.applied(blockWith(8, LATER));
    await payments.releases.settled(8, 2000);
    t.equal(told.length, 1, `${releaseAt}: for ever`);
    t.ok((await row()).released_ms);
  }
});

t.test('what was not handed out is not lost', async (t) => {
  const { payments, told, row, log } = await open(
    t,
    { state: 'sent', sent_ms: 1, released_ms: null, expiration: 1005 },
    'included',
  );
  await payments.releases.settled(6, 1001);
  t.match(await row(), { state: 'failed', failure: 'expired' });
  t.same(told, ['unpaid']);
  t.equal(log.texts('error').length, 0);
});

t.test('payments of others in the same database', async (t) => {
  const { payments, told, row } = await open(t, { state: 'sent', sent_ms: 1, purpose: 'other' });
  await payments.releases.applied(blockWith(7, LATER));
  await payments.releases.settled(8, 2000);
  t.match(await row(), { state: 'sent' });
  t.same(told, []);
  t.same(await payments.counts(), []);
});

for (const [what, given, time, state, told] of [
  ['its time is not over', {}, 1000, 'signed', []],
  ['made anew while the authorization lives', {}, 1001, 'ready', []],
  ['made anew after it was sent', { state: 'sent', sent_ms: 1 }, 1001, 'ready', []],
  ['the authorization is over as well', { expiration: 1005 }, 1001, 'failed', ['unpaid']],
  ['over, after it was handed out', { state: 'sent', sent_ms: 1, expiration: 1005 }, 1001, 'lost', []],
  ['refused for the payer’s balance', { failure: 'balance' }, 1001, 'failed', ['unpaid']],
  ['refused for our own fee', { failure: 'fee' }, 1001, 'ready', []],
] as const) {
  t.test(`in no block: ${what}`, async (t) => {
    const opened = await open(t, given);
    await opened.payments.releases.settled(6, time);
    t.match(await opened.row(), { state });
    t.same(opened.told, told);
    t.equal(opened.log.texts('error').length, state === 'lost' ? 1 : 0, 'the operator hears of what was lost');
  });
}

/** An instance on an old branch has taken back what was found in a block, and is gone before it comes to that block again. */
t.test('taken for open, though a block has it', async (t) => {
  const blocks = new BlocksOnly((number) =>
    number === 7 ? blockWith(7, EARLIER) : { ...emptyBlock(number), timestamp: 900 },
  );
  const { payments, told, row, log } = await open(
    t,
    { state: 'sent', sent_ms: 1, released_ms: null, expiration: 1005 },
    'final',
    systemClock,
    blocks,
  );
  await payments.releases.settled(9, 1000);
  t.same(blocks.asked, [], 'another block may still have it');
  await payments.releases.settled(9, 1001);
  t.match(await row(), { state: 'final', block: 7, block_id: idOf(7), txid: EARLIER });
  t.same(told, ['paid']);
  t.same(blocks.asked, [6, 7], 'no further than where it is');
  t.equal(log.texts('error').length, 0);
});

t.test('blocks are looked through as far as one may have it, and once', async (t) => {
  const blocks = new BlocksOnly((number) => ({ ...emptyBlock(number), timestamp: number <= 8 ? 1000 : 1001 }));
  const { db, payments, row } = await open(t, {}, 'sent', systemClock, blocks);
  await payments.releases.settled(20, 1030);
  t.match(await row(), { state: 'ready', after_block: 20 });
  t.same(blocks.asked, [6, 7, 8, 9], 'the first block behind the end was made of transactions that had not ended');
  await db.updateTable('payment').set({ state: 'signed', tx_expiration: 1040 }).execute();
  await payments.releases.settled(22, 1050);
  t.same(blocks.asked.slice(4), [21, 22], 'from where the former look ended');
});

t.test('nothing is given up while the node cannot show its blocks', async (t) => {
  for (const [what, blockAt] of [
    ['behind', () => undefined],
    ['on another branch', (number: number) => emptyBlock(number, 'b')],
  ] as const) {
    const { payments, told, row } = await open(
      t,
      { state: 'sent', sent_ms: 1, released_ms: null, expiration: 1005 },
      'included',
      systemClock,
      new BlocksOnly(blockAt),
    );
    await payments.releases.applied(emptyBlock(6));
    await payments.releases.settled(6, 1001);
    t.match(await row(), { state: 'sent' }, what);
    t.same(told, []);
  }
});

t.test('what stands in a block of another branch is not final', async (t) => {
  const given = { state: 'included', sent_ms: 1, block: 7, block_id: idOf(7, 'b') } as const;
  const { payments, row } = await open(t, given);
  await payments.releases.settled(7, 900);
  t.match(await row(), given, 'an instance that has not seen that block says nothing of it');
  await payments.releases.undone(7, idOf(7));
  t.match(await row(), given, 'nor what becomes of the block of its own branch');
  await payments.releases.applied(emptyBlock(7));
  t.match(await row(), { state: 'sent', block: null }, 'until the block of its branch stands there');
});

t.test('a failed one that is in a block all the same', async (t) => {
  const { payments, told, log, row } = await open(t, { state: 'failed', failure: 'balance' });
  await payments.releases.applied(blockWith(7, LATER));
  t.match(await row(), { state: 'included', failure: null });
  t.same(told, ['paid']);
  t.equal(log.texts('error').length, 1);
});

t.test('counts, and where to begin after a restart', async (t) => {
  const { payments, db } = await open(t, {});
  const [one] = await db.selectFrom('payment').selectAll().execute();
  await db
    .insertInto('payment')
    .values({ ...(one as PaymentRow), signature: 'x', state: 'final', after_block: 1 })
    .execute();
  t.same(await payments.counts(), [
    { state: 'final', count: 1 },
    { state: 'signed', count: 1 },
  ]);
  t.equal(await payments.firstBlock(), 5, 'what is final is not looked for');
});

t.test('what was stopped begins nothing more', async (t) => {
  const clock = new FakeClock(1000);
  const { payments } = await open(t, { state: 'final' }, 'sent', clock);
  payments.start();
  await eventually('the first round is over', () => clock.timers === 1);
  clock.advance(1000);
  await eventually('so is the second', () => clock.timers === 1);
  await payments.stop();
  t.equal(clock.timers, 0, 'nothing is planned');
  clock.advance(10_000);
  await eventually('the next turn', () => true);
  t.equal(clock.timers, 0);
});

t.test('what nobody is at any more is given up, and what somebody holds is not', async (t) => {
  for (const [lease_until_ms, isLeft] of [
    [500, false],
    [5000, true],
  ] as const) {
    const clock = new FakeClock(1000);
    const { payments, told, db } = await open(t, { state: 'reserved', lease_until_ms }, 'sent', clock);
    payments.start();
    await eventually('the first round is over', () => clock.timers === 1);
    await payments.stop();
    const rows = await db.selectFrom('payment').select('signature').execute();
    t.equal(rows.length, isLeft ? 1 : 0, `held until ${lease_until_ms}`);
    t.same(told, isLeft ? [] : ['unpaid']);
  }
});

/** Refuses whatever it is sent. */
class Refusing extends BlocksOnly {
  sent = 0;
  override readonly client: NodeClient;

  constructor(message: string) {
    super((number) => emptyBlock(number));
    const broadcast_transaction = async (): Promise<never> => {
      this.sent++;
      throw new RpcError({ message, code: 1 });
    };
    this.client = { network_broadcast: { broadcast_transaction } } as unknown as NodeClient;
  }
}

/** That of vector V5, signed by its proxy. */
const PACKED =
  'add5ffe295aa1e105e5f01492e516d4e4e366a657835526752365a7a7142326b6a57363364794c574774453447524570727675376436457a335361640000000000000001c801ac0211a08601000000000000e80320396664316333653934363961326461366364636635306336376364316430323808175e5f011f032338b78335252cbfdb57fcb612dd1839f0c4e41507a63ccafe777747ba749f754c545b7ba20679960aa5ead80fdb6b2be1a673edb3b07daec0aa7398ee4546000001204a7d1a5d7dcc130d1a2340137e26a35b5fed5c7284824e7d44d224a34c030c323a10edc130097f9e06003953188f4b090c0165e7422b0ba6c8cce7b5b9583188';

const FULL = 'this node holds 9 transactions with 900 bytes that wait for a block and takes no more';

t.test('recorded by somebody who went before it was sent, and taken up when the node wants it no more', async (t) => {
  for (const [message, state, outcome] of [
    ['Assert Exception: now <= trx.expiration: ', 'ready', []],
    [FULL, 'ready', []],
    ['anything else', 'failed', ['unpaid']],
  ] as const) {
    const clock = new FakeClock(1000);
    const node = new Refusing(message);
    const given = { attempts: 0, packed: PACKED, lease_until_ms: 500 };
    const { payments, told, row } = await open(t, given, 'sent', clock, node);
    payments.start();
    await eventually('it was sent, and what came of it is recorded', () => node.sent === 1 && clock.timers === 1);
    t.match(await row(), { state: state === 'ready' ? 'signed' : 'failed' }, message);
    await payments.releases.settled(6, 1001);
    await payments.stop();
    t.match(await row(), { state }, 'made anew where the bytes were too old or the node was full');
    t.same(told, outcome);
  }
});

t.test('what is refused when it is sent once more may be on its way all the same', async (t) => {
  for (const [message, attempts, failure] of [
    ['anything else', 1, 'refused'],
    ["Insufficient Balance: 0 GXC, unable to transfer '1 GXC' from account 'a' to 'b'", 1, 'balance'],
    ['Fee pool balance of 0 is less than', 0, 'fee'],
  ] as const) {
    const clock = new FakeClock(1000);
    const node = new Refusing(message);
    const given = { attempts, packed: PACKED, lease_until_ms: 500 };
    const { payments, told, row } = await open(t, given, 'sent', clock, node);
    payments.start();
    await eventually('it was sent, and what came of it is recorded', () => node.sent === 1 && clock.timers === 1);
    t.match(await row(), { state: 'signed', failure }, message);
    await payments.stop();
    t.same(told, []);
  }
});

/** Names its head and fees, and takes nothing. */
class Signing extends BlocksOnly {
  override readonly client: NodeClient;

  constructor(time: number) {
    super((number) => emptyBlock(number));
    const head = { head_block_id: idOf(9), time, last_irreversible_block_num: 8 };
    const database = {
      get_dynamic_global_properties: async () => head,
      get_required_fees: async () => [{ fee: { amount: 1n, asset_id: 1 } }],
    };
    const broadcast_transaction = async (): Promise<never> => {
      throw new RpcConnectionError('gone');
    };
    this.client = { database, network_broadcast: { broadcast_transaction } } as unknown as NodeClient;
  }

  override async ask<V>(_what: string, question: (database: NodeClient['database']) => Promise<V>): Promise<V> {
    return question(this.client.database);
  }
}

t.test('how long a payment may wait for a block', async (t) => {
  for (const [time, expected] of [
    [9900, { state: 'signed', tx_expiration: 9930, after_block: 5 }],
    [9980, { state: 'signed', tx_expiration: 9997, after_block: 5 }],
    [9989, { state: 'signed', tx_expiration: 9997 }],
    [9990, { state: 'failed', failure: 'expired' }],
  ] as const) {
    const clock = new FakeClock(1000);
    const request = toHex(encode(proxyTransferParams, proxyTransferParams.default()));
    const given = { state: 'ready', request, lease_until_ms: 500, txid: null, packed: null } as const;
    const { payments, row } = await open(t, given, 'sent', clock, new Signing(time));
    payments.start();
    await eventually('it is signed or given up', async () => clock.timers === 1 && (await row()).state !== 'ready');
    await payments.stop();
    t.match(await row(), expected, `${10_000 - time} seconds before the authorization ends`);
  }
  for (const [expiration, state] of [
    [1011, 'failed'],
    [1012, 'ready'],
  ] as const) {
    const { payments, row } = await open(t, { expiration });
    await payments.releases.settled(6, 1001);
    t.match(await row(), { state }, 'made anew as long as it could be');
  }
});

t.test('the words of nodes', async (t) => {
  for (const [message, reason] of [
    ['duplicated trx, trx_id 00', 'known'],
    ['maybe_found == signature_idx.end(): user request signature already used once! signature 00', 'used'],
    ["Insufficient Balance: 0 GXC, unable to transfer '1 GXC' from account 'a' to 'b'", 'balance'],
    ["Insufficient Balance: a's balance of 0 is less than required 1", 'fee'],
    ['Fee pool balance of 0 is less than', 'fee'],
    ['verify user signature error', 'signature'],
    ['keys.size() == 1: do not support multisig acount, account 1.2.3', 'signature'],
    ['user request param expiration invalid, 2020', 'expired'],
    ['Assert Exception: now <= trx.expiration: ', 'stale'],
    ['Assert Exception: trx.ref_block_prefix == tapos_block_summary.block_id._hash[1]: ', 'stale'],
    [FULL, 'busy'],
    ['too many requests from this address; try again later', 'busy'],
    ['anything else', 'refused'],
  ] as const) {
    t.equal(refusalOf(new RpcError({ message, code: 1 })), reason, message);
    t.equal(refusalOf(new RpcError({ message: 'x', code: 1, data: { stack: [{ format: message }] } })), reason);
  }
});

/** Whoever is asked about has so much. */
class Having extends BlocksOnly {
  readonly #units: bigint;

  constructor(units: bigint) {
    super((number) => emptyBlock(number));
    this.#units = units;
  }

  override async balance(): Promise<bigint> {
    return this.#units;
  }
}

const authorization = (units: bigint, signature = '1f'.repeat(65)) => ({
  ...{ from: 17, to: OWN, proxy_account: OWN, percentage: 0, memo: '', expiration: 10_000 },
  ...{ amount: { amount: units, asset_id: 1 }, signatures: [Buffer.from(signature, 'hex')] },
});

t.test('nobody spends what is held back for another payment of his', async (t) => {
  for (const [what, row, left] of [
    ['reserved', { state: 'reserved' }, 80n],
    ['to be sent', { state: 'ready' }, 80n],
    ['signed', { state: 'signed' }, 80n],
    ['taken while the node was asked for the balance', { state: 'sent', sent_ms: 1000 }, 80n],
    ['in what the node has told', { state: 'sent', sent_ms: 999 }, 100n],
    ['final', { state: 'final', sent_ms: 1 }, 100n],
    ['failed', { state: 'failed' }, 100n],
    ['another asset', { state: 'reserved', asset: 2 }, 100n],
    ['another payer', { state: 'reserved', payer: 16 }, 100n],
  ] as const) {
    const { payments, db } = await open(t, row, 'sent', new FakeClock(1000), new Having(100n));
    await refusedLater(t, PAYMENT_ERRORS.payment_balance, payments.reserve(authorization(left + 1n)));
    const two = [authorization(left, '1f'.repeat(65)), authorization(1n, '20'.repeat(65))] as const;
    await refusedLater(
      t,
      PAYMENT_ERRORS.payment_balance,
      payments.reserveAll(two, async () => undefined),
    );
    t.equal((await db.selectFrom('payment').select('signature').execute()).length, 1, 'nothing of it is recorded');
    t.equal(await payments.reserve(authorization(left)), 'reserved', what);
  }
});

t.test('what an earlier build has recorded under the other header is not paid once more', async (t) => {
  const rest = SIGNATURE.slice(2);
  for (const [header, other] of [
    ['1f', '1b'],
    ['20', '1c'],
    ['21', '1d'],
    ['22', '1e'],
  ] as const) {
    const former = { signature: `${other}${rest}`, state: 'final' } as const;
    const { payments } = await open(t, former, 'sent', systemClock, new Having(1_000_000n));
    t.match(await payments.reserve(authorization(20n, `${header}${rest}`)), former);
  }
  const node = new Having(1_000_000n);
  const { payments, db } = await open(t, { signature: `1c${rest}`, state: 'final' }, 'sent', systemClock, node);
  const request = authorization(20n, `20${rest}`);
  t.match(await payments.reserve(request), { signature: `1c${rest}`, state: 'final' });
  t.match(await payments.find(`20${rest}`), { state: 'final' }, 'whoever asks again is told of it');
  await db.updateTable('payment').set({ state: 'failed' }).execute();
  t.equal(await payments.reserve(request), 'reserved', 'what has failed begins anew');
  t.match(await db.selectFrom('payment').select('signature').execute(), [{ signature: `20${rest}` }]);
});
