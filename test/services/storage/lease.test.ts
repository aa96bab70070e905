import { join } from 'node:path';
import t, { type Test } from 'tap';
import { resolveOptions } from '../../../src/config/load.js';
import { PrivateKey } from '../../../src/crypto/private-key.js';
import { systemClock } from '../../../src/node/runtime/clock.js';
import { systemRandom } from '../../../src/node/runtime/random.js';
import { Accounts } from '../../../src/services/chain/accounts.js';
import { ChainNode, type Head } from '../../../src/services/chain/node.js';
import { ContentStore } from '../../../src/services/content/content-store.js';
import type { ContentTables } from '../../../src/services/content/tables.js';
import { Payments } from '../../../src/services/payment/payments.js';
import type { PaymentRow, PaymentTables } from '../../../src/services/payment/tables.js';
import { STORAGE_OPTIONS } from '../../../src/services/storage/options.js';
import { SpoolFolder } from '../../../src/services/storage/spool.js';
import { openStorageDatabase, storageUser } from '../../../src/services/storage/storage.js';
import { Store } from '../../../src/services/storage/store.js';
import { Unpaid } from '../../../src/services/storage/unpaid.js';
import { lineOf } from '../../support/dev-node.js';
import { eventually } from '../../support/eventually.js';
import { FakeClock } from '../../support/fake-clock.js';
import { MemoryLog } from '../../support/memory-log.js';
import { placeOf } from '../support/databases.js';
import { formOf, signForm, unsignedForm } from '../support/payer.js';

/** A file that takes longer to be stored than an instance may be silent. */

const [PROVIDER, PAYER] = [17, 18];
const LEASE_SEC = 30;
const payer = PrivateKey.fromSeed('payer');

class RichPayers extends ChainNode {
  override async head(): Promise<Head> {
    return { time: 1_600_000_000 } as Head;
  }

  override async lifetimeMax(): Promise<number> {
    return 86_400;
  }

  override async balance(): Promise<bigint> {
    return 1_000_000n;
  }
}

class OnePayer extends Accounts {
  override async find(id: number) {
    const keys = [[payer.publicKey, 1]] as const;
    return { id, name: 'payer', threshold: 1, keys, merchantUntil: 0, sourceUntil: 0 };
  }
}

async function open(t: Test) {
  const folder = t.testdir();
  const db = await openStorageDatabase(await placeOf(folder));
  t.teardown(() => db.destroy());
  const clock = new FakeClock(1_600_000_000_000);
  const log = new MemoryLog();
  const node = new RichPayers('http://127.0.0.1:1', 1000, systemClock);
  const contents = new ContentStore(join(folder, 'blocks'), db.withTables<ContentTables>(), clock);
  let instances = 0;
  const instance = (own: FakeClock = clock): Payments =>
    new Payments(
      db,
      node,
      { account: PROVIDER, key: PrivateKey.fromSeed('provider'), chainId: '0'.repeat(64), feeAsset: 1 },
      storageUser(contents),
      { refused: () => undefined },
      { owner: String(++instances), clock: own, log },
      LEASE_SEC,
    );
  const spools = new SpoolFolder(join(folder, 'uploads'), systemRandom);
  await spools.clear();
  const options = resolveOptions(STORAGE_OPTIONS, lineOf({}), new Map());
  const accounts = new OnePayer(node, clock);
  const [from, provider] = [`1.2.${PAYER}`, `1.2.${PROVIDER}`];
  const data = Buffer.from('slowly');
  const form = signForm(unsignedForm({ from, provider, data, amount: '20', expiration: 1_600_001_800 }), payer.toWif());
  return {
    db,
    clock,
    log,
    contents,
    instance,
    /** As that instance does it, with a disk of its own kind. */
    store: (payments: Payments, content: ContentStore): Promise<unknown> => {
      const unpaid = new Unpaid(db, contents);
      const store = new Store({
        ...{
          options,
          provider: PROVIDER,
          node,
          accounts,
          payments,
          content,
          unpaid,
          spools,
          disk: { failed: () => undefined },
          clock,
          log,
        },
      });
      const request = new Request('http://127.0.0.1', { method: 'POST', body: formOf(form, data) });
      const body = request.body as unknown as AsyncIterable<Uint8Array>;
      const caller = { countedAs: '127.0.0.1', isLocal: true };
      return store.store(request.headers.get('content-type') ?? '', body, caller);
    },
  };
}

t.test('it is not taken for left behind', async (t) => {
  const { db, clock, instance, store } = await open(t);
  const [payments, other] = [instance(), instance()];
  const rows = () => db.selectFrom('payment').select(['state', 'lease_until_ms']).execute();
  let left: unknown;
  const content = {
    add: async () => {
      for (let seconds = 0; seconds < 4 * LEASE_SEC; seconds += LEASE_SEC / 3) {
        clock.advance((LEASE_SEC / 3) * 1000);
        const isHeld = async (): Promise<boolean> =>
          (await rows()).every(({ lease_until_ms }) => lease_until_ms >= clock.nowMs() + LEASE_SEC * 1000);
        await eventually('it is held on to', isHeld);
      }
      left = await rows();
      throw new Error('the disk is full');
    },
  } as unknown as ContentStore;
  other.start();
  t.teardown(() => other.stop());
  await t.rejects(store(payments, content), { message: /could not be stored/ });
  t.match(left, [{ state: 'reserved' }]);
  t.same(await rows(), [], 'what came of nothing is given back');
});

t.test('an instance that slept meanwhile keeps nothing that nobody pays for', async (t) => {
  const { db, clock, contents, instance, store } = await open(t);
  const payments = instance();
  // Ahead by more than the lease: for this one the other one has gone.
  const other = instance(new FakeClock(clock.nowMs() + 2 * LEASE_SEC * 1000));
  const pins = () =>
    db.withTables<ContentTables>().selectFrom('content_pin').select(['owner', 'released_ms']).execute();
  const asleep = {
    add: async (source: AsyncIterable<Uint8Array>, owner: string) => {
      other.start();
      const isGone = async (): Promise<boolean> => (await db.selectFrom('payment').selectAll().execute()).length === 0;
      await eventually('another one has given it up', isGone);
      await other.stop();
      return contents.add(source, owner);
    },
  } as unknown as ContentStore;
  await t.rejects(store(payments, asleep), { message: /still at work/ });
  t.same(await pins(), [], 'nothing is kept for nobody');
});

t.test('what one that slept and was killed has kept is cleared away, and nothing else', async (t) => {
  const { db, contents } = await open(t);
  const pay = db.withTables<PaymentTables>();
  const once = async function* (text: string) {
    yield Buffer.from(text);
  };
  const row = {
    ...{ purpose: 'storage', payer: PAYER, asset: 1, units: '20', expiration: 1_600_001_800, request: '' },
    ...{ attempts: 0, created_ms: 0, lease_owner: 'ab', lease_until_ms: 0 },
  };
  for (const state of ['reserved', 'ready', 'sent', 'failed'] as const) {
    await pay
      .insertInto('payment')
      .values({ ...(row as PaymentRow), signature: state, state })
      .execute();
    await contents.add(once(`of ${state}`), state);
  }
  await contents.release('sent');
  await contents.add(once('of nobody'), 'nobody');
  // Its blocks are somebody else's as well.
  await contents.add(once('of ready'), 'nobody');
  t.equal(await new Unpaid(db, contents).forgetAll(), 2);
  const left = await db
    .withTables<ContentTables>()
    .selectFrom('content_pin')
    .select('owner')
    .orderBy('owner')
    .execute();
  t.same(
    left.map(({ owner }) => owner),
    ['ready', 'reserved', 'sent'],
  );
  t.equal((await contents.verify((damage) => t.fail(damage.why))).contents, 3);
});
