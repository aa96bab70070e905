// A payment with the parts of the wallet: node docs/examples/wallet-parts.mjs
import { readFileSync } from 'node:fs';
import { connect } from 'trustnode/client';
import { PrivateKey } from 'trustnode/keys';
import { transferOperation } from 'trustnode/operations/transfers';
import {
  confirmTransaction,
  idOfTransaction,
  Keyring,
  parseAmount,
  signWithFewest,
  TransactionBuilder,
} from 'trustnode/wallet';

const [dataDir = 'trustnode-dev-data', url = 'http://127.0.0.1:8090'] = process.argv.slice(2);
const accounts = JSON.parse(readFileSync(`${dataDir}/dev-accounts.json`, 'utf8'));
const carol = accounts.find((account) => account.name === 'carol');

// Of a wallet file: new Keyring(network, readWalletFile(file, network).cipher_keys), then unlock(password).
const keys = new Keyring({ keyPrefix: 'GXC' });
keys.setPassword('a password');
keys.unlock('a password');
keys.add(PrivateKey.fromWif(carol.wif));

const client = await connect(url);
const from = await client.database.get_account_by_name({ name: 'carol' });
const to = await client.database.get_account_by_name({ name: 'bob' });
const [gxc] = await client.database.lookup_asset_symbols({ symbols_or_ids: ['GXC'] });
const amount = { amount: parseAmount('2.5', gxc), asset_id: gxc.id };

const unsigned = await new TransactionBuilder(client).add(transferOperation, { from: from.id, to: to.id, amount }).build();
const trx = await signWithFewest(client, unsigned, keys);
// Kept before it is sent: whatever happens now, sending this one again is never a second payment.
console.log('the transaction is', idOfTransaction(trx));
await client.network_broadcast.broadcast_transaction({ trx });
const { state, block_num } = await confirmTransaction(client, trx, {
  until: 'block',
  onChange: (status) => console.log('it is', status.state),
});
console.log(`2.5 GXC from carol to bob: ${state} in block ${block_num}`);
