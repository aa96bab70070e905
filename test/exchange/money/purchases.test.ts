import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Kysely } from 'kysely';
import t, { type Test } from 'tap';
import { openExchangeDatabase } from '../../../src/services/des/des.js';
import type { AllTables } from '../../../src/services/des/legs.js';
import type { DevChain } from '../dev-chain.js';
import { Journal } from './journal.js';
import { Purchases } from './purchases.js';

/** What buyers are taken to have seen, where requests share authorizations. */

const BUYER = '1.2.20';
const SOURCES = ['1.2.22', '1.2.23'];

const bodyOf = (signatures: readonly string[]): string =>
  JSON.stringify(
    signatures.map((signature, i) => ({ requestParams: { from: BUYER, to: SOURCES[i], signatures: [signature] } })),
  );

/** As an exchange has recorded it. */
async function record(db: Kysely<AllTables>, request_id: string, signatures: readonly string[]): Promise<void> {
  const none = { asked_ms: null, answer_ms: null, data: null, answer_nonce: null, params: null, decided_ms: null };
  const leg = { ...none, source_key: '', buyer_key: '', nonce: '1', nonce_is_text: 0, memo: '', comment: '' };
  const rows = signatures.map((signature, position) => ({
    ...{ ...leg, request_id, signature, position, source: 22 + position },
    ...{ deadline_ms: 0, expiration: 0, outcome: 'SUCCESS' as const, created_ms: 0 },
  }));
  await db.insertInto('des_leg').values(rows).execute();
}

/** One that shows every request as delivered by all sources. */
async function exchange(t: Test): Promise<string> {
  const server = createServer((_request, answer) => {
    const datasources = SOURCES.map((datasource) => ({ datasource, status: 'SUCCESS', data: null, txid: 'ab' }));
    answer.end(JSON.stringify({ status: 'FINISHED', total: datasources.length, datasources }));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

t.test('one of its authorizations in another request does not make it that request', async (t) => {
  const folder = t.testdir();
  const db = await openExchangeDatabase({ 'data-dir': folder, database: undefined });
  t.teardown(() => db.destroy());
  await record(db, 'mixed', ['a0', 'b1']);
  await record(db, 'lost', ['c0', 'c1']);
  const journal = new Journal(join(folder, 'journal.jsonl'));
  const asked = { kind: 'asked', product: 2 } as const;
  // For want of money, which came just afterwards.
  journal.write({ ...asked, n: 7, key: '7', body: bodyOf(['a0', 'a1']) });
  journal.write({ kind: 'refused', key: '7', code: 'BALANCE_NOT_ENOUGH' });
  journal.write({ ...asked, n: 7, key: '7 again', body: bodyOf(['a0', 'b1']) });
  journal.write({ kind: 'taken', key: '7 again', id: 'mixed' });
  // By one exchange, whose answer went nowhere; the other one said no.
  journal.write({ ...asked, n: 8, key: '8', body: bodyOf(['c0', 'c1']) });
  journal.write({ kind: 'refused', key: '8', code: 'BALANCE_NOT_ENOUGH' });
  const account = { id: BUYER, name: '', wif: '' };
  const people = { exchange: account, buyers: [account], sources: [] };
  const url = await exchange(t);
  const chain = {} as DevChain;
  const purchases = new Purchases({ chain, people, journal, seed: 1, urls: () => [url], poorFrom: 1 });
  t.same(await purchases.lookAgain(db), []);
  const seen = purchases.all.map(({ asked, id, seen }) => [
    asked.key,
    id,
    ...SOURCES.map((one) => seen.leg(one)?.status),
  ]);
  t.same(seen, [
    ['7', undefined, undefined, undefined],
    ['7 again', 'mixed', 'SUCCESS', 'SUCCESS'],
    ['8', 'lost', 'SUCCESS', 'SUCCESS'],
  ]);
});
