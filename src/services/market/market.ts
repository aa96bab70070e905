import { fileURLToPath } from 'node:url';
import type { Kysely } from 'kysely';
import { Gauge } from 'prom-client';
import { check, fail } from '../../base/errors.js';
import type { Logger } from '../../base/world.js';
import { isInside } from '../../http/addresses.js';
import type { Transport } from '../../http/transport.js';
import type { Instance } from '../../protocol/ids.js';
import { Accounts } from '../chain/accounts.js';
import { CHAIN_ERRORS, toldOfTrouble } from '../chain/errors.js';
import { ChainNode } from '../chain/node.js';
import { Closing } from '../common/closing.js';
import { checkFile, type DatabaseOptions, databaseAt, openDatabase, transact } from '../common/database.js';
import { enterInstances, INSTANCE_TABLES, type InstanceTables } from '../common/instances.js';
import { type RunningService, ServiceMetrics, type ServiceWorld, serve } from '../common/service.js';
import { EXCHANGE_TABLES } from '../exchange/tables.js';
import { carrierOf } from '../mail/carrier.js';
import { PAYMENT_TABLES } from '../payment/tables.js';
import { refusalAnswer } from './answers.js';
import { Bills } from './bills.js';
import { Callers } from './callers.js';
import { administrationCalls } from './calls/administration.js';
import { allBillCalls } from './calls/bills.js';
import { Desk } from './calls/desk.js';
import { merchantCalls } from './calls/merchants.js';
import { pageCalls } from './calls/page.js';
import { productCalls } from './calls/products.js';
import { voteCalls } from './calls/votes.js';
import { MARKET_ERRORS } from './errors.js';
import { Income } from './income.js';
import { Notifier } from './notifications.js';
import type { MarketOptions } from './options.js';
import { Outbox } from './outbox.js';
import type { Denomination, MarketParts } from './parts.js';
import { deleteUnusedLogos } from './personal-data.js';
import { forgetOld, repeatedly } from './retention.js';
import { MARKET_TABLES, type MarketTables } from './tables.js';
import { Votes } from './votes.js';

/** The market from its start to its end. */

const DATABASE_FILE = 'exchange.db';
const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** How often the node is looked after. */
const WATCH_MS = 5000;

/** The page is built beside the program. */
const PAGE_FOLDER = fileURLToPath(new URL('../../page/site/', import.meta.url));

/** Whom the page talks to. */
const connectsOf = (options: MarketOptions): readonly string[] =>
  [options['page-exchange'], options['page-node'], options['page-gateway'], options['page-wallet']].flatMap((url) =>
    url === undefined ? [] : [new URL(url).origin],
  );

export function openMarket(options: DatabaseOptions): Promise<Kysely<MarketTables>> {
  const tables = [EXCHANGE_TABLES, PAYMENT_TABLES, MARKET_TABLES, INSTANCE_TABLES];
  return openDatabase<MarketTables>(databaseAt(options, DATABASE_FILE), tables, options);
}

export const marketFile = (options: DatabaseOptions): string => checkFile(databaseAt(options, DATABASE_FILE));

async function adminsOf({ admin }: MarketOptions, node: ChainNode): Promise<ReadonlySet<Instance>> {
  const ids = await Promise.all(
    admin.map((one) => (one.startsWith('1.2.') ? Number(one.slice(4)) : node.accountByName(one))),
  );
  return new Set(ids);
}

async function denominationOf(asset: Instance, node: ChainNode): Promise<Denomination> {
  const [found] = await node.ask('an asset', (database) => database.get_assets({ ids: [asset] }));
  return found ?? fail(CHAIN_ERRORS.chain_refused, { what: `the asset 1.3.${asset}`, why: 'it has none' });
}

/** Whoever is believed without a signature must not be anybody. */
function checkAuth({ 'market-auth': mode, endpoint }: MarketOptions): void {
  const isSafe = mode === 'signed' || isInside(endpoint.host);
  check(isSafe, MARKET_ERRORS.market_gateway, { mode });
}

function measure({ registry }: ServiceMetrics, db: Kysely<MarketTables>, outbox: Outbox | undefined): void {
  new Gauge({
    name: 'trustnode_market_votes_open',
    help: 'Votes that are not decided yet',
    registers: [registry],
    async collect() {
      const { count } = await db
        .selectFrom('vote')
        .select((of) => of.fn.countAll<number>().as('count'))
        .where('status', '=', 'INPROGRESS')
        .executeTakeFirstOrThrow();
      this.set(Number(count));
    },
  });
  if (outbox === undefined) return;
  new Gauge({
    name: 'trustnode_market_mails',
    help: 'E-mails by state; those that are dead were given up',
    labelNames: ['state'],
    registers: [registry],
    async collect() {
      this.reset();
      for (const { state, count } of await outbox.counts()) this.set({ state }, count);
    },
  });
}

/** What is missing for all calls to be answered. */
class Watch {
  readonly #node: ChainNode;
  readonly #income: Income;
  readonly #log: Logger;
  trouble: string | undefined = 'the node was not asked yet';

  constructor(node: ChainNode, income: Income, log: Logger) {
    this.#node = node;
    this.#income = income;
    this.#log = log;
  }

  async look(): Promise<void> {
    try {
      await this.#node.freshHead();
      const hasHistory = await this.#income.isThere();
      this.trouble = hasHistory
        ? undefined
        : 'the node has no plugin account_history_kv: bills cannot tell what came in';
    } catch (error) {
      const trouble = toldOfTrouble(error);
      if (this.trouble !== trouble) this.#log.warn('the market cannot be ready', { error });
      this.trouble = trouble;
    }
  }
}

export async function startMarket(
  options: MarketOptions,
  world: ServiceWorld,
  transport?: Transport,
): Promise<RunningService> {
  const closing = new Closing();
  try {
    return await start(options, world, transport, closing);
  } catch (error) {
    await closing.run();
    throw error;
  }
}

async function start(
  options: MarketOptions,
  world: ServiceWorld,
  transport: Transport | undefined,
  closing: Closing,
): Promise<RunningService> {
  const { clock, random } = world;
  const log = world.log.child('market');
  checkAuth(options);
  const mail = carrierOf(options, clock);
  const node = new ChainNode(options.node, options['node-timeout'] * SECOND_MS, clock);
  const id = await node.chainId(options['chain-id']);
  const asset = options['billing-asset'];
  const [admins, denomination, keyPrefix] = await Promise.all([
    adminsOf(options, node),
    denominationOf(asset, node),
    node.keyPrefix(),
  ]);
  const { precision } = denomination;
  const db = await openMarket(options);
  closing.add(() => db.destroy());
  const metrics = new ServiceMetrics();
  const instances = await enterInstances(
    'market',
    {
      options,
      file: DATABASE_FILE,
      db: db.withTables<InstanceTables>(),
      agreed: { chain: id, 'billing-asset': `1.3.${asset}`, 'time-zone': String(options['time-zone']) },
      registry: metrics.registry,
    },
    { clock, random, log },
  );
  closing.add(() => instances.leave());
  const callers = new Callers({ options, db, accounts: new Accounts(node, clock), clock });
  const times = { lifetimeMs: options['vote-lifetime'] * SECOND_MS, banMs: options['ban-time'] * SECOND_MS };
  const votes = new Votes(times, new Notifier(mail !== undefined));
  const income = new Income(db, node, asset);
  let base = options['public-url'];
  const logoUrl = (logo: string): string => (logo === '' ? '' : `${base}/market/static/logo/${logo}`);
  const bills = new Bills({ db, asset, precision, offsetMinutes: options['time-zone'], logoUrl });
  const desk = new Desk({ db, callers, votes, admins, clock, log });
  const billingAsset = `1.3.${asset}`;
  const balanceOf = (account: Instance): Promise<bigint> => node.balance(account, asset);
  const parts: MarketParts = {
    ...{ options, billingAsset, asset: denomination, chain: { id, keyPrefix } },
    ...{ desk, callers, votes, bills, income, logoUrl, balanceOf },
  };
  const watch = new Watch(node, income, log);
  await watch.look();
  const outbox = mail && new Outbox({ db, ...mail, clock, random, log: world.log.child('mail') });
  measure(metrics, db, outbox);
  const service = await serve(
    options,
    {
      info: {
        title: 'Data market',
        about: 'Who sells which data, who decides about it, and what was paid.',
        prefixes: [],
      },
      endpoints: [
        ...pageCalls(parts),
        ...merchantCalls(parts),
        ...productCalls(parts),
        ...voteCalls(parts),
        ...allBillCalls(parts),
        ...administrationCalls(parts),
      ],
      site: { folder: PAGE_FOLDER, connects: connectsOf(options) },
      metrics,
      cors: {
        origin: options.origin,
        headers: ['X-Market-Account', 'X-Market-Timestamp', 'X-Market-Signature', 'Idempotency-Key'],
      },
      refusal: refusalAnswer,
      notReady: () => instances.trouble ?? watch.trouble,
      warning: () => (options['market-auth'] === 'open' ? 'market-auth = open: everybody is believed' : undefined),
    },
    world,
    transport,
  );
  base ??= service.url;
  closing.add(repeatedly(WATCH_MS, 'look after the node', () => watch.look(), { clock, log }));
  closing.add(repeatedly(SECOND_MS, 'end votes', () => desk.expireVotes(), { clock, log }));
  closing.add(repeatedly(MINUTE_MS, 'forget what is old', () => forgetOld(db, clock.nowMs()), { clock, log }));
  const sweep = (): Promise<void> => transact(db, deleteUnusedLogos);
  closing.add(repeatedly(HOUR_MS, 'forget logos that nobody shows', sweep, { clock, log }));
  if (outbox !== undefined) {
    outbox.start();
    closing.add(() => outbox.stop());
  }
  closing.add(() => service.close());
  log.info('market listens', { url: service.url, monitor: service.monitor, auth: options['market-auth'] });
  return { ...service, close: () => closing.run() };
}
