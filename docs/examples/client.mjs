// Asks, pays, waits and follows with the package's client: node docs/examples/client.mjs
import { readFileSync } from 'node:fs';
import { openClient } from 'trustnode/client';

const [dataDir = 'trustnode-dev-data', url = 'http://127.0.0.1:8090'] = process.argv.slice(2);
const accounts = JSON.parse(readFileSync(`${dataDir}/dev-accounts.json`, 'utf8'));
const { wif } = accounts.find((account) => account.name === 'alice');

const client = await openClient(url.replace('http', 'ws'), { keys: [wif] });
const carol = await client.account('carol');
console.log('carol is', carol.id, 'and has', (await client.balances('carol')).length, 'assets');

const paid = await client.transfer({ from: 'alice', to: 'carol', amount: '1.5 GXC', memo: 'for the tea' });
const [[, transfer]] = paid.transaction.operations;
console.log(`${await client.amountText(transfer.amount)} for a fee of ${await client.amountText(transfer.fee)}: ${paid.state}`);

const asset = { issuer: '1.2.0', symbol: 'GXC' };
const refused = await client.transaction().add('asset_create', asset).send().catch((error) => error);
console.log('refused:', refused.key);

let left = 2;
await client.onBlock(({ number }) => {
  console.log('block', number);
  if (--left === 0) client.close();
});
