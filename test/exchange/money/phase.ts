import { setMaxListeners } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { PrivateKey } from '../../../src/crypto/private-key.js';
import { publicKeyToText } from '../../../src/crypto/public-key.js';
import type { DatabaseOptions } from '../../../src/services/common/database.js';
import { openExchangeDatabase } from '../../../src/services/des/des.js';
import type { AllTables } from '../../../src/services/des/legs.js';
import { openMarket } from '../../../src/services/market/market.js';
import type { MarketTables } from '../../../src/services/market/tables.js';
import type { PostgresServer } from '../../services/postgres/server.js';
import { Wire } from '../../services/support/cut-off.js';
import { placeOf } from '../../services/support/databases.js';
import { sell } from '../../services/support/des-world.js';
import { SourceServer } from '../../services/support/source-server.js';
import { SeededRandom } from '../../sim/random.js';
import type { Account, DevChain } from '../dev-chain.js';
import { Program } from '../program.js';
import { answering } from './answers.js';
import { evidenceOf } from './evidence.js';
import { explained } from './explained.js';
import {
  BRANCH_CHANGED,
  CrashPoints,
  cutWires,
  type FaultCounts,
  keepUp,
  lockDatabase,
  restartDatabase,
  type Weather,
} from './faults.js';
import { Journal } from './journal.js';
import { judge, type ReleaseAt } from './judge.js';
import { Markets } from './markets.js';
import { logOwners, ownerChanges, ownerFaults } from './owners.js';
import { Purchases } from './purchases.js';

/** Purchases with one release point: two exchanges over one database, their sources, their buyers, and all their faults. */

export interface PhaseOptions {
  readonly folder: string;
  readonly chain: DevChain;
  readonly releaseAt: ReleaseAt;
  readonly seed: number;
  readonly purchases: number;
  readonly atOnce: number;
  readonly counts: FaultCounts;
  readonly rareness: number;
  /** No purchase begins after that. */
  readonly isOver: () => boolean;
  /** Settles when nothing goes wrong with the chain any more. */
  readonly calm: () => Promise<void>;
  readonly say: (line: string) => void;
  readonly several: Several | undefined;
  /** Whether the chain changes its branch, and most buyers have little. */
  readonly isForked: boolean;
}

/** Instances of exchange and market over one PostgreSQL, which is restarted as well. */
export interface Several {
  readonly server: PostgresServer;
  readonly instances: number;
  /** Where an instance held a letter when it was killed, another one brings it away after two minutes. */
  readonly waitsForLetters: boolean;
}

export interface PhaseReport {
  readonly problems: readonly string[];
  readonly begun: number;
  readonly delivered: number;
  readonly lost: number;
  readonly charges: number;
}

export const CRASH_POINTS = [
  'leg_stored',
  'leg_asked',
  'leg_answered',
  'content_written',
  'content_pinned',
  'payment_ready',
  'payment_signed',
  'payment_taken',
] as const;

export const PRICE = 1000n;
export const PERCENT = 1000;
const [BUYERS, SOURCES] = [6, 3];
/** Buyers from this one on have little. */
const [POOR_FROM, POOR_FROM_FORKED] = [4, 1];
/** At the market, where there is one. */
const SELLERS = 5;
const [RICH_UNITS, POOR_UNITS, EXCHANGE_UNITS] = [60_000_000, 20_000, 60_000_000];
const LOOK_MS = 300;
const LISTENS = /listens.* url=(http:\/\/[\d.]+:\d+)/;
/** Longer than any step takes: an authorization that nobody can use any more ends by itself. */
const STILL_MS = 2_400_000;
const FOR_EVER_MS = 1_000_000_000_000;

export interface People {
  readonly exchange: Account;
  readonly buyers: readonly Account[];
  readonly sources: readonly (Account & { readonly publicKey: string })[];
}

export class Phase {
  readonly #options: PhaseOptions;
  readonly #folder: string;
  readonly #journal: Journal;
  readonly #calm = new AbortController();
  readonly #end = new AbortController();
  #place: DatabaseOptions = { 'data-dir': '', database: undefined };
  #markets: Markets | undefined;
  readonly #closing: (() => Promise<void> | void)[] = [];
  #programs: readonly Program[] = [];
  #finished = 0;
  /** Whether blocks with payments may have been. */
  #isUndone: boolean;

  constructor(options: PhaseOptions) {
    this.#options = options;
    this.#folder = join(options.folder, options.releaseAt);
    // As many as there are faults under way.
    setMaxListeners(0, this.#calm.signal, this.#end.signal);
    mkdirSync(this.#folder, { recursive: true });
    this.#journal = new Journal(join(this.#folder, 'journal.jsonl'));
    this.#isUndone = this.#journal.entries.some(({ kind }) => kind === 'undone');
  }

  /** Purchases that have come to an end. */
  get finished(): number {
    return this.#finished;
  }

  get #poorFrom(): number {
    return this.#options.isForked ? POOR_FROM_FORKED : POOR_FROM;
  }

  async #people(): Promise<People> {
    const { chain, releaseAt } = this.#options;
    const poorFrom = this.#poorFrom;
    const range = (kind: string, count: number, units: number) =>
      Array.from({ length: count }, (_, i) => ({ name: `${releaseAt}-${kind}-${i}`, units }));
    const all = await chain.accounts([
      ...range('exchange', 1, EXCHANGE_UNITS),
      ...range('buyer', poorFrom, RICH_UNITS),
      ...range('poor', BUYERS - poorFrom, POOR_UNITS),
      ...range('source', SOURCES, 0),
    ]);
    const [exchange, ...others] = all as [Account, ...Account[]];
    const sources = others.slice(BUYERS).map((account) => ({
      ...account,
      publicKey: publicKeyToText(PrivateKey.fromWif(account.wif).publicKey, 'GXC'),
    }));
    return { exchange, buyers: others.slice(0, BUYERS), sources };
  }

  /** Product k is sold by the first k sources. */
  async #sell(db: Kysely<AllTables>, { sources }: People): Promise<void> {
    const servers: SourceServer[] = [];
    const sold = new Set((await db.selectFrom('product').select('product_id').execute()).map((one) => one.product_id));
    for (const source of sources) {
      const server = await SourceServer.start(source);
      server.behaviour = answering();
      this.#closing.push(() => server.close());
      servers.push(server);
    }
    for (const [i, { id, url }] of servers.entries()) {
      if (!sold.has(i + 1)) await sell(db, { id: i + 1, members: servers.slice(0, i + 1), units: Number(PRICE) });
      const account = Number(id.slice('1.2.'.length));
      await db.updateTable('merchant').set({ service_url: url }).where('account', '=', account).execute();
      const presence = { products: JSON.stringify([1, 2, 3]), query_url: null, expire_ms: Date.now() + FOR_EVER_MS };
      await db
        .insertInto('des_presence')
        .values({ account, ...presence })
        .onConflict((one) => one.column('account').doUpdateSet(presence))
        .execute();
    }
  }

  /** Its name on the server. */
  get #databaseName(): string {
    return `money_${this.#options.releaseAt}`;
  }

  async #makePlace(): Promise<DatabaseOptions> {
    const { several } = this.#options;
    if (several === undefined) return placeOf(this.#folder);
    return { 'data-dir': this.#folder, database: await several.server.database(this.#databaseName) };
  }

  #exchange(wire: Wire, { exchange }: People, pidFile: string): Program {
    return new Program({
      words: [
        ...['des', '--node', `http://${wire.endpoint}`, '--account', exchange.name, '--endpoint', '127.0.0.1:0'],
        ...['--data-dir', this.#folder, '--private-sources', '--release-at', this.#options.releaseAt],
        ...(this.#place.database === undefined ? [] : ['--database', this.#place.database]),
        ...['--percent', String(PERCENT), '--lease', '3', '--source-timeout', '20', '--connect-timeout', '15'],
        ...[
          '--node-timeout',
          '15',
          '--creates-per-second',
          '0',
          '--looks-per-second',
          '0',
          '--memory-max',
          '268435456',
        ],
      ],
      listens: LISTENS,
      pidFile,
      variables: { TRUSTNODE_DES_KEY: exchange.wif },
    });
  }

  async #begin({ exchange, buyers, sources }: People): Promise<void> {
    if (this.#journal.entries.some(({ kind }) => kind === 'begun')) return;
    const { chain } = this.#options;
    const before: Record<string, string> = {};
    for (const { id } of [exchange, ...buyers, ...sources]) before[id] = String(await chain.balance(id));
    this.#journal.write({ kind: 'begun', before, block: (await chain.head()).number });
  }

  /** Accounts and programs, before anything goes wrong. */
  async prepare(): Promise<() => Promise<PhaseReport>> {
    const { chain, releaseAt, seed, counts, rareness } = this.#options;
    const people = await this.#people();
    this.#place = await this.#makePlace();
    const db = await openExchangeDatabase(this.#place);
    this.#closing.push(() => db.destroy());
    await this.#sell(db, people);
    await this.#begin(people);
    const wire = await Wire.to(new URL(chain.url).host);
    this.#closing.push(() => wire.close());
    const files = Array.from({ length: this.#options.several?.instances ?? 2 }, (_, i) => `exchange-${i}.pid`);
    this.#programs = files.map((file) => this.#exchange(wire, people, join(this.#folder, file)));
    const random = new SeededRandom(seed + releaseAt.length);
    const points = new CrashPoints(CRASH_POINTS, random);
    const weather = { random, counts, progress: () => this.#finished, calm: this.#calm.signal, rareness };
    const locking = await openExchangeDatabase(this.#place);
    this.#closing.push(() => locking.destroy());
    const { several } = this.#options;
    if (several !== undefined) await this.#prepareSeveral(several, db, weather, `http://${wire.endpoint}`);
    return async () => {
      const faults = [cutWires(wire, weather), lockDatabase(locking, weather, this.#place.database !== undefined)];
      if (several !== undefined) faults.push(restartDatabase(several.server, weather));
      const exchanges = this.#programs.map((program) => keepUp(program, points, weather, this.#end.signal));
      if (this.#markets !== undefined) exchanges.push(this.#markets.keepUp(this.#end.signal));
      const report = await this.#run(db, people, faults);
      this.#end.abort();
      await Promise.all(exchanges);
      return report;
    };
  }

  async #prepareSeveral(several: Several, db: Kysely<AllTables>, weather: Weather, node: string): Promise<void> {
    const { chain, releaseAt } = this.#options;
    await logOwners(several.server, this.#databaseName);
    const market = await openMarket(this.#place);
    await market.destroy();
    // Those that are sold here have their numbers already.
    await db.insertInto('counter').values({ name: 'product', value: SOURCES }).execute();
    const names = Array.from({ length: SELLERS }, (_, i) => ({ name: `${releaseAt}-seller-${i}`, units: 0 }));
    this.#markets = await Markets.make({
      ...{ folder: this.#folder, node, weather, instances: several.instances },
      database: String(this.#place.database),
      admin: chain.named('alice'),
      sellers: await chain.accounts(names),
      closing: (close) => this.#closing.push(close),
    });
  }

  /** What holds for several instances alone. */
  async #judgeSeveral(db: Kysely<AllTables>): Promise<readonly string[]> {
    const { several, counts } = this.#options;
    if (several === undefined || this.#markets === undefined) return [];
    const changes = await ownerChanges(several.server, this.#databaseName);
    counts.say(`${changes.length} legs were taken up by another instance`);
    const ballots = await this.#markets.judge(db as unknown as Kysely<MarketTables>, several.waitsForLetters);
    return [...ownerFaults(changes), ...ballots];
  }

  async #run(db: Kysely<AllTables>, people: People, faults: readonly Promise<void>[]): Promise<PhaseReport> {
    const { chain, seed, purchases: count, atOnce, isOver, releaseAt, say } = this.#options;
    const urls = (): string[] => this.#programs.filter(({ running }) => running).map(({ address }) => address);
    const purchases = new Purchases({ chain, people, journal: this.#journal, seed, urls, poorFrom: this.#poorFrom });
    const waiting = Array.from({ length: count }, (_, n) => n).filter((n) => !purchases.isDone(n));
    const worker = async (): Promise<void> => {
      for (let n = waiting.shift(); n !== undefined && !isOver(); n = waiting.shift()) {
        await purchases.run(n);
        this.#noteUndone();
        this.#finished++;
      }
    };
    const voting = this.#markets?.run();
    await Promise.all([...Array.from({ length: atOnce }, worker), purchases.resume()]);
    this.#calm.abort();
    await Promise.all([...faults, this.#options.calm()]);
    await voting;
    say(`${releaseAt}: ${purchases.begun} purchases, waits for the last payments`);
    await this.#settled(db);
    const problems = [...(await purchases.lookAgain(db)), ...(await this.#judgeSeveral(db))];
    this.#noteUndone();
    const evidence = await evidenceOf({
      chain,
      db,
      journal: this.#journal,
      people,
      seen: purchases,
      releaseAt,
      isUndone: this.#isUndone,
    });
    const found = [...problems, ...judge(evidence)];
    for (const line of await explained(found, { folder: this.#folder, db, chain, programs: this.#programs })) say(line);
    const delivered = evidence.legs.filter(({ status }) => status === 'SUCCESS').length;
    const lost = evidence.legs.filter(({ isLost }) => isLost).length;
    return {
      problems: found.map((problem) => `${releaseAt}: ${problem}`),
      begun: purchases.begun,
      delivered,
      lost,
      charges: evidence.charges.length,
    };
  }

  /** At once: the logs end with this run, and another one may go on. */
  #noteUndone(): void {
    const isSeen =
      this.#options.counts.get(BRANCH_CHANGED) > 0 ||
      this.#programs.some(({ log }) => log.includes('changed to another branch'));
    if (this.#isUndone || !isSeen) return;
    this.#isUndone = true;
    this.#journal.write({ kind: 'undone' });
  }

  /** Nothing of any payment changes any more. */
  async #settled(db: Kysely<AllTables>): Promise<void> {
    let [former, endMs] = ['', 0];
    for (;;) {
      const open = await openStates(db);
      if (open === '') break;
      // A slow machine takes its time for each step.
      if (open !== former) [former, endMs] = [open, performance.now() + STILL_MS];
      if (performance.now() > endMs) throw new Error(`nothing changes any more, and not all is settled: ${open}`);
      await pause(LOOK_MS);
    }
    // What was the last of it stands in a block that is irreversible by now.
    await pause(LOOK_MS);
  }

  async close(): Promise<void> {
    this.#calm.abort();
    this.#end.abort();
    await Promise.all(this.#programs.map((program) => program.close()));
    for (const close of this.#closing.reverse()) await close();
  }
}

/** How many payments and legs are at which step; empty when all have come to their end. */
async function openStates(db: Kysely<AllTables>): Promise<string> {
  const payments = await db
    .selectFrom('payment')
    .select((of) => ['state', of.fn.countAll().as('count')])
    .where('state', 'not in', ['final', 'failed', 'lost'])
    .groupBy('state')
    .orderBy('state')
    .execute();
  const { legs } = await db
    .selectFrom('des_leg')
    .select((of) => of.fn.countAll().as('legs'))
    .where('outcome', 'is', null)
    .executeTakeFirstOrThrow();
  const states = payments.map(({ state, count }) => `${count} ${state}`);
  return [...states, ...(Number(legs) === 0 ? [] : [`${legs} undecided`])].join(', ');
}
