import { join } from 'node:path';
import { CompiledQuery, type Kysely, type KyselyPlugin, type RootOperationNode } from 'kysely';
import t, { type Test } from 'tap';
import { PrivateKey } from '../../src/crypto/private-key.js';
import { systemClock } from '../../src/node/runtime/clock.js';
import type { ProxyTransferParams } from '../../src/protocol/proxy-transfer.js';
import { ChainNode } from '../../src/services/chain/node.js';
import { openMarket } from '../../src/services/market/market.js';
import { forgetOld } from '../../src/services/market/retention.js';
import type { MarketTables } from '../../src/services/market/tables.js';
import { Payments } from '../../src/services/payment/payments.js';
import type { PaymentTables } from '../../src/services/payment/tables.js';
import { MemoryLog } from '../support/memory-log.js';

/** What services ask of every day reads no whole table of what is kept for ever: SQLite says how it would go about it. */

/** Notes what is asked. */
class Noted implements KyselyPlugin {
  readonly nodes: { readonly node: RootOperationNode; readonly queryId: { readonly queryId: string } }[] = [];

  transformQuery({ node, queryId }: Parameters<KyselyPlugin['transformQuery']>[0]): RootOperationNode {
    this.nodes.push({ node, queryId });
    return node;
  }

  async transformResult({ result }: Parameters<KyselyPlugin['transformResult']>[0]) {
    return result;
  }
}

async function plansOf(db: Kysely<MarketTables>, { nodes }: Noted): Promise<string[]> {
  const out: string[] = [];
  for (const { node, queryId } of nodes.splice(0)) {
    const { sql, parameters } = db.getExecutor().compileQuery(node, queryId);
    const explain = CompiledQuery.raw(`EXPLAIN QUERY PLAN ${sql}`, [...parameters]);
    const { rows } = await db.executeQuery<{ readonly detail: string }>(explain);
    out.push(...rows.map(({ detail }) => detail));
  }
  return out;
}

async function opened(t: Test) {
  const folder = join(t.testdir(), 'market');
  const db = await openMarket({ 'data-dir': folder, database: undefined });
  t.teardown(() => db.destroy());
  const noted = new Noted();
  return { db, noted, asked: db.withPlugin(noted) };
}

/** Has money. */
class Rich extends ChainNode {
  override async balance(): Promise<bigint> {
    return 1000n;
  }
}

t.test('what the market forgets each minute', async (t) => {
  const { db, noted, asked } = await opened(t);
  const NOW_MS = 1_600_000_000_000;
  const row = { request_id: 'r', product_id: 1, buyer: 17, source: 18, asset: 1, units: '5', percent: 0 };
  for (const [id, outcome] of ['FAIL', 'SUCCESS', 'NONE'].entries()) {
    const delivery = { ...row, id, outcome: outcome as 'FAIL', signature: String(id), answer_ms: null, created_ms: 0 };
    await db.insertInto('delivery').values(delivery).execute();
  }
  await forgetOld(asked, NOW_MS);
  const plans = await plansOf(db, noted);
  t.ok(plans.length > 0);
  t.same(
    plans.filter((plan) => /^SCAN (?:delivery|notification)\b/.test(plan)),
    [],
  );
  const left = await db.selectFrom('delivery').select('outcome').execute();
  t.same(left, [{ outcome: 'SUCCESS' }], 'what was delivered stays');
});

t.test('payments', async (t) => {
  const { db, noted, asked } = await opened(t);
  const payments = new Payments(
    asked.withTables<PaymentTables>(),
    new Rich('http://127.0.0.1:1', 1000, systemClock),
    { account: 18, key: PrivateKey.fromSeed('payments'), chainId: '0'.repeat(64), feeAsset: 1 },
    {
      purpose: 'test',
      releaseAt: 'sent',
      keepsReserved: false,
      paid: async () => undefined,
      unpaid: async () => undefined,
    },
    { refused: () => undefined },
    { owner: 'this one', clock: systemClock, log: new MemoryLog() },
    30,
  );
  const request: ProxyTransferParams = {
    from: 17,
    to: 18,
    proxy_account: 18,
    amount: { amount: 20n, asset_id: 1 },
    percentage: 0,
    memo: '',
    expiration: 1_600_000_000,
    signatures: [new Uint8Array(65)],
  };
  t.equal(await payments.reserve(request), 'reserved');
  await payments.counts();
  await payments.releases.settled(1, 1);
  const plans = await plansOf(db, noted);
  const payer = plans.filter((plan) => plan.includes('payer=?') && plan.includes(' payment '));
  t.match(payer, [/state=\?\)/, /sent_ms>\?\)/], 'not all that one payer has ever paid');
  const whole = plans.filter((plan) => /^SCAN payment\b(?!.*COVERING)/.test(plan));
  t.same(whole, [], 'nor all of them');
  t.match(
    plans.filter((plan) => plan.includes('purpose=?')),
    [/COVERING INDEX payment_purpose/],
    'how many there are',
  );
});
