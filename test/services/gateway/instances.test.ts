import { join } from 'node:path';
import t from 'tap';
import { Signer } from '../../clients/support/signer.js';
import { eventually } from '../../support/eventually.js';
import { runTrustnode } from '../../support/run-trustnode.js';
import { placeWords } from '../support/databases.js';
import { type ServiceProcess, startService } from '../support/des-process.js';
import { type Account, DesWorld } from '../support/des-world.js';
import { type GatewayAnswer, openTestGateway, publicKeyOf, register } from '../support/gateway-world.js';

/** Several gateways on one database: one register of names, one budget, one count of each address, one list of codes. */

const world = await DesWorld.start(t);
const { alice } = world;

const feeOf = ({ body }: GatewayAnswer): bigint =>
  BigInt((body.operations?.[0]?.[1].fee as { amount: number | string }).amount);

/** As people run them, with words for all of them; each call starts one more. */
function instancesOf(dataDir: string, ...words: readonly string[]) {
  return async (registrar: Account = alice): Promise<ServiceProcess> =>
    startService(
      {
        service: 'gateway',
        variable: 'TRUSTNODE_GATEWAY_KEY',
        node: `http://${world.node.endpoint}`,
        account: registrar.name,
        wif: registrar.wif,
      },
      ...(await placeWords(dataDir)),
      ...['--requests-per-second', '0'],
      ...words,
    );
}

/** Nobody counts what comes from the machine itself. */
const PROXY = ['--wait', '120', '--trusted-proxy', '127.0.0.1'];

const metricsOf = async ({ url }: ServiceProcess): Promise<string> => (await fetch(`${url}/metrics`)).text();
const statusesOf = (answers: readonly GatewayAnswer[]): readonly number[] =>
  answers.map(({ status }) => status).sort((a, b) => a - b);

t.test('each is on the list of the others, and one that pays from another account does not start', async (t) => {
  const start = instancesOf(join(t.testdir(), 'shared'));
  const [first, second] = [await start(), await start()];
  for (const one of [first, second])
    t.match(await metricsOf(one), /^trustnode_service_instances\{service="gateway"\} 2$/m);
  const rival = await world.account('rival-registrar', 100_000_000);
  const upgrade = { account_to_upgrade: rival.id, upgrade_to_lifetime_member: true };
  await new Signer(world.client, rival.wif).send('account_upgrade', upgrade);
  await t.rejects(start(rival), {
    message: new RegExp(`another gateway .* with account ${alice.id}, and this one would with account ${rival.id}`),
  });
  second.process.kill('SIGKILL');
  await second.process.finished;
  t.match(
    await metricsOf(first),
    /^trustnode_service_instances\{service="gateway"\} 1$/m,
    'one that was killed is known as dead',
  );
  t.equal(await first.stop(), 0);
  const moved = await start(rival);
  t.match(
    await metricsOf(moved),
    /^trustnode_service_instances\{service="gateway"\} 1$/m,
    'nobody is left who disagrees',
  );
  await moved.stop();
});

t.test('a name, an address and a code are counted once, wherever they are asked for', async (t) => {
  const dataDir = join(t.testdir(), 'shared');
  const start = instancesOf(dataDir, '--address-daily-max', '2', '--guard', 'invite', ...PROXY);
  const [first, second] = [await start(), await start()];
  t.teardown(() => Promise.all([first.stop(), second.stop()]));
  const made = await runTrustnode(['gateway', 'invite', '6', ...(await placeWords(dataDir))]);
  const [a, b, c, d, e, f] = made.stdout.trim().split('\n');
  const before = await world.balance(alice.id);
  const asking = (invite: string | undefined, address = '198.51.100.7') => ({
    headers: { 'X-Forwarded-For': address },
    more: { invite },
  });

  const same = await Promise.all([first, second].map(({ url }) => register(url, 'twice-1', asking(a))));
  t.same(statusesOf(same), [200, 200], JSON.stringify(same.map(({ body }) => body)));
  t.equal(same[0]?.body.txid, same[1]?.body.txid, 'the same name and keys: the same registration');
  t.equal(before - (await world.balance(alice.id)), feeOf(same[0] as GatewayAnswer), 'paid once');

  const wanting = (key: string, invite: string | undefined) => ({
    ...asking(invite),
    account: { active_key: publicKeyOf(key) },
  });
  const rivals = await Promise.all([
    register(first.url, 'rivals-1', wanting('one', b)),
    register(second.url, 'rivals-1', wanting('two', c)),
  ]);
  t.same(statusesOf(rivals), [200, 409], 'of two who want the same name one gets it');

  const code = await Promise.all([
    register(first.url, 'code-1', asking(d, '203.0.113.7')),
    register(second.url, 'code-2', asking(d, '203.0.113.7')),
  ]);
  t.same(statusesOf(code), [200, 403], 'a code is for one account');

  for (const [{ url }, invite] of [
    [first, e],
    [second, f],
  ] as const) {
    const third = await register(url, 'third-1', asking(invite));
    t.match([third.status, third.body.code], [429, 'RATE_LIMITED'], 'two of this address, on both together');
  }
});

t.test('a thousand registrations from one address at two of them cost no more than the one budget', async (t) => {
  const price = feeOf(await register((await openTestGateway(t, world.node.endpoint, alice)).url, 'price-1'));
  const budget = price * 4n + price / 2n;
  const dataDir = join(t.testdir(), 'shared');
  const start = instancesOf(dataDir, '--daily-budget', String(budget), '--wait', '0');
  const [first, killed] = [await start(), await start()];
  t.teardown(() => first.stop());
  const before = await world.balance(alice.id);
  const statuses = new Map<number, number>();
  const active_key = publicKeyOf('bot');
  let next = 0;
  const bot = async (url: string, until: number): Promise<void> => {
    while (next < until) {
      const { status } = await register(url, `bot-${next++}`, { account: { active_key } });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  const bots = async (until: number, ...urls: readonly string[]): Promise<void> =>
    void (await Promise.all(urls.flatMap((url) => Array.from({ length: 10 }, () => bot(url, until)))));
  await bots(500, first.url, killed.url);
  killed.process.kill('SIGKILL');
  await killed.process.finished;
  const second = await start();
  t.teardown(() => second.stop());
  await bots(1000, first.url, second.url);
  t.same([...statuses].sort(), [
    [202, 4],
    [429, 996],
  ]);
  const isOpen = async () => /^trustnode_registrations\{state="(?:signed|sent)"\}/m.test(await metricsOf(second));
  await eventually('the blocks of all', async () => !(await isOpen()), 200);
  for (const one of [first, second]) {
    const metrics = await metricsOf(one);
    t.match(metrics, /^trustnode_registrations\{state="(?:included|final)"\} \d/m);
    const left = BigInt(/^trustnode_registration_budget_left_units (\d+)/m.exec(metrics)?.[1] ?? -1);
    t.ok(left >= 0n && left < price, `${left} are left`);
  }
  const spent = before - (await world.balance(alice.id));
  t.ok(spent > 0n && spent <= budget, `${spent} of ${budget}`);
  const line = { 'data-dir': dataDir, 'daily-budget': String(budget), wait: '0' };
  const tomorrow = await openTestGateway(t, world.node.endpoint, alice, line);
  tomorrow.clock.move(86_400_000);
  t.equal((await register(tomorrow.url, 'early-bird-1')).status, 202, 'the next day');
});
