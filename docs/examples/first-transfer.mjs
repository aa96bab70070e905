// The first transfer on the development network, with the public SDK: node docs/examples/first-transfer.mjs
import { existsSync, readFileSync } from 'node:fs';
import sdk from 'gxclient';

const [dataDir = 'trustnode-dev-data', url = 'http://127.0.0.1:8090'] = process.argv.slice(2);
const file = `${dataDir}/dev-accounts.json`;
if (!existsSync(file)) {
  console.error(`There is no ${file}: start a development chain here (npm start), or name its data directory.`);
  process.exit(1);
}
const accounts = JSON.parse(readFileSync(file, 'utf8'));
const alice = accounts.find((account) => account.name === 'alice');

const client = new sdk.GXClient(alice.wif, 'alice', url);
const [receipt] = await client.transfer('bob', 'hello bob', '15 GXC', true);
console.log(`transaction ${receipt.id} is in block ${receipt.block_num}`);
console.log('bob now has', await client.getAccountBalances('bob'));
