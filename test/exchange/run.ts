import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { tellLostWork } from '../runner/lost-work.js';
import { hasNoPostgres, PostgresServer } from '../services/postgres/server.js';
import { firstPurchase } from './first-purchase.js';
import { LocalExchange } from './local-exchange.js';

/**
 * `npm run exchange [-- --data-dir F] [--postgres]`: a whole exchange of data on this machine, with a product, a seller, a buyer and a
 * first purchase, to play with until Ctrl-C. Without --data-dir its data goes when it ends; with it the next run goes on.
 * With --postgres all of them keep their data in a PostgreSQL that is started for them.
 */

const { values } = parseArgs({ options: { 'data-dir': { type: 'string' }, postgres: { type: 'boolean' } } });
if (values.postgres === true && hasNoPostgres !== false) throw new Error(hasNoPostgres);
const given = values['data-dir'];
const folder = given === undefined ? mkdtempSync(join(tmpdir(), 'trustnode-exchange-')) : resolve(given);
mkdirSync(folder, { recursive: true });
const say = (line: string): void => void process.stdout.write(`${line}\n`);

tellLostWork();
const end = new AbortController();
const ended = new Promise<void>((done) => end.signal.addEventListener('abort', () => done()));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => end.abort());

say(`data in      ${folder}`);
let server: PostgresServer | undefined;

async function startServer(): Promise<PostgresServer> {
  server = await PostgresServer.start(
    // The path of a socket may have a hundred letters only.
    given === undefined
      ? {}
      : { folder: join(folder, 'postgres'), settings: { unix_socket_directories: '', fsync: 'on' } },
  );
  say(
    `database     ${server.url()}  PostgreSQL, with one for market and exchange, one for storage, one for the gateway`,
  );
  return server;
}

const databases = values.postgres === true ? startServer() : undefined;
const place = new LocalExchange(folder, say, async (name) => (await databases)?.kept(name));

let isUp = false;

async function play(): Promise<void> {
  await place.start();
  await firstPurchase(place, say);
  say('');
  say('once more:');
  say(`  npx trustnode buy ${place.product} symbol=Au --exchange ${place.exchange} --node ${place.chain.nodeUrl} \\`);
  say(`    --account ${place.buyer.account.id} --key-file ${place.buyerKeyFile}`);
  say('money for somebody new, in smallest units:');
  say(`  curl ${place.chain.nodeUrl} -d '{"id":1,"method":"dev_faucet","params":["NAME",5000000]}'`);
  isUp = true;
  say('all of it is up; Ctrl-C ends it');
}

// A Ctrl-C may reach the programs too, and whoever waits for them.
const playing = play().catch((error: unknown) => {
  if (!end.signal.aborted) throw error;
});
try {
  await Promise.race([ended, playing.then(() => ended)]);
  say('ending all programs');
  // What is only being started has nothing to put in order.
  const codes = isUp ? await place.stop() : [];
  if (codes.some((code) => code !== 0 && code !== null)) throw new Error(`exit codes: ${codes.join(' ')}`);
} finally {
  await place.close();
  await playing.catch(() => undefined);
  await databases?.catch(() => undefined);
  await (given === undefined ? server?.remove() : server?.stop());
  if (given === undefined) rmSync(folder, { recursive: true, force: true });
}
process.exit();
