// Credits deposits by their memos, irreversible ones only: node docs/examples/credit-deposits.mjs
import { readFileSync } from 'node:fs';
import { openClient } from 'trustnode/client';

const [dataDir = 'trustnode-dev-data', url = 'http://127.0.0.1:8090'] = process.argv.slice(2);
const accounts = JSON.parse(readFileSync(`${dataDir}/dev-accounts.json`, 'utf8'));
const bob = accounts.find((account) => account.name === 'bob');

const client = await openClient(url.replace('http', 'ws'), { keys: [bob.wif] });
const gxc = await client.asset('GXC');
// The block to begin with: an exchange keeps it in its database, in one transaction with what it has credited.
let next = 1;
const look = async () => {
  const { last_irreversible_block_num: last } = await client.database.get_dynamic_global_properties();
  for (; next <= last; next++) {
    const { transactions, transaction_ids } = await client.database.get_block({ block_num: next });
    for (const [i, { operations }] of transactions.entries()) {
      for (const [position, [tag, transfer]] of operations.entries()) {
        // Anybody can make an asset with a similar name: the id says which it is.
        if (tag !== 0 || transfer.to !== bob.id || transfer.amount.asset_id !== gxc.id) continue;
        const customer = transfer.memo && client.open(transfer.memo);
        const name = `${transaction_ids[i]}/${position}`;
        console.log(`${await client.amountText(transfer.amount)} for ${customer ?? 'the support'}: ${name}`);
        if (customer === 'hello bob') process.exit();
      }
    }
  }
};
// What is there already, and then what comes: one look at a time, or both would take the same block, and skip one.
await look();
await client.onBlock(look);
