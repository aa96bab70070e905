import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { eventually } from '../../support/eventually.js';
import { freePort } from '../../support/free-port.js';

/** A real PostgreSQL as a process, on a port and in a folder that stay the same when it is started again. */

/** Debian keeps each version in a folder of its own, and none of them in the path. */
const DEBIAN = '/usr/lib/postgresql';
const OWNER = 'trustnode';
/** It refuses to run as root. */
const UNPRIVILEGED = 'postgres';
const LOOK_MS = 50;
const STDERR_KEPT = 20_000;

function toolsFolder(): string | undefined {
  const folders = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : [];
  const found = folders.map((version) => join(DEBIAN, version, 'bin')).find((bin) => existsSync(join(bin, 'initdb')));
  if (found !== undefined) return found;
  return spawnSync('initdb', ['--version']).status === 0 ? '' : undefined;
}

const TOOLS = toolsFolder();

/** For `skip`: false, or what is missing. */
export const hasNoPostgres: string | false =
  TOOLS === undefined ? 'no PostgreSQL can be started (Debian: postgresql)' : false;

const toolOf = (name: string): string => join(TOOLS ?? '', name);

const isRoot = process.getuid?.() === 0;
const asUser = (command: string, args: readonly string[]): [string, string[]] =>
  isRoot
    ? ['setpriv', ['--reuid', UNPRIVILEGED, '--regid', UNPRIVILEGED, '--clear-groups', command, ...args]]
    : [command, [...args]];

/** `kept`: one that is there after it. */
function ownedFolder(kept: string | undefined): string {
  const folder = kept ?? mkdtempSync(join(tmpdir(), 'trustnode-postgres-'));
  mkdirSync(folder, { recursive: true });
  if (isRoot) {
    const id = (flag: string): number => Number(spawnSync('id', [flag, UNPRIVILEGED], { encoding: 'utf8' }).stdout);
    chownSync(folder, id('-u'), id('-g'));
  }
  return folder;
}

export interface PostgresSettings {
  /** Of its configuration: `ssl=on`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Who may come how, before the rule by which whoever owns it comes: lines of pg_hba.conf. */
  readonly rules?: readonly string[];
  /** More files for its folder of data, by their names. */
  readonly files?: Readonly<Record<string, string>>;
  /** A folder whose data is used again, where it has some. */
  readonly folder?: string;
}

export class PostgresServer {
  readonly folder: string;
  readonly port: number;
  readonly #settings: readonly string[];
  #child: ChildProcess | undefined;
  #stderr = '';
  readonly #killAtExit = (): void => void this.#child?.kill('SIGKILL');

  private constructor(folder: string, port: number, settings: Readonly<Record<string, string>>) {
    this.folder = folder;
    this.port = port;
    // A computer that loses its power is not what these tests are about; a server that is killed keeps what it has written.
    const all = { fsync: 'off', max_connections: '300', unix_socket_directories: folder, ...settings };
    this.#settings = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    process.once('exit', this.#killAtExit);
  }

  static async start({
    settings = {},
    rules = [],
    files = {},
    folder: kept,
  }: PostgresSettings = {}): Promise<PostgresServer> {
    const folder = ownedFolder(kept);
    const data = join(folder, 'data');
    const options = [
      '-D',
      data,
      '-U',
      OWNER,
      '-A',
      'trust',
      '-E',
      'UTF8',
      '--locale=C',
      '--no-sync',
      '--no-instructions',
    ];
    const isThere = existsSync(join(data, 'PG_VERSION'));
    if (!isThere) await promisify(execFile)(...asUser(toolOf('initdb'), options));
    if (rules.length > 0) {
      const owner = `host all ${OWNER} 127.0.0.1/32 trust`;
      writeFileSync(join(data, 'pg_hba.conf'), [owner, ...rules, ''].join('\n'));
    }
    const { uid, gid } = statSync(data);
    for (const [name, text] of Object.entries(files)) {
      writeFileSync(join(data, name), text, { mode: 0o600 });
      chownSync(join(data, name), uid, gid);
    }
    const server = new PostgresServer(folder, await freePort(), settings);
    await server.start();
    return server;
  }

  get data(): string {
    return join(this.folder, 'data');
  }

  url(database = 'postgres'): string {
    return `postgres://${OWNER}@127.0.0.1:${this.port}/${database}`;
  }

  async start(): Promise<void> {
    const args = ['-D', this.data, '-h', '127.0.0.1', '-p', String(this.port), ...this.#settings];
    const child = spawn(...asUser(toolOf('postgres'), args), { stdio: ['ignore', 'ignore', 'pipe'] });
    this.#child = child;
    this.#stderr = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_KEPT);
    });
    await eventually(
      'the answer of PostgreSQL',
      async () => {
        if (child.exitCode !== null) throw new Error(`PostgreSQL has ended: ${this.#stderr}`);
        return this.sql('SELECT 1').then(
          () => true,
          () => false,
        );
      },
      LOOK_MS,
    );
  }

  async sql(text: string, database = 'postgres'): Promise<readonly Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: this.url(database) });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  }

  /** SIGINT is its quick end in order, SIGQUIT or SIGKILL one that it has to recover from. */
  async stop(signal: NodeJS.Signals = 'SIGINT'): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((done) => child.once('exit', done));
    child.kill(signal);
    await ended;
    this.#child = undefined;
  }

  async remove(): Promise<void> {
    await this.stop('SIGQUIT');
    process.off('exit', this.#killAtExit);
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** A database with what it has, or an empty one. */
  async kept(name: string): Promise<string> {
    const found = await this.sql(`SELECT 1 FROM pg_database WHERE datname = '${name}'`);
    if (found.length === 0) await this.sql(`CREATE DATABASE "${name}"`);
    return this.url(name);
  }

  /** An empty database; one that has this name is gone. */
  async database(name: string): Promise<string> {
    await this.sql(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`);
    await this.sql(`CREATE DATABASE "${name}"`);
    return this.url(name);
  }
}
