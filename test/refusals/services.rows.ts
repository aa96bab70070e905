import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import type { ErrorRow } from '../../src/base/errors.js';
import { moveDatabase } from '../../src/commands/service/move-database.js';
import { anyCaller } from '../../src/http/caller.js';
import { systemClock } from '../../src/node/runtime/clock.js';
import { systemRandom } from '../../src/node/runtime/random.js';
import { CHAIN_ERRORS } from '../../src/services/chain/errors.js';
import { ChainNode } from '../../src/services/chain/node.js';
import { checkFile, openDatabase } from '../../src/services/common/database.js';
import { DATABASE_ERRORS } from '../../src/services/common/database-errors.js';
import {
  INSTANCE_ERRORS,
  INSTANCE_TABLES,
  Instances,
  type InstanceTables,
} from '../../src/services/common/instances.js';
import { checkOutside, OUTSIDE_ERRORS } from '../../src/services/common/outside.js';
import { objectOf, SCHEMA_ERRORS, textOf } from '../../src/services/common/schema.js';
import { BLOCK_FILE_ERRORS, BlockFiles } from '../../src/services/content/block-files.js';
import type { ContentStore } from '../../src/services/content/content-store.js';
import { checkParams } from '../../src/services/datasource/answerer.js';
import { DATASOURCE_ERRORS } from '../../src/services/datasource/errors.js';
import { PAYMENT_TABLES } from '../../src/services/payment/tables.js';
import { STORAGE_ERRORS } from '../../src/services/storage/errors.js';
import { gatewayAnswer } from '../../src/services/storage/gateway.js';
import { SpoolFolder } from '../../src/services/storage/spool.js';
import { MemoryLog } from '../support/memory-log.js';
import { assertion, type Refusal } from './define.js';

/** Refusals of the services that need no chain; the others are met in services/storage. */

const folder = mkdtempSync(join(tmpdir(), 'trustnode-refusals-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const blocks = new BlockFiles(join(folder, 'blocks'));
const block = 'ab'.repeat(32);
const failing = (error: object) => (): never => {
  throw error;
};
const name = objectOf({ name: textOf({ wanted: 'a name', pattern: /^[a-z]+$/, charsMax: 5 }) });

const request = {
  method: 'GET',
  path: '/ipfs/x',
  query: '',
  caller: anyCaller('10.0.0.1'),
  connection: undefined,
  header: () => '',
};
// Neither of the two gets so far as to ask it.
const store = undefined as unknown as ContentStore;

/** What clients know by a number and a name of its own. */
function coded(row: ErrorRow, code: number, wireName: string, text: string, raise: () => unknown): Refusal {
  return { row, code, name: wireName, message: `${wireName}: ${text}`, raise };
}

async function damagedBlock(): Promise<unknown> {
  await blocks.write(block, Buffer.from('not what its name says'));
  return blocks.read(block);
}

async function laterDatabase(): Promise<unknown> {
  const file = join(folder, 'later.db');
  const later = {
    name: 'payment',
    migrations: { ...PAYMENT_TABLES.migrations, '9_later': { up: async () => undefined } },
  };
  await (await openDatabase(file, [later])).destroy();
  return openDatabase(file, [PAYMENT_TABLES]);
}

function brokenFile(): Promise<unknown> {
  const file = join(folder, 'broken.db');
  writeFileSync(file, 'this is no database, though it is long enough to be looked at as one'.repeat(20));
  return openDatabase(file, [PAYMENT_TABLES]);
}

/** Two of one process, as both are alive for certain. */
async function otherChain(): Promise<unknown> {
  const at = join(folder, 'instances.db');
  const db = await openDatabase<InstanceTables>(at, [INSTANCE_TABLES]);
  const world = { clock: systemClock, random: systemRandom, log: new MemoryLog() };
  const enter = (chain: string) =>
    Instances.enter({ db, at, service: 'des', agreed: { chain }, registry: new Registry(), ...world });
  const first = await enter('one');
  try {
    return await enter('two');
  } finally {
    await first.leave();
    await db.destroy();
  }
}

const spools = new SpoolFolder(folder, systemRandom);

export const refusals: readonly Refusal[] = [
  assertion(SCHEMA_ERRORS.service_value, 'it has to be a name', () => name.fromJson({ name: 'ABC' })),
  assertion(SCHEMA_ERRORS.service_missing, 'it is missing', () => name.fromJson({})),
  assertion(
    DATABASE_ERRORS.database_missing,
    'the services keep their data with better-sqlite3, which is not installed: install this program again with the Node that runs it',
    () => openDatabase('x', [], {}, failing(Object.assign(new Error('x'), { code: 'MODULE_NOT_FOUND' }))),
  ),
  assertion(
    DATABASE_ERRORS.database_broken,
    'better-sqlite3 does not load on this machine (no build for this Node): install this program again with the Node that runs it',
    () => openDatabase('x', [], {}, failing(new Error('no build for this Node\nand more'))),
  ),
  assertion(
    DATABASE_ERRORS.database_file,
    `cannot open the database ${folder}/broken.db: file is not a database`,
    brokenFile,
  ),
  assertion(
    DATABASE_ERRORS.database_newer,
    `the database ${folder}/later.db was written by a later version of this program`,
    laterDatabase,
  ),
  assertion(
    DATABASE_ERRORS.database_driver,
    'PostgreSQL is reached with pg, which is not installed: npm install pg',
    () =>
      openDatabase(
        'postgres://localhost/x',
        [],
        {},
        failing(Object.assign(new Error('x'), { code: 'MODULE_NOT_FOUND' })),
      ),
  ),
  assertion(
    DATABASE_ERRORS.database_url,
    'the URL of the database: sslmode is one of disable, require, verify-ca, verify-full',
    () => openDatabase('postgres://localhost/x?sslmode=perhaps', []),
  ),
  assertion(
    DATABASE_ERRORS.database_server,
    'cannot open the database postgres://me@127.0.0.1:1/x: connect ECONNREFUSED 127.0.0.1:1',
    () => openDatabase('postgres://me:secret@127.0.0.1:1/x', []),
  ),
  assertion(
    DATABASE_ERRORS.database_target,
    'option database has to be the postgres:// URL of the database to move to',
    () => moveDatabase({ 'data-dir': folder, database: undefined }, 'x', [], undefined as never),
  ),
  assertion(
    DATABASE_ERRORS.database_dump,
    'the database postgres://me@localhost:5432/x is copied with pg_dump and put back with pg_restore',
    async () => checkFile('postgres://me:secret@localhost/x'),
  ),
  assertion(
    INSTANCE_ERRORS.instance_disagrees,
    `another des (process ${process.pid} on ${hostname()}) works on this database with chain one, and this one would with chain two`,
    otherChain,
  ),
  assertion(BLOCK_FILE_ERRORS.content_missing, `the block ${'cd'.repeat(32)} is missing`, () =>
    blocks.read('cd'.repeat(32)),
  ),
  assertion(BLOCK_FILE_ERRORS.content_damaged, `the block ${block} is damaged`, damagedBlock),
  assertion(BLOCK_FILE_ERRORS.content_disk, "cannot keep a block: ENOTDIR: not a directory, mkdir '/dev/null/ab'", () =>
    new BlockFiles('/dev/null').write(block, new Uint8Array()),
  ),
  assertion(
    CHAIN_ERRORS.chain_unreachable,
    'the node at http://127.0.0.1:1 does not answer: http://127.0.0.1:1 does not answer',
    () => new ChainNode('http://127.0.0.1:1', 1000, systemClock).head(),
  ),
  coded(STORAGE_ERRORS.storage_size, 407, 'DATA_OVER_SIZE', 'the data may have at most 3 bytes', () =>
    spools.open(3).write(Buffer.from('four')),
  ),
  coded(
    STORAGE_ERRORS.storage_format,
    406,
    'NOT_ACCEPTABLE',
    'blocks are given as format=raw or format=car; whole files are at /data',
    () => gatewayAnswer(store, request, 'x', {}),
  ),
  coded(STORAGE_ERRORS.storage_no_data, 401, 'NO_EXIT', 'nothing is stored here under this id', () =>
    gatewayAnswer(store, request, 'x', { format: 'raw' }),
  ),
  assertion(OUTSIDE_ERRORS.outside_url, 'it has to be a whole URL of http or https, without a user name', () =>
    checkOutside('ftp://example.com/', false),
  ),
  assertion(
    OUTSIDE_ERRORS.outside_private,
    '127.0.0.1 is an address of this machine, of a private network, or of no host',
    () => checkOutside('http://0x7f.1/', false),
  ),
  assertion(DATASOURCE_ERRORS.datasource_params, 'age: it has to be a whole number', () =>
    checkParams({ age: '5' }, { age: { type: 'integer', required: true } }),
  ),
];
