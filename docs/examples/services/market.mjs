// Looks for products, asks for one's own bill: node docs/examples/services/market.mjs
import { marketCallText, signText } from 'trustnode/exchange';
import { PrivateKey } from 'trustnode/keys';

const [url = 'http://127.0.0.1:7100', account, wif] = process.argv.slice(2);

async function call(target) {
  const timestamp = String(Date.now());
  // What is signed: who calls, what for, and when, so that nobody can use it again.
  const text = marketCallText(account, { method: 'GET', target, body: new Uint8Array() }, timestamp);
  const signature = signText(text, PrivateKey.fromWif(wif));
  const headers = {
    'X-Market-Account': account,
    'X-Market-Timestamp': timestamp,
    'X-Market-Signature': signature,
  };
  const { code, msg, hint, data } = await (await fetch(url + target, { headers })).json();
  if (code !== 1) throw new Error(`${code} ${msg}: ${hint}`);
  return data;
}

for (const product of await call('/market/product/search?text=element')) {
  console.log(`${product.productId}: ${product.productName}`);
}
const { consumeAmount } = await call(`/market/bill/monthTotal?date=${new Date().toISOString().slice(0, 7)}`);
console.log(`paid this month: ${consumeAmount}`);
