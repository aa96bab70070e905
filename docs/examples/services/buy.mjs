// Buys data of every source that sells it: node docs/examples/services/buy.mjs
import { Buyer } from 'trustnode/exchange';
import { PrivateKey } from 'trustnode/keys';

const [exchange = 'http://127.0.0.1:7001', account, wif, product = '1'] = process.argv.slice(2);
const buyer = new Buyer({ exchange, account: Number(account.split('.')[2]), key: PrivateKey.fromWif(wif) });
const { deliveries } = await buyer.buy(Number(product), { symbol: 'Fe' }, { unitsMax: 5000n });
for (const { source, status, data } of deliveries) console.log(`1.2.${source}`, status, data);
