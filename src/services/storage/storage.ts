import { join, resolve } from 'node:path';
import type { Kysely } from 'kysely';
import { Counter, Gauge } from 'prom-client';
import { check, fail } from '../../base/errors.js';
import type { PrivateKey } from '../../crypto/private-key.js';
import type { Transport } from '../../http/transport.js';
import { Accounts, type KnownAccount, singleKey } from '../chain/accounts.js';
import { CHAIN_ERRORS } from '../chain/errors.js';
import { BlockFollower } from '../chain/follower.js';
import { ChainNode } from '../chain/node.js';
import { Closing } from '../common/closing.js';
import { databaseFile, openDatabase } from '../common/database.js';
import { type RunningService, ServiceMetrics, type ServiceWorld, serve } from '../common/service.js';
import { ContentStore } from '../content/content-store.js';
import { CONTENT_TABLES, type ContentTables } from '../content/tables.js';
import { Payments, type PaymentUser } from '../payment/payments.js';
import { PAYMENT_TABLES, type PaymentTables } from '../payment/tables.js';
import { PREFIXES, refusalAnswer } from './answers.js';
import { storageEndpoints } from './endpoints.js';
import { STORAGE_ERRORS } from './errors.js';
import type { StorageOptions } from './options.js';
import { SpoolFolder } from './spool.js';
import { Store } from './store.js';

/** The storage service from its start to its end. */

export type StorageTables = ContentTables & PaymentTables;

const DATABASE_FILE = 'storage.db';
const BLOCKS_FOLDER = 'blocks';
const SPOOL_FOLDER = 'uploads';
const SWEEP_MS = 3_600_000;
/** Nothing takes so long to store. */
const UNUSED_MS = 3_600_000;

/** The database and the blocks alone: what can be looked at without a node. */
export async function openStores(
  options: Pick<StorageOptions, 'data-dir' | 'database'>,
  clock: ServiceWorld['clock'],
): Promise<{ readonly db: Kysely<StorageTables>; readonly content: ContentStore }> {
  const file = databaseFile(options, DATABASE_FILE);
  const db = await openDatabase<StorageTables>(file, [CONTENT_TABLES, PAYMENT_TABLES]);
  return {
    db,
    content: new ContentStore(join(resolve(options['data-dir']), BLOCKS_FOLDER), db.withTables<ContentTables>(), clock),
  };
}

/** The account to be paid, and that the key is its own: found out before a client loses time. */
async function providerOf(
  { account }: StorageOptions,
  key: PrivateKey,
  node: ChainNode,
  accounts: Accounts,
): Promise<KnownAccount> {
  if (account === undefined) fail(STORAGE_ERRORS.storage_account_needed);
  const id = account.startsWith('1.2.') ? Number(account.slice(4)) : await node.accountByName(account);
  const found = await accounts.find(id);
  check(found !== undefined, CHAIN_ERRORS.chain_no_account, { account });
  const own = singleKey(found);
  check(own !== undefined, CHAIN_ERRORS.chain_no_single_key, { account });
  check(own === key.publicKey, CHAIN_ERRORS.chain_other_key, { account });
  return found;
}

/** What is paid for is for everybody, what will never be paid for is gone. */
const userOf = (content: ContentStore): PaymentUser => ({
  paid: (trx, { signature }) => content.release(signature, trx.withTables<ContentTables>()),
  unpaid: (trx, { signature }) => content.unpin(signature, trx.withTables<ContentTables>()),
});

function paymentMetrics({ registry }: ServiceMetrics, payments: () => Payments): Counter<'reason'> {
  new Gauge({
    name: 'payments',
    help: 'Payments by state; those that are lost need the operator',
    labelNames: ['state'],
    registers: [registry],
    async collect() {
      this.reset();
      for (const { state, count } of await payments().counts()) this.set({ state }, count);
    },
  });
  return new Counter({
    name: 'payment_refusals_total',
    help: 'Payments that the node has refused, by reason; fee means that the account cannot pay the fees of the chain',
    labelNames: ['reason'],
    registers: [registry],
  });
}

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
  const log = world.log.child('storage');
  const node = new ChainNode(options.node, options['node-timeout'] * 1000, clock);
  const chainId = await node.chainId(options['chain-id']);
  const accounts = new Accounts(node, clock);
  const { id: provider, name } = await providerOf(options, key, node, accounts);
  const { db, content } = await openStores(options, clock);
  closing.add(() => db.destroy());
  const spools = new SpoolFolder(join(resolve(options['data-dir']), SPOOL_FOLDER), random);
  await spools.clear();
  const metrics = new ServiceMetrics();
  const refusals = paymentMetrics(metrics, () => payments);
  const payments = new Payments(
    db.withTables<PaymentTables>(),
    node,
    { account: provider, key, chainId, feeAsset: options['fee-asset'] },
    userOf(content),
    { refused: (reason) => refusals.inc({ reason }) },
    { clock, random, log: world.log.child('payment') },
    options.lease,
  );
  const follower = new BlockFollower(node, await payments.firstBlock(), payments, {
    clock,
    log: world.log.child('chain'),
  });
  const store = new Store({ options, provider, node, accounts, payments, content, spools, clock, log });
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
      notReady: () => follower.trouble,
      warning: () => undefined,
    },
    world,
    transport,
  );
  follower.start();
  closing.add(() => follower.stop());
  payments.start();
  closing.add(() => payments.stop());
  closing.add(startSweeping(content, world));
  closing.add(() => service.close());
  closing.add(() => store.stop());
  const fees = options.fee.map(({ asset, units }) => `1.3.${asset}=${units}`).join(' ');
  log.info('storage listens', { url: service.url, monitor: service.monitor, provider: `1.2.${provider}`, name, fees });
  return { ...service, close: () => closing.run() };
}

/** Files that a crash has left, once in a while. */
function startSweeping(content: ContentStore, { clock, log }: ServiceWorld): () => void {
  let isStopped = false;
  let cancel = (): void => undefined;
  const again = (): void => {
    content.sweep(UNUSED_MS).then(
      (gone) => {
        if (gone > 0) log.info('cleared away files that no content has', { gone });
      },
      (error: unknown) => log.warn('could not clear away what no content has', { error }),
    );
    if (!isStopped) cancel = clock.after(SWEEP_MS, again);
  };
  again();
  return () => {
    isStopped = true;
    cancel();
  };
}
