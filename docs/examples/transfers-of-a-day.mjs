// Sums of all transfers by asset, block by block and without an index: node docs/examples/transfers-of-a-day.mjs
import { openClient } from 'trustnode/client';

const [, url = 'http://127.0.0.1:8090'] = process.argv.slice(2);
const client = await openClient(url);
const { last_irreversible_block_num: last } = await client.database.get_dynamic_global_properties();
const BLOCKS_A_DAY = 28_800;
const sums = new Map();
let count = 0;
for (let block_num = Math.max(1, last - BLOCKS_A_DAY + 1); block_num <= last; block_num++) {
  const { transactions } = await client.database.get_block({ block_num });
  for (const [tag, { amount }] of transactions.flatMap(({ operations }) => operations)) {
    if (tag !== 0) continue;
    count++;
    sums.set(amount.asset_id, (sums.get(amount.asset_id) ?? 0n) + amount.amount);
  }
}
console.log(`${count} transfers`);
for (const [asset_id, amount] of sums) console.log(await client.amountText({ amount, asset_id }));
