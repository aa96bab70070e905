import { readFileSync } from 'node:fs';
import { checkServerIdentity } from 'node:tls';
import {
  type PostgresCursor,
  PostgresDialect,
  type PostgresPool,
  type PostgresPoolClient,
  type PostgresQueryResult,
} from 'kysely';
import type { Pool, PoolClient, PoolConfig } from 'pg';
import { ChainError, fail, invariant } from '../../base/errors.js';
import { isLoopback } from '../../http/addresses.js';
import { DATABASE_ERRORS, DatabaseFailure, whyOf } from './database-errors.js';

/**
 * A PostgreSQL server by its URL, for services of which several share one database. What it does not take, or cannot be
 * asked, is a `DatabaseFailure`; a connection that was lost is not used again, and the next statement gets a new one.
 */

export const isServer = (database: string): boolean => /^postgres(?:ql)?:/.test(database);

/** `postgres://user:password@host:5432/name?sslmode=verify-full&sslrootcert=FILE`, as far as programs agree about it. */
export interface ServerPlace {
  readonly host: string;
  readonly port: number;
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly database: string;
  readonly ssl: PoolConfig['ssl'];
  /** For people: without the password. */
  readonly shown: string;
}

export interface ServerLimits {
  readonly connections: number;
  /** For a connection, a statement, and a transaction in which nothing happens; 0 for none. */
  readonly timeoutMs: number;
}

const PORT = 5432;
const PARAMETERS: ReadonlySet<string> = new Set(['host', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey']);
const MODES = ['disable', 'require', 'verify-ca', 'verify-full'] as const;
type TlsMode = (typeof MODES)[number];
/** What the server ends by itself comes first, and says more. */
const GRACE_MS = 5000;
const KEEP_ALIVE_MS = 10_000;
const INT8 = 20;
/** What the driver says where a server asks for a password that nobody has given. */
const NO_PASSWORD = 'client password must be a string';
const PASSWORD_NEEDED = 'it asks for a password, and there is none in the URL and none in PGPASSWORD';

const bad = (why: string): never => fail(DATABASE_ERRORS.database_url, { why });
const isNear = (host: string): boolean => host.startsWith('/') || isLoopback(host);

function decoded(text: string): string | undefined {
  try {
    return text === '' ? undefined : decodeURIComponent(text);
  } catch {
    return bad('a letter of user or password is not written as %XX');
  }
}

function fileOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    return bad(whyOf(error));
  }
}

/** Servers elsewhere have to show that they are the one, unless the URL says otherwise. */
function tlsOf(given: URLSearchParams, host: string): PoolConfig['ssl'] {
  const text = given.get('sslmode') ?? (isNear(host) ? 'disable' : 'verify-full');
  const mode: TlsMode = MODES.find((one) => one === text) ?? bad(`sslmode is one of ${MODES.join(', ')}`);
  if (mode === 'disable') return false;
  const files = Object.fromEntries(
    (
      [
        ['ca', 'sslrootcert'],
        ['cert', 'sslcert'],
        ['key', 'sslkey'],
      ] as const
    ).flatMap(([name, parameter]) => {
      const path = given.get(parameter);
      return path === null ? [] : [[name, fileOf(path)]];
    }),
  );
  // By the name or address of the URL: the driver says no address, and Node would take that for localhost.
  const isIt: typeof checkServerIdentity = (_name, certificate) =>
    mode === 'verify-full' ? checkServerIdentity(host, certificate) : undefined;
  return { ...files, checkServerIdentity: isIt, rejectUnauthorized: mode !== 'require' };
}

export function readServer(text: string): ServerPlace {
  if (!URL.canParse(text)) bad('it has the form postgres://user:password@host:port/name');
  const url = new URL(text);
  const given = url.searchParams;
  for (const name of given.keys()) {
    if (!PARAMETERS.has(name)) bad(`${name} is no parameter of it; there are ${[...PARAMETERS].join(', ')}`);
  }
  const host = given.get('host') ?? (url.hostname.replace(/^\[(.*)\]$/, '$1') || 'localhost');
  const port = url.port === '' ? PORT : Number(url.port);
  const user = decoded(url.username);
  const database = decoded(url.pathname.slice(1)) ?? bad('it names no database');
  const shown = `postgres://${user === undefined ? '' : `${user}@`}${host}:${port}/${database}`;
  return { host, port, user, password: decoded(url.password), database, ssl: tlsOf(given, host), shown };
}

function loadDriver(load: (name: string) => unknown): { readonly Pool: new (config: PoolConfig) => Pool } {
  try {
    return load('pg') as { readonly Pool: new (config: PoolConfig) => Pool };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error;
    throw new ChainError(DATABASE_ERRORS.database_driver);
  }
}

/** Statements whose end nobody knows leave a connection that is of no use; what a server refuses does not. */
const isRefusal = (error: unknown): boolean => {
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !/^(?:08|57P|XX)/.test(code);
};

class Connection implements PostgresPoolClient {
  readonly #client: PoolClient;
  #isLost = false;

  constructor(client: PoolClient) {
    this.#client = client;
  }

  query<R>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>>;
  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>;
  query<R>(
    given: string | PostgresCursor<R>,
    values: readonly unknown[] = [],
  ): Promise<PostgresQueryResult<R>> | PostgresCursor<R> {
    invariant(typeof given === 'string', 'nothing here reads by cursors');
    return this.#ask<R>(given, values);
  }

  async #ask<R>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>> {
    try {
      return (await this.#client.query(text, [...values])) as unknown as PostgresQueryResult<R>;
    } catch (error) {
      this.#isLost ||= !isRefusal(error);
      throw new DatabaseFailure(error);
    }
  }

  release(): void {
    this.#client.release(this.#isLost);
  }
}

class Connections implements PostgresPool {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
    // Whoever waits for an answer is told; without these a lost connection ends the program.
    pool.on('error', () => undefined);
    pool.on('connect', (client) => client.on('error', () => undefined));
  }

  async connect(): Promise<PostgresPoolClient> {
    try {
      return new Connection(await this.#pool.connect());
    } catch (error) {
      const isUnasked = error instanceof Error && error.message.includes(NO_PASSWORD);
      throw new DatabaseFailure(isUnasked ? new Error(PASSWORD_NEEDED) : error);
    }
  }

  end(): Promise<void> {
    return this.#pool.end();
  }
}

export function postgresDialect(
  place: ServerPlace,
  { connections, timeoutMs }: ServerLimits,
  load: (name: string) => unknown,
): PostgresDialect {
  const { Pool } = loadDriver(load);
  const { types } = load('pg') as typeof import('pg');
  const { host, port, user, password, database, ssl } = place;
  // Amounts are texts, and nothing else comes near 2^53.
  const getTypeParser = ((oid: number, format: 'text') =>
    oid === INT8 ? Number : types.getTypeParser(oid, format)) as typeof types.getTypeParser;
  const pool = new Pool({
    ...{ host, port, database, ssl },
    ...(user === undefined ? {} : { user }),
    ...(password === undefined ? {} : { password }),
    application_name: 'trustnode',
    max: connections,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    types: { getTypeParser },
    ...(timeoutMs === 0
      ? {}
      : {
          connectionTimeoutMillis: timeoutMs,
          statement_timeout: timeoutMs,
          // Whoever stands still in the middle of a transaction must not hold up all others for ever.
          idle_in_transaction_session_timeout: timeoutMs,
          query_timeout: timeoutMs + GRACE_MS,
        }),
  });
  return new PostgresDialect({ pool: new Connections(pool) });
}
