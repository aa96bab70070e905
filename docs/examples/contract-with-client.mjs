// Deploys a contract, calls it and reads its table, with the package's client: node docs/examples/contract-with-client.mjs
import { readFileSync } from 'node:fs';
import { openClient } from 'trustnode/client';

const [dataDir = 'trustnode-dev-data', url = 'http://127.0.0.1:8090'] = process.argv.slice(2);
const accounts = JSON.parse(readFileSync(`${dataDir}/dev-accounts.json`, 'utf8'));
const alice = accounts.find((account) => account.name === 'alice');
const file = (name) => readFileSync(new URL(`../../test/vectors/contracts/${name}`, import.meta.url));

const client = await openClient(url, { keys: [alice.wif] });
const name = `bank-${Date.now()}`;
const deployed = await client
  .transaction()
  .add('contract_deploy', {
    name,
    account: alice.id,
    vm_type: '0',
    vm_version: '0',
    code: file('bank.wasm').toString('hex'),
    abi: JSON.parse(file('bank.abi')),
  })
  .send();
console.log('block', deployed.block_num);

const { id: contract_id } = await client.account(name);
const method_name = 'deposit';
const data = await client.database.serialize_contract_call_args({ contract: name, method: method_name, json: '{}' });
const amount = await client.amount('10 GXC');
const called = await client
  .transaction()
  .add('contract_call', { account: alice.id, contract_id, amount, method_name, data })
  .send();
const [[, result]] = called.transaction.operation_results;
console.log('the call cost', await client.amountText(result.fee), 'and', result.billed_cpu_time_us, 'µs');
const { rows } = await client.database.get_table_rows({ contract: name, table: 'account', start: 0, limit: 10 });
console.log('rows', JSON.stringify(rows));
