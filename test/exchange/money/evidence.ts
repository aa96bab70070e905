import type { Kysely } from 'kysely';
import { toHex } from '../../../src/base/bytes.js';
import type { Asset } from '../../../src/protocol/asset.js';
import type { ProxyTransferParams } from '../../../src/protocol/proxy-transfer.js';
import type { AllTables } from '../../../src/services/des/legs.js';
import type { DevChain } from '../dev-chain.js';
import type { Entry, Journal } from './journal.js';
import type { Charge, Evidence, LegSeen, Moved, ReleaseAt } from './judge.js';
import { PERCENT, type People, PRICE } from './phase.js';
import { elementsOf, type Purchases } from './purchases.js';

/** What the judge has to know: from the blocks of the chain, from what buyers saw, and what the exchange says is lost. */

interface Sources {
  readonly chain: DevChain;
  readonly db: Kysely<AllTables>;
  readonly journal: Journal;
  readonly people: People;
  readonly seen: Purchases;
  readonly releaseAt: ReleaseAt;
  readonly isUndone: boolean;
}

const [TRANSFER, PROXY_TRANSFER] = [0, 73];
const idOf = (instance: number): string => `1.2.${instance}`;

export async function evidenceOf(sources: Sources): Promise<Evidence> {
  const { chain, journal, people, releaseAt, isUndone } = sources;
  const begun = journal.entries.find((entry): entry is Extract<Entry, { kind: 'begun' }> => entry.kind === 'begun');
  if (begun === undefined) throw new Error('the run has not begun');
  const { charges, moved } = await payments(chain, people, begun.block + 1);
  const accounts = await Promise.all(
    Object.entries(begun.before).map(async ([id, units]) => ({
      id,
      before: BigInt(units),
      after: await chain.balance(id),
    })),
  );
  const legs = await legsSeen(sources);
  const exchange = people.exchange.id;
  return { releaseAt, price: PRICE, percent: PERCENT, exchange, accounts, legs, charges, moved, isUndone };
}

async function legsSeen({ db, seen }: Sources): Promise<readonly LegSeen[]> {
  const lost = await db.selectFrom('payment').select('signature').where('state', '=', 'lost').execute();
  const lostOnes = new Set(lost.map(({ signature }) => signature));
  const legs = new Map<string, LegSeen>();
  for (const { asked, seen: request } of seen.all) {
    for (const { requestParams } of elementsOf(asked)) {
      const { from: buyer, to: source, signatures } = requestParams;
      const [signature] = signatures;
      // The same authorization again is no second leg.
      if (legs.has(signature)) continue;
      const leg = request.leg(source);
      const shown = { status: leg?.status ?? '', txid: leg?.txid ?? null, isData: typeof leg?.data === 'string' };
      legs.set(signature, { signature, buyer, source, ...shown, isLost: lostOnes.has(signature) });
    }
  }
  return [...legs.values()];
}

interface Transferred {
  readonly fee: Asset;
  readonly from: number;
  readonly to: number;
  readonly amount: Asset;
}

async function payments(chain: DevChain, { exchange, buyers, sources }: People, from: number) {
  const own = new Set([exchange, ...buyers, ...sources].map(({ id }) => id));
  const charges: Charge[] = [];
  const moved: Moved[] = [];
  const { number: head } = await chain.head();
  for (let number = from; number <= head; number++) {
    const block = await chain.client.database.get_block({ block_num: number });
    if (block === undefined) throw new Error(`there is no block ${number}`);
    for (const [i, { operations }] of block.transactions.entries()) {
      for (const [tag, body] of operations) {
        if (tag === TRANSFER) {
          const { fee, from: payer, to, amount } = body as unknown as Transferred;
          const one = { from: idOf(payer), to: idOf(to), units: amount.amount, fee: fee.amount };
          if (own.has(one.from) || own.has(one.to)) moved.push(one);
        } else if (tag === PROXY_TRANSFER) {
          const { fee, request_params } = body as unknown as { fee: Asset; request_params: ProxyTransferParams };
          if (idOf(request_params.proxy_account) !== exchange.id) continue;
          charges.push({
            signature: toHex(request_params.signatures[0] as Uint8Array),
            txid: block.transaction_ids[i] as string,
            from: idOf(request_params.from),
            to: idOf(request_params.to),
            units: request_params.amount.amount,
            percent: request_params.percentage,
            fee: fee.amount,
          });
        }
      }
    }
  }
  return { charges, moved };
}
