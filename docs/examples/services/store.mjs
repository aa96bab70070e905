// Stores a file for pay and reads it back: node docs/examples/services/store.mjs
import { createHash } from 'node:crypto';
import { authorize } from 'trustnode/exchange';
import { PrivateKey } from 'trustnode/keys';

// The account by its id, such as 1.2.17.
const [given = 'http://127.0.0.1:7000', account, wif] = process.argv.slice(2);
const url = given.replace(/\/$/, '');
const bytes = new TextEncoder().encode('worth keeping');
const { data: provider } = await (await fetch(`${url}/provider`)).json();
const [{ fee_per_kbytes, asset_id }] = provider.fees;

// The price of each kilobyte that was begun; the transfer is signed by its owner and brought to the chain by the storage.
const amount = BigInt(fee_per_kbytes) * BigInt(Math.ceil(bytes.length / 1024));
const instance = (id) => Number(id.split('.')[2]);
const terms = {
  from: instance(account),
  to: instance(provider.account_id),
  proxy_account: instance(provider.account_id),
  percentage: 0,
  amount: { amount, asset_id: instance(asset_id) },
  memo: createHash('md5').update(bytes).digest('hex'),
  expiration: Math.floor(Date.now() / 1000) + 600,
};
const { signatures } = authorize(terms, PrivateKey.fromWif(wif));

const form = new FormData();
form.append('data', new Blob([bytes]));
const fields = {
  from: account,
  to: provider.account_id,
  proxy_account: provider.account_id,
  percent: '0',
  amount: String(amount),
  asset_id,
  expiration: String(terms.expiration),
  memo: terms.memo,
  signatures: Buffer.from(signatures[0]).toString('hex'),
};
for (const [name, value] of Object.entries(fields)) form.append(name, value);
const answer = await (await fetch(`${url}/store`, { method: 'POST', body: form })).json();
if (answer.code !== 200) throw new Error(`${answer.code} ${answer.msg}: ${answer.hint}`);

const { cid, txid } = answer.data;
console.log(`stored as ${cid}, paid by ${txid}`);
console.log(await (await fetch(`${url}/data/${cid}`)).text());
