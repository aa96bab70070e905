import { join } from 'node:path';
import t from 'tap';
import { eventually } from '../../support/eventually.js';
import { NodeBuyer } from '../support/buyers.js';
import { DesWorld, sell } from '../support/des-world.js';
import { startKubo } from '../support/kubo.js';
import { MarketChain, startMarketInProcess } from '../support/market-service.js';
import type { SourceServer } from '../support/source-server.js';

/** Several instances over one database: those that fit together start, the others say why not. */

const world = await DesWorld.start(t, '--plugins', 'witness account_history_kv');
const chain = MarketChain.over(world.node, world.client);

const metrics = async (url: string): Promise<string> => (await fetch(`${url}/metrics`)).text();

t.test('exchanges share account and folder of blocks', async (t) => {
  const folder = t.testdir();
  const first = await world.exchange(t);
  const same = { 'data-dir': first.dataDir };
  await world.exchange(t, same);
  t.match(await metrics(first.url), /^trustnode_service_instances\{service="des"\} 2$/m);
  await t.rejects(world.exchange(t, { ...same, blocks: join(folder, 'others') }), {
    key: 'instance_disagrees',
    message: /with the folder of blocks [0-9a-f]{16}, and this one would with the folder of blocks [0-9a-f]{16}$/,
  });
  const other = world.exchange(t, same, world.alice);
  await t.rejects(other, { key: 'instance_disagrees', message: /with account 1\.2\.\d+, and/ });
  t.match(await metrics(first.url), /^trustnode_service_instances\{service="des"\} 2$/m);
});

t.test('or an IPFS node, which has what was delivered', async (t) => {
  const folder = t.testdir();
  const kubo = await startKubo(t);
  const ipfs = { 'ipfs-api': kubo.url };
  const first = await world.exchange(t, { ...ipfs, blocks: join(folder, 'own') });
  await world.exchange(t, { ...ipfs, blocks: join(folder, 'others'), 'data-dir': first.dataDir });
  const [one] = (await world.sources(t, ['pinned-seller'])) as [SourceServer];
  await sell(first.db, { id: 1, members: [one] });
  await world.isThere(first, one, [1]);
  const buyer = new NodeBuyer(first.url, world.alice);
  const created = await buyer.create(1, buyer.elements(await buyer.product(1), { name: 'x' }));
  const { request_id } = created.body as { request_id: string };
  t.match(await buyer.result(request_id), { datasources: [{ status: 'SUCCESS' }] });
  const { memo } = await first.db.selectFrom('payment').select('memo').executeTakeFirstOrThrow();
  await eventually('it is pinned', () => kubo.isPinned(memo ?? ''), 100);
});

t.test('markets share how they count', async (t) => {
  const first = await startMarketInProcess(t, chain);
  const same = { 'data-dir': first.dataDir };
  const second = await startMarketInProcess(t, chain, same);
  await t.rejects(startMarketInProcess(t, chain, { ...same, 'time-zone': '60' }), {
    key: 'instance_disagrees',
    message: /with time-zone 480, and this one would with time-zone 60$/,
  });
  await Promise.all([first.close(), second.close()]);
  const next = await startMarketInProcess(t, chain, { ...same, 'time-zone': '60' });
  t.match(
    await metrics(next.url),
    /^trustnode_service_instances\{service="market"\} 1$/m,
    'whoever ended is not counted',
  );
});
