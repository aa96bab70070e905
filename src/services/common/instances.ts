import { hostname } from 'node:os';
import { type Kysely, sql, type Transaction } from 'kysely';
import { Gauge, type Registry } from 'prom-client';
import { toHex } from '../../base/bytes.js';
import { ChainError, defineErrors } from '../../base/errors.js';
import type { Cancel, Clock, Logger, Random } from '../../base/world.js';
import { type DatabaseOptions, databaseAt, type Tables, transact } from './database.js';
import { toldOfDatabase } from './database-errors.js';
import { isAlive } from './is-alive.js';
import { processNumbering } from './numbering.js';
import { isServer } from './postgres.js';

/**
 * Who works on a database: each instance of a service has a row in it for as long as it is there, with what all of them
 * have to agree on. One that disagrees with another that is alive does not start; the clock is that of the database.
 */

export const INSTANCE_ERRORS = defineErrors(
  {
    instance_disagrees: {
      text: '${who} works on this database with ${what} ${theirs}, and this one would with ${what} ${mine}',
      hint: 'docs/postgres.md says what instances have to agree on. One that has ended is forgotten after half a minute.',
    },
  },
  'environment',
);

interface InstanceRow {
  readonly id: string;
  readonly service: string;
  readonly host: string;
  readonly pid: number;
  /** What others have to have as well, by what it is called: JSON. */
  readonly agreed: string;
  readonly started_ms: number;
  readonly seen_ms: number;
}

// An alias: kysely joins tables of aliases alone.
export type InstanceTables = { readonly service_instance: InstanceRow };

export const INSTANCE_TABLES: Tables = {
  name: 'instance',
  migrations: {
    '1_instances': {
      async up(db: Kysely<unknown>) {
        await db.schema
          .createTable('service_instance')
          .addColumn('id', 'text', (column) => column.primaryKey())
          .addColumn('service', 'text', (column) => column.notNull())
          .addColumn('host', 'text', (column) => column.notNull())
          .addColumn('pid', 'bigint', (column) => column.notNull())
          .addColumn('agreed', 'text', (column) => column.notNull())
          .addColumn('started_ms', 'bigint', (column) => column.notNull())
          .addColumn('seen_ms', 'bigint', (column) => column.notNull())
          .execute();
      },
    },
  },
};

/** What the services of one database have to agree on with each other, and not with their like alone. */
const EVERYBODY = 'chain';
const BEAT_MS = 5000;
/** Longer than a database needs to come back, and as short as whoever starts the next one can wait. */
const FORGOTTEN_MS = 30_000;
const ID_BYTES = 8;

type Agreed = Readonly<Record<string, string | readonly string[]>>;

const listed = (value: Agreed[string] | undefined): readonly string[] => (value === undefined ? [] : [value].flat());

/** The ids of instances begin with it. */
const NUMBERING = processNumbering();

/** Of this process. */
const ours = new Set<string>();

export interface InstanceParts {
  readonly db: Kysely<InstanceTables>;
  /** Of the database: its URL or file. */
  readonly at: string;
  readonly service: string;
  /** Values by what they are called; of several one in common is enough. */
  readonly agreed: Agreed;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** Of a service by its options; `file`: the name of its database where that is a file. */
export function enterInstances(
  service: string,
  {
    options,
    file,
    ...parts
  }: { readonly options: DatabaseOptions; readonly file: string } & Pick<InstanceParts, 'db' | 'agreed' | 'registry'>,
  { clock, random, log }: Pick<InstanceParts, 'clock' | 'random' | 'log'>,
): Promise<Instances> {
  return Instances.enter({ ...parts, service, at: databaseAt(options, file), clock, random, log });
}

/** A process of this machine that is no more; those of others are known by their row alone. */
function hasEnded({ id, host, pid }: Pick<InstanceRow, 'id' | 'host' | 'pid'>): boolean {
  if (host !== hostname()) return false;
  // The first process of a container has the same number each time.
  if (pid === process.pid) return !ours.has(id);
  return !isAlive(pid);
}

export class Instances {
  readonly #parts: InstanceParts;
  readonly #id: string;
  #killed: readonly string[] = [];
  #trouble: string | undefined;
  #cancel: Cancel | undefined;
  #round: Promise<void> = Promise.resolve();
  #isStopped = false;

  private constructor(parts: InstanceParts) {
    this.#parts = parts;
    this.#id = `${NUMBERING}${toHex(parts.random.bytes(ID_BYTES))}`;
    const alive = (): Promise<readonly InstanceRow[]> => this.#alive(parts.db);
    new Gauge({
      name: 'trustnode_service_instances',
      help: 'Instances that are alive on the database of this one, by service',
      labelNames: ['service'],
      registers: [parts.registry],
      async collect() {
        const rows = await alive();
        // Nothing in between: two may ask at the same moment, and each would count all of them.
        this.reset();
        for (const { service } of rows) this.inc({ service });
      },
    });
  }

  /** Refused where another one that is alive has other values. */
  static async enter(parts: InstanceParts): Promise<Instances> {
    const entered = new Instances(parts);
    // Their rows are cleared away with the first one that is written.
    entered.#killed = await entered.#ended();
    await entered.#write();
    ours.add(entered.#id);
    entered.#again();
    return entered;
  }

  /** Why nobody should ask this one: its database is away, or another one with other values came while it was itself. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  /** By which others know it. */
  get id(): string {
    return this.#id;
  }

  /**
   * Of this service, processes of this machine that were killed: nobody has to wait for what they had at work. One that only
   * seems to be, since it has its number in another container, would be robbed of it.
   */
  get killed(): readonly string[] {
    return this.#killed;
  }

  async leave(): Promise<void> {
    this.#isStopped = true;
    this.#cancel?.();
    await this.#round;
    ours.delete(this.#id);
    try {
      await this.#parts.db.deleteFrom('service_instance').where('id', '=', this.#id).execute();
    } catch (error) {
      this.#parts.log.debug('the database does not know that this instance ends', { error });
    }
  }

  async #ended(): Promise<readonly string[]> {
    const { db, service } = this.#parts;
    const query = db.selectFrom('service_instance').select(['id', 'host', 'pid']).where('service', '=', service);
    const here = (await query.execute()).filter(({ id }) => id.startsWith(NUMBERING));
    return here.filter(hasEnded).map(({ id }) => id);
  }

  #now() {
    return isServer(this.#parts.at)
      ? sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`
      : sql<number>`CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)`;
  }

  async #alive(db: Kysely<InstanceTables>): Promise<readonly InstanceRow[]> {
    const rows = await db
      .selectFrom('service_instance')
      .selectAll()
      .where('seen_ms', '>', sql<number>`${this.#now()} - ${sql.lit(FORGOTTEN_MS)}`)
      .execute();
    return rows.filter((row) => !hasEnded(row));
  }

  /** One after another: of two that start at the same moment the second one finds the first. */
  async #write(): Promise<void> {
    const { db, at, service, agreed } = this.#parts;
    await transact(db, async (trx) => {
      if (isServer(at)) await sql`LOCK TABLE service_instance IN SHARE ROW EXCLUSIVE MODE`.execute(trx);
      const now = this.#now();
      // SQLite lets nobody else write from here on.
      await trx
        .deleteFrom('service_instance')
        .where((is) =>
          is.or([is('id', '=', this.#id), is('seen_ms', '<=', sql<number>`${now} - ${sql.lit(FORGOTTEN_MS)}`)]),
        )
        .execute();
      await this.#compare(trx);
      const who = { id: this.#id, service, host: hostname(), pid: process.pid, agreed: JSON.stringify(agreed) };
      await trx
        .insertInto('service_instance')
        .values({ ...who, started_ms: now, seen_ms: now })
        .execute();
    });
  }

  async #compare(trx: Transaction<InstanceTables>): Promise<void> {
    const { service, agreed } = this.#parts;
    for (const other of await this.#alive(trx)) {
      const who = `another ${other.service} (process ${other.pid} on ${other.host})`;
      const theirs = JSON.parse(other.agreed) as Partial<Agreed>;
      const names = other.service === service ? Object.keys(agreed) : [EVERYBODY];
      for (const what of names) {
        const [his, mine] = [listed(theirs[what]), listed(agreed[what])];
        // A version before this one may not know it.
        if (his.length === 0 || mine.length === 0 || his.some((value) => mine.includes(value))) continue;
        const values = { theirs: his.join(' and '), mine: mine.join(' and ') };
        throw new ChainError(INSTANCE_ERRORS.instance_disagrees, { who, what, ...values });
      }
    }
  }

  #again(): void {
    if (this.#isStopped) return;
    this.#cancel = this.#parts.clock.after(BEAT_MS, () => {
      this.#round = this.#beat().then(() => this.#again());
    });
  }

  async #beat(): Promise<void> {
    const { db, log } = this.#parts;
    try {
      const { numUpdatedRows } = await db
        .updateTable('service_instance')
        .set({ seen_ms: this.#now() })
        .where('id', '=', this.#id)
        .executeTakeFirst();
      // It has stood still for so long that another one has cleared it away.
      if (Number(numUpdatedRows) === 0) await this.#write();
      this.#trouble = undefined;
    } catch (error) {
      this.#trouble =
        error instanceof ChainError
          ? 'another instance works on the database with other values'
          : toldOfDatabase(error);
      log.warn('this instance is not on the list of its database', { error });
    }
  }
}
