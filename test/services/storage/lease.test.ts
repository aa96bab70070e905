import { join } from 'node:path';
import t from 'tap';
import { resolveOptions } from '../../../src/config/load.js';
import { PrivateKey } from '../../../src/crypto/private-key.js';
import { systemClock } from '../../../src/node/runtime/clock.js';
import { systemRandom } from '../../../src/node/runtime/random.js';
import { Accounts } from '../../../src/services/chain/accounts.js';
import { ChainNode, type Head } from '../../../src/services/chain/node.js';
import type { ContentStore } from '../../../src/services/content/content-store.js';
import { Payments } from '../../../src/services/payment/payments.js';
import { STORAGE_OPTIONS } from '../../../src/services/storage/options.js';
import { SpoolFolder } from '../../../src/services/storage/spool.js';
import { openStorageDatabase } from '../../../src/services/storage/storage.js';
import { Store } from '../../../src/services/storage/store.js';
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

t.test('it is not taken for left behind', async (t) => {
  const folder = t.testdir();
  const db = await openStorageDatabase(await placeOf(folder));
  t.teardown(() => db.destroy());
  const clock = new FakeClock(1_600_000_000_000);
  const log = new MemoryLog();
  const node = new RichPayers('http://127.0.0.1:1', 1000, systemClock);
  const none = async (): Promise<void> => undefined;
  const instance = (): Payments =>
    new Payments(
      db,
      node,
      { account: PROVIDER, key: PrivateKey.fromSeed('provider'), chainId: '0'.repeat(64), feeAsset: 1 },
      { purpose: 'storage', releaseAt: 'sent', keepsReserved: false, paid: none, unpaid: none },
      { refused: () => undefined },
      { clock, random: systemRandom, log },
      LEASE_SEC,
    );
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
  const spools = new SpoolFolder(join(folder, 'uploads'), systemRandom);
  await spools.clear();
  const options = resolveOptions(STORAGE_OPTIONS, lineOf({}), new Map());
  const accounts = new OnePayer(node, clock);
  const store = new Store({ options, provider: PROVIDER, node, accounts, payments, content, spools, clock, log });
  other.start();
  t.teardown(() => other.stop());
  const [from, provider] = [`1.2.${PAYER}`, `1.2.${PROVIDER}`];
  const data = Buffer.from('slowly');
  const wanted = { from, provider, data, amount: '20', expiration: 1_600_001_800 };
  const request = new Request('http://127.0.0.1', {
    method: 'POST',
    body: formOf(signForm(unsignedForm(wanted), payer.toWif()), data),
  });
  const body = request.body as unknown as AsyncIterable<Uint8Array>;
  const caller = { countedAs: '127.0.0.1', isLocal: true };
  await t.rejects(store.store(request.headers.get('content-type') ?? '', body, caller), {
    message: /could not be stored/,
  });
  t.match(left, [{ state: 'reserved' }]);
  t.same(await rows(), [], 'what came of nothing is given back');
});
