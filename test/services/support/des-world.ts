import { join } from 'node:path';
import type { Kysely } from 'kysely';
import type { Test } from 'tap';
import { connect, type NodeClient } from '../../../src/client/client.js';
import { resolveOptions } from '../../../src/config/load.js';
import { PrivateKey } from '../../../src/crypto/private-key.js';
import { publicKeyToText } from '../../../src/crypto/public-key.js';
import { accountId } from '../../../src/protocol/ids.js';
import type { RunningService } from '../../../src/services/common/service.js';
import { openExchangeDatabase, startDes } from '../../../src/services/des/des.js';
import type { AllTables } from '../../../src/services/des/legs.js';
import { DES_OPTIONS } from '../../../src/services/des/options.js';
import { type DevProcess, startDevProcess } from '../../clients/support/dev-process.js';
import { Signer } from '../../clients/support/signer.js';
import { type Line, lineOf } from '../../support/dev-node.js';
import { MemoryLog } from '../../support/memory-log.js';
import { databaseFor, emptyDatabaseFor } from './databases.js';
import { MovedClock } from './moved-clock.js';
import { serviceWorld } from './service-world.js';
import { SourceServer } from './source-server.js';

/** A live chain on which alice buys, bob keeps the exchange, and new accounts sell. */

export interface Account {
  readonly name: string;
  readonly id: string;
  readonly wif: string;
}

export const PRICE = 1000;

export class DesWorld {
  readonly node: DevProcess;
  readonly client: NodeClient;
  readonly alice: Account;
  readonly bob: Account;

  private constructor(node: DevProcess, client: NodeClient) {
    this.node = node;
    this.client = client;
    this.alice = node.alice;
    this.bob = node.bob;
  }

  static async start(t: Test, ...more: readonly string[]): Promise<DesWorld> {
    const node = await startDevProcess(t.testdir(), ...more);
    t.teardown(() => node.stop());
    return new DesWorld(node, await connect(`http://${node.endpoint}`));
  }

  /** A new account with one key. */
  async account(name: string, gift = 0, keys = [PrivateKey.fromSeed(name)]): Promise<Account> {
    const signer = new Signer(this.client, this.alice.wif);
    const texts = keys.map(({ publicKey }) => publicKeyToText(publicKey, 'GXC'));
    const authority = {
      weight_threshold: 1,
      account_auths: [],
      key_auths: texts.map((text) => [text, 1]).sort(),
      address_auths: [],
    };
    const options = { memo_key: texts[0], voting_account: '1.2.5', num_witness: 0, num_committee: 0, votes: [] };
    const { created = '' } = await signer.send('account_create', {
      registrar: this.alice.id,
      referrer: this.alice.id,
      name,
      owner: authority,
      active: authority,
      options: { ...options, extensions: [] },
    } as never);
    if (gift > 0) await this.pay(created, gift);
    return { name, id: created, wif: keys[0]?.toWif() ?? '' };
  }

  async pay(to: string, amount: number): Promise<void> {
    const signer = new Signer(this.client, this.alice.wif);
    await signer.send('transfer', { from: this.alice.id, to, amount: { amount, asset_id: '1.3.1' } });
  }

  /** What the chain knows of whoever buys or sells data, and does not ask for. */
  async register(id: string, role: 'merchant' | 'datasource'): Promise<void> {
    await new Signer(this.client, this.alice.wif).send(`account_upgrade_${role}`, {
      account_to_upgrade: id,
      auth_referrer: this.alice.id,
      [`upgrade_to_${role}_member`]: true,
    });
  }

  /** Takes as much of it that the price is not there any more. */
  async drain(from: Account): Promise<void> {
    const signer = new Signer(this.client, from.wif);
    await signer.send('transfer', { from: from.id, to: this.alice.id, amount: { amount: 500, asset_id: '1.3.1' } });
  }

  async sources(t: Test, names: readonly string[]): Promise<readonly SourceServer[]> {
    const out: SourceServer[] = [];
    for (const name of names) {
      const source = await SourceServer.start(await this.account(name));
      t.teardown(() => source.close());
      out.push(source);
    }
    return out;
  }

  /** For as long as a test takes on a slow machine. */
  async isThere(
    { url, db }: Pick<Exchange, 'url' | 'db'>,
    source: SourceServer,
    products: readonly number[],
  ): Promise<void> {
    const { status, body } = await source.heartbeat(url, products);
    if (status !== 200) throw new Error(`heartbeat: ${status} ${JSON.stringify(body)}`);
    const expire_ms = Date.now() + 3_600_000;
    await db.updateTable('des_presence').set({ expire_ms }).execute();
  }

  async balance(id: string): Promise<bigint> {
    const found = await this.client.database.get_account_balances({ id: accountId.fromJson(id), assets: [1] });
    return found[0]?.amount ?? 0n;
  }

  async headTime(): Promise<number> {
    return (await this.client.database.get_dynamic_global_properties()).time;
  }

  /** The exchange in this process; what the market would have written is there, by `sell`. */
  async exchange(t: Test, line: Line = {}, keeper: Pick<Account, 'id' | 'wif'> = this.bob): Promise<Exchange> {
    const log = new MemoryLog();
    const clock = new MovedClock();
    // Asking for the folder of a test empties it.
    const dataDir = String(line['data-dir'] ?? join(t.testdir(), 'exchange'));
    const isNew = line['data-dir'] === undefined;
    const database = await (isNew ? emptyDatabaseFor : databaseFor)(dataDir);
    const given = {
      'data-dir': dataDir,
      ...(database === undefined ? {} : { database }),
      endpoint: '127.0.0.1:0',
      node: `http://${this.node.endpoint}`,
      account: keeper.id,
      'private-sources': 'true',
      'creates-per-second': '0',
      'heartbeats-per-second': '0',
      ...line,
    };
    const options = resolveOptions(DES_OPTIONS, lineOf(given), new Map());
    const world = serviceWorld(clock, log);
    const service = await startDes(options, PrivateKey.fromWif(keeper.wif), world);
    t.teardown(() => service.close());
    const db = await openExchangeDatabase(options);
    t.teardown(() => db.destroy());
    return { ...service, log, clock, dataDir, db };
  }
}

export interface Exchange extends RunningService {
  readonly log: MemoryLog;
  readonly clock: MovedClock;
  readonly dataDir: string;
  readonly db: Kysely<AllTables>;
}

export interface Sold {
  readonly id: number;
  readonly members: readonly { readonly id: string; readonly url: string }[];
  readonly units?: number;
  readonly asset?: number;
  readonly privacy?: number;
}

/** What the market writes for a product and its members. */
export async function sell(db: Kysely<AllTables>, { id, members, units, asset, privacy }: Sold): Promise<void> {
  const input = JSON.stringify({ name: { type: 'string', desc: 'who', required: true, sample: 'alice' } });
  const output = JSON.stringify({ echo: { type: 'json', desc: 'the same', sample: { name: 'alice' } } });
  await db
    .insertInto('product')
    .values({
      product_id: id,
      name: `product ${id}`,
      logo: '',
      brief: 'a test',
      category_id: 1,
      issuer: 1,
      threshold: 5000,
      version: 1,
      asset: asset ?? 1,
      units: String(units ?? PRICE),
      privacy: privacy ?? 0,
      input,
      output,
      on_sale: 1,
      created_ms: 0,
    })
    .execute();
  for (const member of members) {
    const account = accountId.fromJson(member.id);
    const row = {
      service_url: member.url,
      authorizer_name: '',
      merchant_name: '',
      logo_url: '',
      address: '',
      email: '',
    };
    await db
      .insertInto('merchant')
      .values({ merchant_id: account, account, ...row, rejections: 0, banned_until_ms: 0, created_ms: 0 })
      .onConflict((one) => one.column('merchant_id').doUpdateSet({ service_url: member.url }))
      .execute();
    await db
      .insertInto('product_member')
      .values({ product_id: id, merchant_id: account, joined_ms: account })
      .execute();
  }
}
