// Links into the explorer for a payment and for what a person typed: node docs/examples/explorer-links.mjs
import { readFileSync } from 'node:fs';
import { openClient } from 'trustnode/client';

const [dataDir = 'trustnode-dev-data', url = 'http://127.0.0.1:8090'] = process.argv.slice(2);
const accounts = JSON.parse(readFileSync(`${dataDir}/dev-accounts.json`, 'utf8'));
const { wif } = accounts.find((account) => account.name === 'carol');
const link = (...words) => `${url}/#/${words.map(encodeURIComponent).join('/')}`;

const client = await openClient(url, { keys: [wif] });
const paid = await client.transfer({ from: 'carol', to: 'alice', amount: '0.5 GXC' });
console.log('the receipt:', link('tx', paid.id));
console.log('who has got it:', link('account', 'alice'));

// The page finds out what it is; names that begin so come from the method that its field asks.
const typed = 'ali';
console.log('whatever it is:', link('search', typed));
const names = await client.database.lookup_accounts({ lower_bound_name: typed, limit: 3 });
for (const [name] of names) if (name.startsWith(typed)) console.log(`${name}:`, link('account', name));
