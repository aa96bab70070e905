import type { Kysely } from 'kysely';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { ChainError } from '../../base/errors.js';
import { check, fail } from '../../base/errors.js';
import type { PrivateKey } from '../../crypto/private-key.js';
import type { HttpAnswer } from '../../http/handler.js';
import type { Transport } from '../../http/transport.js';
import { Alarms, alarmMail } from '../alarm/alarms.js';
import { FeeWatch } from '../alarm/fee-watch.js';
import { ALARM_TABLES, type AlarmTables } from '../alarm/tables.js';
import { Accounts } from '../chain/accounts.js';
import { BlockFollower } from '../chain/follower.js';
import { ChainNode } from '../chain/node.js';
import { ownAccount } from '../chain/own-account.js';
import { Closing } from '../common/closing.js';
import { type DatabaseOptions, databaseAt, openDatabase, type Tables } from '../common/database.js';
import type { Endpoint } from '../common/endpoint.js';
import { enterInstances, INSTANCE_TABLES, type InstanceTables } from '../common/instances.js';
import { type RunningService, ServiceMetrics, type ServiceWorld, serve } from '../common/service.js';
import { refusalAnswer } from './answers.js';
import { RegistrationBlocks } from './blocks.js';
import { Budget } from './budget.js';
import { gatewayEndpoints, withoutInvite } from './endpoints.js';
import { GATEWAY_ERRORS } from './errors.js';
import type { GatewayOptions } from './options.js';
import { Referrers } from './referrers.js';
import { accountOperation, Registrations } from './registrations.js';
import { GATEWAY_TABLES, type GatewayTables } from './tables.js';

/** The gateway by which people come to the chain, from its start to its end. */

const DATABASE_FILE = 'gateway.db';
/** A membership that has no end. */
const FOREVER = 0xffff_ffff;
const KEY = `02${'00'.repeat(31)}01`;
const NEWCOMER = { name: 'n'.padEnd(20, '1'), owner: KEY, active: KEY, memo: KEY };

type AllTables = GatewayTables & AlarmTables & InstanceTables;

export const GATEWAY_PARTS: readonly Tables[] = [GATEWAY_TABLES, ALARM_TABLES, INSTANCE_TABLES];

export function openGatewayDatabase(options: DatabaseOptions): Promise<Kysely<AllTables>> {
  return openDatabase<AllTables>(databaseAt(options, DATABASE_FILE), GATEWAY_PARTS, options);
}

/** For a chain that lasts no longer than what is kept. */
export function openGatewayInMemory(): Promise<Kysely<AllTables>> {
  return openDatabase<AllTables>(':memory:', GATEWAY_PARTS);
}

/** All of it but the server. */
export interface Gateway {
  readonly endpoints: readonly Endpoint[];
  readonly account: string;
  readonly chainId: string;
  refusal(status: number, error: ChainError): HttpAnswer;
  notReady(): string | undefined;
  warning(): string | undefined;
  start(): void;
  stop(): Promise<void>;
}

interface GatewayParts {
  readonly db: Kysely<AllTables>;
  readonly key: PrivateKey;
  readonly registry: Registry;
}

function addGauges(registry: Registry, registrations: Registrations, budget: Budget, db: Kysely<GatewayTables>): void {
  new Gauge({
    name: 'trustnode_registrations',
    help: 'Registrations by state',
    labelNames: ['state'],
    registers: [registry],
    async collect() {
      this.reset();
      for (const { state, count } of await registrations.counts()) this.set({ state }, count);
    },
  });
  new Gauge({
    name: 'trustnode_registration_budget_left_units',
    help: 'What registrations may still cost today, of the fee asset',
    registers: [registry],
    async collect() {
      this.set(Number(await budget.left(db)));
    },
  });
}

export async function openGateway(
  options: GatewayOptions,
  { db: all, key, registry }: GatewayParts,
  world: Pick<ServiceWorld, 'clock' | 'random' | 'log'>,
): Promise<Gateway> {
  const { account = fail(GATEWAY_ERRORS.gateway_account_needed) } = options;
  const { clock, random } = world;
  const log = world.log.child('gateway');
  const mail = alarmMail(options, clock);
  const node = new ChainNode(options.node, options['node-timeout'] * 1000, clock);
  const chainId = await node.chainId(options['chain-id']);
  const keyPrefix = await node.keyPrefix();
  const registrar = await ownAccount(account, key, node, new Accounts(node, clock));
  const [found] = await node.ask('an account', (database) => database.get_accounts({ ids: [registrar.id] }));
  const isLifetime = found?.membership_expiration_date === FOREVER;
  check(isLifetime, GATEWAY_ERRORS.gateway_not_lifetime, { account });
  const db = all.withTables<GatewayTables>();
  const budget = new Budget(options, clock);
  const alarms = new Alarms({
    db: all.withTables<AlarmTables>(),
    mail,
    service: 'gateway',
    name: registrar.name,
    registry,
    clock,
    random,
    log,
  });
  const feeAsset = options['fee-asset'];
  const feeWatch = new FeeWatch({
    node,
    account: registrar.id,
    options,
    operation: accountOperation(NEWCOMER, registrar.id, { referrer: registrar.id, percent: 0 }),
    what: 'registration',
    alarms,
    registry,
    clock,
    log,
  });
  const refusals = new Counter({
    name: 'trustnode_registration_refusals_total',
    help: 'Registrations that the node has refused, by reason; fee means that the account cannot pay',
    labelNames: ['reason'],
    registers: [registry],
  });
  const registrations = new Registrations({
    db,
    node,
    registrar: { account: registrar.id, key, chainId, feeAsset },
    budget,
    waitMs: options.wait * 1000,
    answerMs: options['node-timeout'] * 1000,
    refused: (reason) => {
      refusals.inc({ reason });
      if (reason === 'fee') feeWatch.refused();
    },
    clock,
    log,
  });
  addGauges(registry, registrations, budget, db);
  const blocks = new RegistrationBlocks({
    db,
    registrar: registrar.id,
    blockAt: (block_num) => node.ask('a block', (database) => database.get_block({ block_num })),
    again: (row) => registrations.again(row),
    log,
  });
  const follower = new BlockFollower(node, await registrations.firstBlock(), blocks, {
    clock,
    log: world.log.child('chain'),
  });
  return {
    account: `1.2.${registrar.id}`,
    chainId,
    endpoints: gatewayEndpoints({
      options,
      registrar,
      chainId,
      keyPrefix,
      registrations,
      referrers: new Referrers(node, registrar.id, options),
      isOpen: () => registrations.isOpen(),
      clock,
    }),
    refusal: (status, error) => refusalAnswer(status, error, budget),
    notReady: () => follower.trouble,
    warning: () => feeWatch.warning,
    start: () => {
      follower.start();
      registrations.start();
      feeWatch.start();
    },
    stop: async () => {
      await feeWatch.stop();
      await registrations.stop();
      await follower.stop();
      alarms.close();
    },
  };
}

export async function startGateway(
  options: GatewayOptions,
  key: PrivateKey,
  world: ServiceWorld,
  transport?: Transport,
): Promise<RunningService> {
  const closing = new Closing();
  try {
    const db = await openGatewayDatabase(options);
    closing.add(() => db.destroy());
    const metrics = new ServiceMetrics();
    const gateway = await openGateway(options, { db, key, registry: metrics.registry }, world);
    const { endpoints, warning, account, chainId } = gateway;
    const { registry } = metrics;
    const instances = await enterInstances(
      'gateway',
      {
        options,
        file: DATABASE_FILE,
        db: db.withTables<InstanceTables>(),
        agreed: { chain: chainId, account },
        registry,
      },
      { ...world, log: world.log.child('gateway') },
    );
    closing.add(() => instances.leave());
    const service = await serve(
      options,
      {
        info: {
          title: 'Registration gateway',
          about: 'Accounts for newcomers: the gateway registers them on the chain and pays for it.',
          prefixes: [],
        },
        endpoints,
        metrics,
        refusal: (_request, status, error) => gateway.refusal(status, error),
        pathForLog: withoutInvite,
        notReady: () => instances.trouble ?? gateway.notReady(),
        warning,
      },
      world,
      transport,
    );
    closing.add(() => service.close());
    gateway.start();
    // First, so that whoever waits has an answer before the server closes.
    closing.add(() => gateway.stop());
    const log = world.log.child('gateway');
    log.info('the gateway listens', {
      url: service.url,
      monitor: service.monitor,
      registrar: account,
      guard: options.guard,
    });
    return { ...service, close: () => closing.run() };
  } catch (error) {
    await closing.run();
    throw error;
  }
}
