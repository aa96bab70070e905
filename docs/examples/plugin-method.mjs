// Asks a plugin what the client does not declare: node docs/examples/plugin-method.mjs
import { openClient } from 'trustnode/client';

const [, url = 'http://127.0.0.1:8090'] = process.argv.slice(2);
const client = await openClient(url);
const { id } = await client.account('alice');
const operations = await client.call('history', 'get_account_history', [id, '1.11.0', 3, '1.11.0']);
console.log(`the plugin account_history knows of ${operations.length} operation(s) of ${id}`);
for (const { id: entry, block_num } of operations) console.log(`${entry} in block ${block_num}`);
client.close();
