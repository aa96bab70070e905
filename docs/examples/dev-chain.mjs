// Time, blocks and other people's accounts on a development chain: node docs/examples/dev-chain.mjs
import { openClient } from 'trustnode/client';

const [, url = 'http://127.0.0.1:8090'] = process.argv.slice(2);
const client = await openClient(url);
const dev = (method, ...params) => client.call('dev', `dev_${method}`, params);
const bobHas = async () => {
  const coins = (await client.balances('bob')).find(({ asset_id }) => asset_id === '1.3.1');
  return client.amountText(coins);
};

await dev('setProducing', false);
const before = await bobHas();
const snapshot = await dev('snapshot');

await dev('impersonate', 'bob');
const [from, to] = [await client.accountId('bob'), await client.accountId('carol')];
const payment = client.transaction().add('transfer', { from, to, amount: await client.amount('5 GXC') });
await client.network_broadcast.broadcast_transaction({ trx: { ...(await payment.build()), signatures: [] } });
console.log('bob has paid without a key:', (await dev('pending')).length, 'waits');

const { head_block_time } = await dev('mine', 2, 86_400);
console.log('two days later, at', head_block_time, 'bob has', await bobHas());
await dev('setBalance', 'bob', 'GXC', '100000');
console.log('now bob has', await bobHas());

await dev('stopImpersonate', 'bob');
await dev('revert', snapshot);
console.log('as if nothing had been:', (await bobHas()) === before);
await dev('setProducing', true);
client.close();
