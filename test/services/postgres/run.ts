import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { tellLostWork } from '../../runner/lost-work.js';
import { hasNoPostgres, PostgresServer } from './server.js';

/**
 * `npm run postgres [-- part of a name ...]`: the tests of services and exchange, or those whose name has one of the
 * parts, over one PostgreSQL that is started for it, with a database for each folder that would have a file.
 */

const ALL = ['services/', 'exchange/'];

if (hasNoPostgres !== false) throw new Error(hasNoPostgres);
tellLostWork();
const parts = process.argv.slice(2);
const server = await PostgresServer.start();
try {
  const runner = fileURLToPath(new URL('../../run.js', import.meta.url));
  const child = spawn(process.execPath, [runner, '--beside', 'postgres', ...(parts.length === 0 ? ALL : parts)], {
    stdio: 'inherit',
    env: { ...process.env, TRUSTNODE_TEST_DATABASE: server.url() },
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
  process.exitCode = await new Promise<number>((done) => child.once('exit', (code) => done(code ?? 1)));
} finally {
  await server.remove();
}
