import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import t, { type Test } from 'tap';
import { openDatabase } from '../../../src/services/common/database.js';
import { readServer } from '../../../src/services/common/postgres.js';
import { eventually } from '../../support/eventually.js';
import { runTrustnode } from '../../support/run-trustnode.js';
import { DesWorld } from '../support/des-world.js';
import { openTestGateway, register } from '../support/gateway-world.js';
import { hasNoPostgres, PostgresServer } from './server.js';

/** A PostgreSQL that asks for TLS and a password, and one that goes away or takes nothing while somebody works on it. */

const skip = hasNoPostgres;
const PASSWORD = 'S3cret%Word';
const LOOK_MS = 20;

interface Certificate {
  readonly certificate: string;
  readonly key: string;
  /** Of who has signed it. */
  readonly authority: string;
}

/** Signed by an authority of its own, for one name or address. */
function certificateFor(folder: string, called: string): Certificate {
  const path = (name: string): string => join(folder, name);
  const openssl = (...args: string[]): void => void execFileSync('openssl', args, { stdio: 'pipe' });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const authority = path('authority.pem');
  openssl(
    ...['req', '-x509', '-days', '2', '-subj', '/CN=authority', ...newKey],
    ...['-keyout', path('authority.key'), '-out', authority],
  );
  openssl(...['req', '-subj', '/CN=server', ...newKey, '-keyout', path('server.key'), '-out', path('server.csr')]);
  writeFileSync(path('names'), `subjectAltName=${called}\n`);
  openssl(
    ...['x509', '-req', '-days', '2', '-in', path('server.csr'), '-CA', authority, '-CAkey', path('authority.key')],
    ...['-set_serial', '1', '-extfile', path('names'), '-out', path('server.pem')],
  );
  const text = (name: string): string => readFileSync(path(name), 'utf8');
  return { certificate: text('server.pem'), key: text('server.key'), authority };
}

interface Guarded {
  readonly authority: string;
  /** As the service comes: with a password, and nothing about TLS. */
  url(host: string, more?: string, password?: string): string;
}

/** A server to which the services may come with TLS and a password alone. */
async function guarded(t: Test, called: string): Promise<Guarded> {
  const { certificate, key, authority } = certificateFor(t.testdir(), called);
  const server = await PostgresServer.start({
    settings: { ssl: 'on', ssl_cert_file: 'server.pem', ssl_key_file: 'server.key' },
    rules: ['hostssl all teller 127.0.0.1/32 scram-sha-256'],
    files: { 'server.pem': certificate, 'server.key': key },
  });
  t.teardown(() => server.remove());
  await server.sql(`CREATE ROLE teller LOGIN PASSWORD '${PASSWORD}'`);
  await server.database('till');
  await server.sql('ALTER DATABASE till OWNER TO teller');
  return {
    authority,
    url: (host, more = '', password = PASSWORD) =>
      `postgres://teller:${encodeURIComponent(password)}@${host}:${server.port}/till${more}`,
  };
}

async function isEncrypted(url: string): Promise<boolean | undefined> {
  const db = await openDatabase(url, []);
  try {
    const { rows } = await sql<{ ssl: boolean }>`SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()`.execute(db);
    return rows[0]?.ssl;
  } finally {
    await db.destroy();
  }
}

const refused = (why: RegExp) => ({ key: 'database_server', message: why });

t.test('without a word about TLS this machine alone is asked without it', async (t) => {
  const isPlain = (host: string): boolean => readServer(`postgres://teller@${host}/bank`).ssl === false;
  for (const near of ['127.0.0.1', '127.1.2.3', '[::1]', 'localhost']) t.ok(isPlain(near), near);
  for (const far of ['127.db.example', '10.0.0.5', 'localhost.example']) t.notOk(isPlain(far), far);
});

t.test('a server that wants TLS, known by its address', { skip }, async (t) => {
  const { url, authority } = await guarded(t, 'IP:127.0.0.1');
  const full = `?sslmode=verify-full&sslrootcert=${authority}`;
  await t.rejects(isEncrypted(url('127.0.0.1')), refused(/no pg_hba\.conf entry .*no encryption$/), 'without it');
  t.equal(await isEncrypted(url('127.0.0.1', '?sslmode=require')), true);
  t.equal(await isEncrypted(url('127.0.0.1', full)), true);
  await t.rejects(isEncrypted(url('127.0.0.1', '?sslmode=verify-full')), refused(/unable to verify the first certif/));
  await t.rejects(isEncrypted(url('127.0.0.1', `?sslmode=verify-full&sslrootcert=${authority}.none`)), {
    key: 'database_url',
    message: /no such file/,
  });
  await t.rejects(isEncrypted(url('localhost', full)), refused(/Host: localhost\. is not cert's CN: server/));
});

t.test('one that has a certificate for something else', { skip }, async (t) => {
  const { url, authority } = await guarded(t, 'DNS:localhost');
  const by = (mode: string): string => `?sslmode=${mode}&sslrootcert=${authority}`;
  t.equal(await isEncrypted(url('localhost', by('verify-full'))), true);
  await t.rejects(
    isEncrypted(url('127.0.0.1', by('verify-full'))),
    refused(/IP: 127\.0\.0\.1 is not in the cert's list/),
  );
  t.equal(await isEncrypted(url('127.0.0.1', by('verify-ca'))), true, 'who has signed it is enough');
});

t.test('a wrong password ends the start in one line that does not tell it', { skip }, async (t) => {
  const { url } = await guarded(t, 'IP:127.0.0.1');
  const invite = (at: string) => runTrustnode(['gateway', 'invite', '1', '--data-dir', t.testdir(), '--database', at]);
  for (const [wrong, why] of [
    ['Wr0ng%Word', /password authentication failed for user "teller"$/],
    ['', /it asks for a password, and there is none in the URL and none in PGPASSWORD$/],
  ] as const) {
    const { code, stdout, stderr } = await invite(url('127.0.0.1', '?sslmode=require', wrong));
    t.not(code, 0);
    t.match(stderr.trim(), /database_server: cannot open the database postgres:\/\/teller@127\.0\.0\.1:\d+\/till: /);
    t.match(stderr.trim(), why);
    t.equal(stderr.trim().split('\n').length, 1, stderr);
    t.equal(stdout, '');
    for (const form of ['Wr0ng', encodeURIComponent('Wr0ng%Word')]) t.notOk(stderr.includes(form), 'not told');
  }
  const { code, stderr, stdout } = await invite(url('127.0.0.1', '?sslmode=require'));
  t.equal(code, 0, stderr);
  t.notOk(`${stdout}${stderr}`.includes('S3cret'));
});

t.test('while a gateway works', { skip }, async (t) => {
  const server = await PostgresServer.start();
  t.teardown(() => server.remove());
  const world = await DesWorld.start(t);
  const database = await server.database('gateway');
  const gateway = await openTestGateway(t, world.node.endpoint, world.alice, { database, wait: '0' });
  const ask = async (name: string) => {
    const { status, body } = await register(gateway.url, name);
    return [status, body.code ?? body.account?.name ?? body.txid];
  };
  const ready = async (): Promise<number> => (await fetch(`${gateway.url}/readyz`)).status;
  const AWAY = [503, 'DATABASE_UNAVAILABLE'];
  const TAKEN = [202, /^[0-9a-f]{40}$/];

  await t.test('a server that is killed in the middle of a request', async (t) => {
    const held = server
      .sql('BEGIN; LOCK TABLE registration_day; SELECT pg_sleep(600)', 'gateway')
      .catch(() => undefined);
    const waits = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = 'gateway'";
    const isHeld = "SELECT 1 FROM pg_locks WHERE relation = 'registration_day'::regclass AND granted";
    await eventually('the table is held', async () => (await server.sql(isHeld, 'gateway')).length > 0, LOOK_MS);
    const asked = ask('unlucky-1');
    await eventually('it waits', async () => (await server.sql(waits)).length > 0, LOOK_MS);
    await server.stop('SIGKILL');
    t.match(await asked, AWAY);
    await held;
    t.match(await ask('unlucky-1'), AWAY, 'nor the next one');
    await eventually('it is out of the balancer', async () => (await ready()) === 503, LOOK_MS);
    t.equal((await fetch(`${gateway.url}/healthz`)).status, 200, 'and need not be started again');
    await server.start();
    t.match(await ask('unlucky-1'), TAKEN, 'the first one after it is back');
    await eventually('it is in the balancer again', async () => (await ready()) === 200, LOOK_MS);
  });

  await t.test('its connections are ended one and all', async (t) => {
    const others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'gateway'";
    await server.sql(others);
    const [status, value] = await ask('cut-off-1');
    if (status === 503) t.match([status, value], AWAY);
    t.match(status === 503 ? await ask('cut-off-1') : [status, value], TAKEN);
  });

  await t.test('it is read alone', async (t) => {
    const readOnly = async (value: string) => {
      await server.sql(`ALTER DATABASE gateway SET default_transaction_read_only = ${value}`);
      await server.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'gateway'");
      const isSo = `SELECT current_setting('default_transaction_read_only') AS value`;
      t.match(await server.sql(isSo, 'gateway'), [{ value }]);
    };
    await readOnly('on');
    await eventually('new connections', async () => (await ask('reader-1'))[0] === 503);
    t.match(await ask('reader-1'), AWAY);
    await t.rejects(openTestGateway(t, world.node.endpoint, world.alice, { database }), {
      message: /read-only transaction/,
    });
    await readOnly('off');
    t.match(
      await eventually('a place', async () => {
        const answer = await ask('reader-1');
        return answer[0] !== 503 && answer;
      }),
      TAKEN,
    );
  });
});
