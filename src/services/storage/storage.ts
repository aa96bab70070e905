import { join, resolve } from 'node:path';
import type { Kysely } from 'kysely';
import { fail } from '../../base/errors.js';
import type { PrivateKey } from '../../crypto/private-key.js';
import type { Transport } from '../../http/transport.js';
import { FeeWatch } from '../alarm/fee-watch.js';
import { Accounts } from '../chain/accounts.js';
import { BlockFollower } from '../chain/follower.js';
import { ChainNode } from '../chain/node.js';
import { ownAccount } from '../chain/own-account.js';
import { Closing } from '../common/closing.js';
import { type DatabaseOptions, databaseAt, openDatabase } from '../common/database.js';
import { DiskWatch, databaseFolders } from '../common/disk-watch.js';
import { holdFolder } from '../common/folder-lock.js';
import { enterInstances, INSTANCE_TABLES, type InstanceTables } from '../common/instances.js';
import { type RunningService, ServiceMetrics, type ServiceWorld, serve } from '../common/service.js';
import { ContentStore } from '../content/content-store.js';
import { type BlocksPlace, blocksFolder, openContents } from '../content/opening.js';
import { startSweeping } from '../content/sweeping.js';
import { CONTENT_TABLES, type ContentTables } from '../content/tables.js';
import { paymentMetrics } from '../payment/metrics.js';
import { Payments } from '../payment/payments.js';
import type { PaymentUser } from '../payment/releases.js';
import { samplePayment } from '../payment/sample.js';
import { PAYMENT_TABLES, type PaymentTables } from '../payment/tables.js';
import { PREFIXES, refusalAnswer } from './answers.js';
import { storageEndpoints } from './endpoints.js';
import { STORAGE_ERRORS } from './errors.js';
import type { StorageOptions } from './options.js';
import { SpoolFolder } from './spool.js';
import { Store } from './store.js';
import { Unpaid } from './unpaid.js';

/** The storage service from its start to its end. */

export type StorageTables = ContentTables & PaymentTables;

export const DATABASE_FILE = 'storage.db';
const SPOOL_FOLDER = 'uploads';

export function openStorageDatabase(options: DatabaseOptions) {
  const parts = [CONTENT_TABLES, PAYMENT_TABLES, INSTANCE_TABLES];
  return openDatabase<StorageTables>(databaseAt(options, DATABASE_FILE), parts, options);
}

/** The database and the blocks alone: what can be looked at without a node. */
export async function openStores(
  options: DatabaseOptions & BlocksPlace,
  clock: ServiceWorld['clock'],
): Promise<{ readonly db: Kysely<StorageTables>; readonly content: ContentStore }> {
  const db = await openStorageDatabase(options);
  return { db, content: new ContentStore(blocksFolder(options), db.withTables<ContentTables>(), clock) };
}

/** What is paid for is for everybody, what will never be paid for is gone. */
export const storageUser = (content: ContentStore): PaymentUser => ({
  purpose: 'storage',
  releaseAt: 'sent',
  keepsReserved: false,
  paid: (trx, { signature }) => content.release(signature, trx.withTables<ContentTables>()),
  unpaid: (trx, { signature }) => content.unpin(signature, trx.withTables<ContentTables>()),
});

export async function startStorage(
  options: StorageOptions,
  key: PrivateKey,
  world: ServiceWorld,
  transport?: Transport,
): Promise<RunningService> {
  const closing = new Closing();
  try {
    return await start(options, key, world, transport, closing);
  } catch (error) {
    await closing.run();
    throw error;
  }
}

async function start(
  options: StorageOptions,
  key: PrivateKey,
  world: ServiceWorld,
  transport: Transport | undefined,
  closing: Closing,
): Promise<RunningService> {
  const { clock, random } = world;
  const { account = fail(STORAGE_ERRORS.storage_account_needed) } = options;
  const log = world.log.child('storage');
  const node = new ChainNode(options.node, options['node-timeout'] * 1000, clock);
  const chainId = await node.chainId(options['chain-id']);
  const accounts = new Accounts(node, clock);
  const { id: provider, name } = await ownAccount(account, key, node, accounts);
  const db = await openStorageDatabase(options);
  closing.add(() => db.destroy());
  const metrics = new ServiceMetrics();
  const { content, places, handing } = await openContents(options, db.withTables<ContentTables>(), metrics.registry, {
    clock,
    random,
    log,
  });
  const instances = await enterInstances(
    'storage',
    {
      options,
      file: DATABASE_FILE,
      db: db.withTables<InstanceTables>(),
      agreed: { chain: chainId, account: `1.2.${provider}`, 'the folder of blocks': places },
      registry: metrics.registry,
    },
    { clock, random, log },
  );
  closing.add(() => instances.leave());
  // What is being uploaded lies there, and the start of another one would clear it.
  closing.add(await holdFolder('storage', options['data-dir']));
  await content.claimFolder(random);
  const spools = new SpoolFolder(join(resolve(options['data-dir']), SPOOL_FOLDER), random);
  await spools.clear();
  const refusals = paymentMetrics(metrics.registry, () => payments);
  const feeWatch = new FeeWatch({
    ...{ node, account: provider, options, what: 'payment', registry: metrics.registry, clock, log },
    operation: samplePayment(provider, options['fee-asset']),
  });
  const payments = new Payments(
    db.withTables<PaymentTables>(),
    node,
    { account: provider, key, chainId, feeAsset: options['fee-asset'] },
    storageUser(content),
    {
      refused: (reason) => {
        refusals.inc({ reason });
        if (reason === 'fee') feeWatch.refused();
      },
    },
    { owner: instances.id, clock, log: world.log.child('payment') },
    options.lease,
  );
  const follower = new BlockFollower(node, await payments.firstBlock(), payments.releases, {
    clock,
    log: world.log.child('chain'),
  });
  const disk = new DiskWatch({
    folders: [blocksFolder(options), spools.folder, ...databaseFolders(options, DATABASE_FILE)],
    bytes: options['data-bytes-max'],
    clock,
    log,
  });
  const unpaid = new Unpaid(db, content);
  const store = new Store({ options, provider, node, accounts, payments, content, unpaid, spools, disk, clock, log });
  const service = await serve(
    options,
    {
      info: {
        title: 'Paid storage',
        about: 'Files by content id, paid by transfers that their owners have signed.',
        prefixes: PREFIXES,
      },
      endpoints: storageEndpoints({ options, provider, store, content }),
      metrics,
      refusal: (request, status, error) => refusalAnswer(options['data-bytes-max'], request, status, error),
      notReady: () => disk.trouble ?? instances.trouble ?? follower.trouble,
      warning: () => disk.warning ?? feeWatch.warning ?? handing?.trouble,
    },
    world,
    transport,
  );
  follower.start();
  closing.add(() => follower.stop());
  await payments.inherit(instances.killed);
  payments.start();
  closing.add(() => payments.stop());
  feeWatch.start();
  closing.add(() => feeWatch.stop());
  disk.start();
  closing.add(() => disk.stop());
  closing.add(startSweeping(content, world, () => unpaid.forgetAll()));
  if (handing !== undefined) {
    handing.start();
    closing.add(() => handing.stop());
  }
  closing.add(() => service.close());
  closing.add(() => store.stop());
  const fees = options.fee.map(({ asset, units }) => `1.3.${asset}=${units}`).join(' ');
  log.info('storage listens', { url: service.url, monitor: service.monitor, provider: `1.2.${provider}`, name, fees });
  return { ...service, close: () => closing.run() };
}
