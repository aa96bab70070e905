// Waits for money with an encrypted memo, as an exchange does: node docs/examples/deposits.mjs
import { readFileSync } from 'node:fs';
import wallet from 'gxbjs';
import sdk from 'gxclient';

const [dataDir = 'trustnode-dev-data', url = 'http://127.0.0.1:8090'] = process.argv.slice(2);
const accounts = JSON.parse(readFileSync(`${dataDir}/dev-accounts.json`, 'utf8'));
const bob = accounts.find((account) => account.name === 'bob');
const key = wallet.PrivateKey.fromWif(bob.wif);

// From block 1. The client tells only of irreversible blocks, and of some transactions more than once.
new sdk.GXClient(bob.wif, bob.id, url).detectTransaction(1, (block, txid, [tag, transfer]) => {
  if (tag !== 0 || transfer.to !== bob.id || transfer.memo === undefined) return;
  const { from, nonce, message } = transfer.memo;
  const memo = wallet.Aes.decrypt_with_checksum(key, from, nonce, message);
  console.log(`${transfer.amount.amount / 1e5} GXC in block ${block}, transaction ${txid}, memo: ${memo}`);
  process.exit();
});
