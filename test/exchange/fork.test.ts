import { join } from 'node:path';
import t, { type Test } from 'tap';
import { resolveOptions } from '../../src/config/load.js';
import { publicKeyToText } from '../../src/crypto/public-key.js';
import { openExchangeDatabase } from '../../src/services/des/des.js';
import { DES_OPTIONS } from '../../src/services/des/options.js';
import type { PaymentRow } from '../../src/services/payment/tables.js';
import { ProxyLinks } from '../network/links.js';
import { LocalNetwork } from '../network/local-network.js';
import { openForTransfers } from '../network/money.js';
import { sell } from '../services/support/des-world.js';
import { SourceServer } from '../services/support/source-server.js';
import { lineOf } from '../support/dev-node.js';
import { eventually } from '../support/eventually.js';
import { requestBody } from './money/authorizations.js';
import { Program } from './program.js';

/** E23: two real nodes are cut apart, a payment stands in the branch that loses, and the exchange follows the other one. */

const [MAJORITY, MINORITY] = [0, 1];
const LOOK_MS = 100;
const PRICE = 1000n;
const PERCENT = 1000;
const LIFETIME_SEC = 3000;

async function network(t: Test, folder: string) {
  const made = new LocalNetwork({
    folder: join(folder, 'network'),
    nodes: 2,
    // Two of three turns are the first node's: its branch is the longer one, and neither has an irreversible block.
    witnesses: 3,
    blockIntervalSec: 1,
    accounts: ['treasury', 'exchange', 'seller'],
    links: await ProxyLinks.open(2),
    more: ['--verify-threads', '0'],
  });
  t.teardown(() => made.close());
  await made.start();
  await made.reach(2);
  const owners = await openForTransfers(made);
  const [buyer, exchange, seller] = owners.map(({ id, key }) => ({ id: `1.2.${id}`, wif: key.toWif(), key }));
  if (buyer === undefined || exchange === undefined || seller === undefined) throw new Error('somebody is missing');
  return { made, buyer, exchange, seller };
}

t.test('E23: the block of a payment is undone by a fork', async (t) => {
  const { made, buyer, exchange, seller } = await network(t, t.testdir());
  const dataDir = join(made.genesisFile, '..', '..', 'exchange');
  const db = await openExchangeDatabase(resolveOptions(DES_OPTIONS, lineOf({ 'data-dir': dataDir }), new Map()));
  t.teardown(() => db.destroy());
  const source = await SourceServer.start(seller);
  t.teardown(() => source.close());
  await sell(db, { id: 1, members: [source], units: Number(PRICE) });
  const account = Number(seller.id.slice('1.2.'.length));
  await db
    .insertInto('des_presence')
    .values({ account, products: '[1]', query_url: null, expire_ms: Date.now() + 3_600_000 })
    .execute();
  const des = new Program({
    words: [
      ...['des', '--node', `http://${made.node(MINORITY).rpc}`, '--account', 'exchange', '--endpoint', '127.0.0.1:0'],
      ...['--data-dir', dataDir, '--private-sources', '--percent', String(PERCENT), '--source-timeout', '60'],
      ...['--connect-timeout', '30', '--release-at', 'included'],
    ],
    listens: /listens.* url=(http:\/\/[\d.]+:\d+)/,
    variables: { TRUSTNODE_DES_KEY: exchange.wif },
  });
  t.teardown(() => des.close());
  await des.start();
  const loser = await made.node(MINORITY).client();
  const winner = await made.node(MAJORITY).client();
  const headOf = async (client: typeof loser) => client.database.get_dynamic_global_properties();
  const before = await headOf(loser);

  await made.cut([[MAJORITY], [MINORITY]]);
  const { time } = await headOf(loser);
  const publicKey = publicKeyToText(seller.key.publicKey, 'GXC');
  const terms = { exchange: exchange.id, percent: PERCENT, price: PRICE, expiration: time + LIFETIME_SEC };
  const { body, signatures } = requestBody(buyer, [{ id: seller.id, publicKey }], [{ name: 'x' }], terms);
  const headers = { 'Content-Type': 'application/json' };
  const created = await fetch(`${des.address}/api/request/create/1`, { method: 'POST', headers, body });
  const { request_id: id } = (await created.json()) as { request_id: string };
  t.equal(created.status, 200, id);
  const signature = signatures[0] as string;
  const payment = async (): Promise<PaymentRow | undefined> =>
    db.selectFrom('payment').selectAll().where('signature', '=', signature).executeTakeFirst();
  const inState = (...states: string[]) =>
    eventually(
      states.join(' or '),
      async () => {
        const row = await payment();
        return row !== undefined && states.includes(row.state) ? row : undefined;
      },
      LOOK_MS,
    );
  const look = async () => (await fetch(`${des.address}/api/request/${id}`)).json();
  const lost = await inState('included');
  const shown = await look();
  t.match(shown, { status: 'FINISHED', datasources: [{ status: 'SUCCESS', txid: lost.txid, data: /^[0-9a-f]+$/ }] });
  const block = lost.block as number;
  t.ok(block > before.head_block_number, 'it stands in a block of the small branch');
  const undone = await loser.database.get_block({ block_num: block });
  const ahead = async () => (await headOf(winner)).head_block_number > (await headOf(loser)).head_block_number;
  await eventually(
    'the other branch is longer',
    async () => (await headOf(winner)).head_block_number > block && (await ahead()),
    LOOK_MS,
  );

  await made.heal();
  await eventually(
    'the loser has the other branch',
    async () => {
      const found = await loser.database.get_block({ block_num: block });
      return found !== undefined && found.block_id !== undone?.block_id;
    },
    LOOK_MS,
  );
  t.same(await look(), shown, 'what was shown once stays');
  await eventually('the exchange has seen it', () => des.log.includes('changed to another branch'), LOOK_MS);
  const last = await inState('final');
  t.not(last.block, null);
  const winning = await winner.database.get_block({ block_num: last.block as number });
  t.ok(winning?.transaction_ids.includes(last.txid as string), 'it stands in a block of the branch that has won');
  t.match(await look(), { status: 'FINISHED', datasources: [{ status: 'SUCCESS', txid: last.txid }] });
  t.equal(source.questions.length, 1, 'nobody was asked again');
  t.equal(await charges(winner, signature, last.block as number), 1, 'one charge');
  t.equal(await des.stop(), 0);
});

async function charges(
  client: Awaited<ReturnType<ReturnType<LocalNetwork['node']>['client']>>,
  signature: string,
  last: number,
): Promise<number> {
  let count = 0;
  for (let number = 1; number <= last; number++) {
    const block = await client.database.get_block({ block_num: number });
    for (const { operations } of block?.transactions ?? []) {
      for (const [tag, value] of operations) {
        if (tag !== 73) continue;
        const { request_params } = value as unknown as { request_params: { signatures: readonly Uint8Array[] } };
        if (Buffer.from(request_params.signatures[0] as Uint8Array).toString('hex') === signature) count++;
      }
    }
  }
  return count;
}
