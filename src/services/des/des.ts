import type { Kysely } from 'kysely';
import { Gauge } from 'prom-client';
import { fail } from '../../base/errors.js';
import type { PrivateKey } from '../../crypto/private-key.js';
import type { Transport } from '../../http/transport.js';
import { Alarms, alarmMail } from '../alarm/alarms.js';
import { FeeWatch } from '../alarm/fee-watch.js';
import { ALARM_TABLES, type AlarmTables } from '../alarm/tables.js';
import { Accounts } from '../chain/accounts.js';
import { BlockFollower } from '../chain/follower.js';
import { ChainNode } from '../chain/node.js';
import { ownAccount } from '../chain/own-account.js';
import { Closing } from '../common/closing.js';
import { type DatabaseOptions, databaseAt, openDatabase } from '../common/database.js';
import { DiskWatch, databaseFolders } from '../common/disk-watch.js';
import { enterInstances, INSTANCE_TABLES, type InstanceTables } from '../common/instances.js';
import { type RunningService, ServiceMetrics, type ServiceWorld, serve } from '../common/service.js';
import { blocksFolder, openContents } from '../content/opening.js';
import { startSweeping } from '../content/sweeping.js';
import { CONTENT_TABLES, type ContentTables } from '../content/tables.js';
import { EXCHANGE_TABLES, type ExchangeTables } from '../exchange/tables.js';
import { paymentMetrics } from '../payment/metrics.js';
import { Payments } from '../payment/payments.js';
import type { ReleasePoint } from '../payment/releases.js';
import { samplePayment } from '../payment/sample.js';
import { PAYMENT_TABLES, type PaymentTables } from '../payment/tables.js';
import { refusalAnswer } from './answers.js';
import { desEndpoints } from './endpoints.js';
import { DES_ERRORS } from './errors.js';
import { Heartbeats } from './heartbeats.js';
import { type AllTables, Legs } from './legs.js';
import type { DesOptions } from './options.js';
import { Requests } from './requests.js';
import { startForgetting } from './retention.js';
import { roleCheck } from './roles.js';
import { DES_TABLES, type DesTables } from './tables.js';

/** The exchange of data from its start to its end. */

const DATABASE_FILE = 'exchange.db';

const RELEASE: Readonly<Record<DesOptions['release-at'], ReleasePoint>> = {
  accepted: 'sent',
  included: 'included',
  final: 'final',
};

export function openExchangeDatabase(options: DatabaseOptions): Promise<Kysely<AllTables>> {
  const parts = [EXCHANGE_TABLES, PAYMENT_TABLES, CONTENT_TABLES, DES_TABLES, ALARM_TABLES, INSTANCE_TABLES];
  return openDatabase<AllTables>(databaseAt(options, DATABASE_FILE), parts, options);
}

export async function startDes(
  options: DesOptions,
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

function requestGauge({ registry }: ServiceMetrics, db: Kysely<AllTables>): void {
  new Gauge({
    name: 'trustnode_legs',
    help: 'Sources asked, by what has come of it; open while nothing has',
    labelNames: ['outcome'],
    registers: [registry],
    async collect() {
      this.reset();
      const rows = await db
        .selectFrom('des_leg')
        .select(['outcome', (select) => select.fn.countAll().as('count')])
        .groupBy('outcome')
        .execute();
      for (const { outcome, count } of rows) this.set({ outcome: outcome ?? 'open' }, Number(count));
    },
  });
}

async function start(
  options: DesOptions,
  key: PrivateKey,
  world: ServiceWorld,
  transport: Transport | undefined,
  closing: Closing,
): Promise<RunningService> {
  const { account = fail(DES_ERRORS.des_account_needed) } = options;
  const { clock, random } = world;
  const log = world.log.child('des');
  const mail = alarmMail(options, clock);
  const node = new ChainNode(options.node, options['node-timeout'] * 1000, clock);
  const chainId = await node.chainId(options['chain-id']);
  const keyPrefix = await node.keyPrefix();
  const accounts = new Accounts(node, clock);
  const { id: exchange, name } = await ownAccount(account, key, node, accounts);
  const db = await openExchangeDatabase(options);
  closing.add(() => db.destroy());
  const metrics = new ServiceMetrics();
  requestGauge(metrics, db);
  const { content, places, handing } = await openContents(options, db.withTables<ContentTables>(), metrics.registry, {
    clock,
    random,
    log,
  });
  const instances = await enterInstances(
    'des',
    {
      options,
      file: DATABASE_FILE,
      db: db.withTables<InstanceTables>(),
      agreed: { chain: chainId, account: `1.2.${exchange}`, 'the folder of blocks': places },
      registry: metrics.registry,
    },
    { clock, random, log },
  );
  closing.add(() => instances.leave());
  await content.claimFolder(random);
  const refusals = paymentMetrics(metrics.registry, () => payments);
  const alarms = new Alarms({
    db: db.withTables<AlarmTables>(),
    mail,
    service: 'des',
    name,
    registry: metrics.registry,
    clock,
    random,
    log,
  });
  closing.add(() => alarms.close());
  const feeWatch = new FeeWatch({
    node,
    account: exchange,
    options,
    operation: samplePayment(exchange, options['fee-asset']),
    what: 'payment',
    alarms,
    registry: metrics.registry,
    clock,
    log,
  });
  const limits = {
    connectMs: options['connect-timeout'] * 1000,
    bytesMax: options['answer-bytes-max'],
    allowPrivate: options['private-sources'],
  };
  const disk = new DiskWatch({
    folders: [blocksFolder(options), ...databaseFolders(options, DATABASE_FILE)],
    bytes: options['answer-bytes-max'],
    clock,
    log,
  });
  const legs = new Legs({
    db,
    content,
    payments: () => payments,
    exchange: { account: `1.2.${exchange}`, key },
    limits,
    disk,
    asksMax: options['asks-max'],
    clock,
    log,
  });
  const payments = new Payments(
    db.withTables<PaymentTables>(),
    node,
    { account: exchange, key, chainId, feeAsset: options['fee-asset'] },
    legs.user(RELEASE[options['release-at']]),
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
  const checkRole = roleCheck(options['require-chain-roles'], node);
  const heartbeats = new Heartbeats({
    db: db.withTables<DesTables & ExchangeTables>(),
    accounts,
    clock,
    skewMs: options['clock-skew'],
    perSecond: options['heartbeats-per-second'],
    checkRole,
    limits,
    lookMs: options['source-timeout'] * 1000,
    log,
  });
  const shared = { options, db, exchange, keyPrefix, node, accounts, payments, legs, checkRole, clock, random };
  const requests = new Requests(shared);
  const service = await serve(
    options,
    {
      info: {
        title: 'Data exchange',
        about:
          'Buyers ask sources for data; each source that delivers is paid by a transfer that the buyer has signed.',
        prefixes: [],
      },
      endpoints: desEndpoints({ ...shared, heartbeats, requests }),
      metrics,
      refusal: (_request, status, error) => refusalAnswer(status, error),
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
  legs.start();
  closing.add(() => legs.stop());
  // Before: a leg whose payment waits for a node that is away is handed over at once, and not when its patience ends.
  closing.add(() => payments.stop());
  feeWatch.start();
  closing.add(() => feeWatch.stop());
  disk.start();
  closing.add(() => disk.stop());
  closing.add(startSweeping(content, world));
  if (handing !== undefined) {
    handing.start();
    closing.add(() => handing.stop());
  }
  const retention = {
    dataDays: options['data-days'],
    contentDays: options['content-days'],
    requestDays: options['request-days'],
  };
  closing.add(startForgetting({ db, content, clock, log }, retention));
  closing.add(() => service.close());
  closing.add(() => heartbeats.stop());
  log.info('the exchange listens', {
    url: service.url,
    monitor: service.monitor,
    exchange: `1.2.${exchange}`,
    name,
    percent: options.percent,
  });
  return { ...service, close: () => closing.run() };
}
