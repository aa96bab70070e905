import { join } from 'node:path';
import type { Test } from 'tap';
import type { Clock } from '../../../src/base/world.js';
import { connect, type NodeClient } from '../../../src/client/client.js';
import { resolveOptions } from '../../../src/config/load.js';
import { PrivateKey } from '../../../src/crypto/private-key.js';
import { publicKeyToText } from '../../../src/crypto/public-key.js';
import type { Transport } from '../../../src/http/transport.js';
import { systemClock } from '../../../src/node/runtime/clock.js';
import type { RunningService } from '../../../src/services/common/service.js';
import { startMarket } from '../../../src/services/market/market.js';
import { MARKET_OPTIONS } from '../../../src/services/market/options.js';
import { type DevProcess, startDevProcess } from '../../clients/support/dev-process.js';
import { Signer } from '../../clients/support/signer.js';
import { type Line, lineOf } from '../../support/dev-node.js';
import { MemoryLog } from '../../support/memory-log.js';
import { NodeProcess } from '../../support/node-process.js';
import { databaseFor, emptyDatabaseFor, placeWords } from './databases.js';
import { type MarketAccount, MarketClient, product } from './market-client.js';
import { MovedClock } from './moved-clock.js';
import { serviceWorld } from './service-world.js';

/** A live chain with the history that bills need. */
export class MarketChain {
  readonly node: DevProcess;
  readonly client: NodeClient;
  readonly #signer: Signer;

  private constructor(node: DevProcess, client: NodeClient) {
    this.node = node;
    this.client = client;
    this.#signer = new Signer(client, node.alice.wif);
  }

  static async start(folder: string, plugins = 'witness account_history_kv'): Promise<MarketChain> {
    const node = await startDevProcess(folder, '--plugins', plugins);
    return new MarketChain(node, await connect(`http://${node.endpoint}`));
  }

  /** The same on a chain that runs already. */
  static over(node: DevProcess, client: NodeClient): MarketChain {
    return new MarketChain(node, client);
  }

  get url(): string {
    return `http://${this.node.endpoint}`;
  }

  /** New accounts, each with a key of its own; in as few blocks as they fit into. */
  accounts(count: number, prefix = 'merchant'): Promise<MarketAccount[]> {
    const { alice } = this.node;
    return Promise.all(
      Array.from({ length: count }, async (_, i) => {
        const name = `${prefix}-${i}`;
        const key = PrivateKey.fromSeed(name);
        const text = publicKeyToText(key.publicKey, 'GXC');
        const authority = { weight_threshold: 1, account_auths: [], key_auths: [[text, 1]], address_auths: [] };
        const { created } = await this.#signer.send('account_create', {
          registrar: alice.id,
          referrer: alice.id,
          name,
          owner: authority,
          active: authority,
          options: {
            memo_key: text,
            voting_account: '1.2.5',
            num_witness: 0,
            num_committee: 0,
            votes: [],
            extensions: [],
          },
        });
        if (created === undefined) throw new Error('no account was created');
        return { id: created, wif: key.toWif() };
      }),
    );
  }

  async pay(to: string, amount: number): Promise<void> {
    await this.#signer.send('transfer', { from: this.node.alice.id, to, amount: { amount, asset_id: '1.3.1' } });
  }

  stop(): Promise<void> {
    return this.node.stop();
  }
}

export interface MarketInProcess extends RunningService {
  readonly log: MemoryLog;
  readonly dataDir: string;
  readonly clock: MovedClock;
}

/** The market in this process, against a node of its own. */
export async function startMarketInProcess(
  t: Test,
  chain: MarketChain,
  line: Line = {},
  transport?: Transport,
): Promise<MarketInProcess> {
  const log = new MemoryLog();
  // Asking for the folder of a test empties it.
  const dataDir = String(line['data-dir'] ?? join(t.testdir(), 'market'));
  const isNew = line['data-dir'] === undefined;
  const database = await (isNew ? emptyDatabaseFor : databaseFor)(dataDir);
  const given = {
    'data-dir': dataDir,
    ...(database === undefined ? {} : { database }),
    endpoint: '127.0.0.1:0',
    node: chain.url,
    admin: chain.node.alice.id,
    'writes-per-second': '0',
    ...line,
  };
  const options = resolveOptions(MARKET_OPTIONS, lineOf(given), new Map());
  const clock = new MovedClock();
  const world = serviceWorld(clock, log);
  const service = await startMarket(options, world, transport);
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= service.close();
    return closing;
  };
  t.teardown(close);
  return { ...service, close, log, dataDir, clock };
}

/** Merchants that are bound, numbered from 1 on, and an administrator who has made a category. */
export async function boundMerchants(
  market: { readonly url: string; readonly clock?: Clock },
  chain: MarketChain,
  accounts: readonly MarketAccount[],
): Promise<{ readonly admin: MarketClient; readonly merchants: readonly MarketClient[] }> {
  const nowMs = (): number => (market.clock ?? systemClock).nowMs();
  const admin = new MarketClient(market.url, chain.node.alice, 0, nowMs);
  const merchants = accounts.map((account, i) => new MarketClient(market.url, account, i + 1, nowMs));
  for (const one of merchants) {
    const { code, msg } = await one.bind();
    if (code !== 1) throw new Error(msg);
  }
  const { code, msg } = await admin.post('/market/category/create', { categoryName: 'Weather' });
  if (code !== 1) throw new Error(msg);
  return { admin, merchants };
}

/** The id of the newest product. */
export async function publish(merchant: MarketClient, more: object = {}): Promise<number> {
  const { code, msg } = await merchant.post('/market/product/create', product(more));
  if (code !== 1) throw new Error(msg);
  const { data } = await merchant.get<{ productId: number }[]>('/market/product/list/0/1?limit=1');
  return data[0]?.productId ?? 0;
}

export interface MarketProcess {
  readonly process: NodeProcess;
  readonly url: string;
  stop(): Promise<number | null>;
}

/** `trustnode market` as people run it. */
export async function startMarketProcess(
  {
    chain,
    dataDir,
    crashPoint,
  }: { readonly chain: MarketChain; readonly dataDir: string; readonly crashPoint?: string },
  ...more: readonly string[]
): Promise<MarketProcess> {
  const variables = crashPoint === undefined ? [] : ['env', `TRUSTNODE_CRASH_POINT=${crashPoint}`];
  const args = ['market', '--node', chain.url, ...(await placeWords(dataDir)), '--endpoint', '127.0.0.1:0'];
  const service = new NodeProcess([...args, '--admin', chain.node.alice.id, ...more], [], variables);
  // A test that ends in the middle must not leave a service behind.
  const kill = (): void => service.kill('SIGKILL');
  process.once('exit', kill);
  void service.finished.then(() => process.off('exit', kill));
  const [, url = ''] = await service.until(/market listens.* url=(http:\/\/[\d.]+:\d+)/);
  const stop = async (): Promise<number | null> => {
    service.kill('SIGTERM');
    return (await service.finished).code;
  };
  return { process: service, url, stop };
}
