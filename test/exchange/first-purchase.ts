import { PrivateKey } from '../../src/crypto/private-key.js';
import { accountId } from '../../src/protocol/ids.js';
import { Buyer, type Delivery } from '../../src/trade/buyer.js';
import { eventually } from '../support/eventually.js';
import type { LocalExchange, Say } from './local-exchange.js';

/** One purchase in a local exchange, and what market and chain tell of it afterwards. */

const PATIENCE_MS = 300_000;
const LOOK_MS = 200;

interface Sums {
  readonly paidAmount: number;
  readonly incomeAmount: number;
  readonly transferCount: number;
}

export async function firstPurchase(place: LocalExchange, say: Say): Promise<void> {
  const { account } = place.buyer;
  const buyer = new Buyer({
    exchange: place.exchange,
    account: accountId.fromJson(account.id),
    key: PrivateKey.fromWif(account.wif),
  });
  const known = await eventually(
    'the source is there',
    async () => {
      const found = await buyer.product(place.product);
      return found.online.length > 0 ? found : undefined;
    },
    LOOK_MS,
  );
  say(
    `question     ${place.exchange}/api/product/${place.product}  ${known.online.length} source is there; asked for Fe`,
  );
  const requestId = await buyer.ask(known, { symbol: 'Fe' }, { unitsMax: known.price.units });
  const { deliveries } = await buyer.wait(requestId, PATIENCE_MS);
  const [delivery] = deliveries as [Delivery | undefined];
  if (delivery?.status !== 'SUCCESS') {
    const { source, status, comment } = delivery ?? {};
    throw new Error(`nothing was delivered: ${status ?? 'no answer'} ${comment ?? ''} of the source 1.2.${source}`);
  }
  say(`answer       ${place.exchange}/api/request/${requestId}  ${JSON.stringify(delivery.data)}`);
  const block = await blockWith(place, delivery.txid ?? '');
  say(`payment      ${delivery.txid} in block ${block}`);
  const { data } = await place.buyer.get<{ overview: { consumeAmount: number; balance: number } }>(
    '/market/bill/total',
  );
  const { overview: bill } = data;
  say(
    `bill         ${place.market}/market/bill/total  the buyer has paid ${bill.consumeAmount}, and has ${bill.balance} left`,
  );
  const { data: earned } = await place.seller.get<Sums>('/market/income');
  say(
    `income       ${place.market}/market/income  the seller got ${earned.incomeAmount} of ${earned.paidAmount} for ${earned.transferCount} answers`,
  );
}

async function blockWith({ chain }: LocalExchange, txid: string): Promise<number> {
  let next = Math.max(1, (await chain.head()).number - 20);
  return eventually(
    `${txid} in a block`,
    async () => {
      const block = await chain.client.database.get_block({ block_num: next });
      if (block === undefined) return undefined;
      return block.transaction_ids.includes(txid) ? next : void next++;
    },
    LOOK_MS,
  );
}
