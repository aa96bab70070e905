// A payment with the client that the package exports: node docs/examples/typed-client.mjs
import { readFileSync } from 'node:fs';
import { connect } from 'trustnode/client';
import { PrivateKey } from 'trustnode/keys';
import { transferOperation } from 'trustnode/operations/transfers';
import { buildTransaction, operationOf, signTransaction } from 'trustnode/transactions';

const [dataDir = 'trustnode-dev-data', url = 'http://127.0.0.1:8090'] = process.argv.slice(2);
const accounts = JSON.parse(readFileSync(`${dataDir}/dev-accounts.json`, 'utf8'));
const carol = accounts.find((account) => account.name === 'carol');

const client = await connect(url);
const from = await client.database.get_account_by_name({ name: 'carol' });
const to = await client.database.get_account_by_name({ name: 'bob' });
const amount = { amount: 300_000n, asset_id: 1 };
const transfer = operationOf(transferOperation, { from: from.id, to: to.id, amount, memo: undefined, extensions: [] });
const unsigned = await buildTransaction(client, [transfer]);
console.log('the fee is', unsigned.operations[0][1].fee);

const chainId = await client.database.get_chain_id();
const trx = signTransaction(unsigned, chainId, [PrivateKey.fromWif(carol.wif)]);
const { block_num } = await client.network_broadcast.broadcast_transaction_synchronous({ trx });
console.log(`3 GXC from carol to bob are in block ${block_num}`);
