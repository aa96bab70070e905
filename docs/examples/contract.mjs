// Deploys a contract, pays into it and reads its table: node docs/examples/contract.mjs
import { readFileSync } from 'node:fs';
import sdk from 'gxclient';

const [dataDir = 'trustnode-dev-data', url = 'http://127.0.0.1:8090'] = process.argv.slice(2);
const accounts = JSON.parse(readFileSync(`${dataDir}/dev-accounts.json`, 'utf8'));
const alice = accounts.find((account) => account.name === 'alice');
const file = (name) => readFileSync(new URL(`../../test/vectors/contracts/${name}`, import.meta.url));

const client = new sdk.GXClient(alice.wif, 'alice', url);
const name = `bank-${Date.now()}`;
const code = file('bank.wasm').toString('hex');
const abi = JSON.parse(file('bank.abi').toString());
await client.createContract(name, code, abi, '0', '0', true);
const [receipt] = await client.callContract(name, 'deposit', {}, '10 GXC', true);
console.log('the call cost', receipt.trx.operation_results[0][1].fee);
console.log('rows', JSON.stringify(await client.getTableObjects(name, 'account')));
