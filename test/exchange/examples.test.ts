import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import t from 'tap';
import { PrivateKey } from '../../src/crypto/private-key.js';
import { accountId } from '../../src/protocol/ids.js';
import { Buyer } from '../../src/trade/buyer.js';
import { eventually } from '../support/eventually.js';
import { projectPath } from '../support/paths.js';
import { LocalExchange } from './local-exchange.js';

/** Programs that the pages of market, exchange, storage and PostgreSQL show are files that are run against the services. */

const run = promisify(execFile);
const FOLDER = projectPath('docs', 'examples', 'services');
const PAGES = ['exchange.md', 'market.md', 'postgres.md', 'storage.md'];

t.test('the pages show the files as they are, each once', async (t) => {
  const shown = PAGES.map((page) => readFileSync(projectPath('docs', page), 'utf8')).join('\n');
  const names = readdirSync(FOLDER);
  t.equal(names.length, 4);
  for (const name of names) {
    const program = `\`\`\`js\n${readFileSync(`${FOLDER}/${name}`, 'utf8')}\`\`\`\n`;
    t.equal(shown.split(program).length, 2, name);
  }
});

t.test('the programs', async (t) => {
  const place = new LocalExchange(t.testdir(), () => undefined);
  t.teardown(() => place.close());
  await place.start();
  const { id, wif } = place.buyer.account;
  const of = async (name: string, ...args: readonly string[]): Promise<string> =>
    (await run(process.execPath, [`${FOLDER}/${name}.mjs`, ...args])).stdout;

  const key = PrivateKey.fromWif(wif);
  const buyer = new Buyer({ exchange: place.exchange, account: accountId.fromJson(id), key });
  await eventually('the source is there', async () => (await buyer.product(place.product)).online.length > 0);
  const bought = await of('buy', place.exchange, id, wif, String(place.product));
  t.match(bought, /^1\.2\.\d+ SUCCESS \{.*name: 'Iron'/s);
  t.match(await of('market', place.market, id, wif), /^\d+: Facts about chemical elements\npaid this month: [\d.]+\n$/);
  t.match(
    await of('store', `${place.storage}/`, id, wif),
    /^stored as Qm\w{44}, paid by [0-9a-f]{40}\nworth keeping\n$/,
  );
  const lines = (await of('instances', place.market, place.exchange, place.storage)).trim().split('\n');
  t.equal(lines.length, 3);
  for (const line of lines) t.match(line, /^http:\/\/127\.0\.0\.1:\d+: 200 .*, [12] instance\(s\)$/);
});
