import { join } from 'node:path';
import t, { type Test } from 'tap';
import { eventually } from '../../support/eventually.js';
import { Wire } from '../support/cut-off.js';
import { placeWords } from '../support/databases.js';
import { startService } from '../support/des-process.js';
import { DesWorld } from '../support/des-world.js';
import { type GatewayAnswer, openTestGateway, register } from '../support/gateway-world.js';

/** Gateways killed with -9 and cut off: whoever asks again gets the one account, and it is paid for once. */

const world = await DesWorld.start(t);
const { alice } = world;

const feeOf = ({ operations }: GatewayAnswer['body']): bigint =>
  BigInt((operations?.[0]?.[1].fee as { amount: number }).amount);

async function registered(t: Test, url: string, name: string, before: bigint): Promise<void> {
  const { status, body } = await register(url, name);
  t.match([status, body], [200, { account: { name } }], JSON.stringify(body));
  const found = await world.client.database.get_account_by_name({ name });
  t.equal(body.account?.id, `1.2.${found?.id}`);
  t.equal(before - (await world.balance(alice.id)), feeOf(body), 'paid once');
}

for (const crashPoint of ['registration_signed', 'registration_taken'] as const) {
  t.test(`killed at ${crashPoint}`, async (t) => {
    const place = await placeWords(join(t.testdir(), 'gateway'));
    const start = (armed: { readonly crashPoint?: string } = {}) =>
      startService(
        {
          service: 'gateway',
          variable: 'TRUSTNODE_GATEWAY_KEY',
          node: `http://${world.node.endpoint}`,
          account: alice.name,
          wif: alice.wif,
          ...armed,
        },
        ...place,
        ...['--wait', '120'],
      );
    const name = crashPoint.replace('_', '-1-');
    const before = await world.balance(alice.id);
    const armed = await start({ crashPoint });
    await t.rejects(register(armed.url, name), 'nobody answers');
    t.match(await armed.process.finished, { signal: 'SIGKILL' });
    const next = await start();
    await registered(t, next.url, name, before);
    t.equal(await next.stop(), 0, 'an orderly end');
  });
}

t.test('a node that gets nothing for as long as the transaction lives, and then loses its answer', async (t) => {
  const wire = await Wire.to(world.node.endpoint);
  t.teardown(() => wire.close());
  const before = await world.balance(alice.id);
  const gateway = await openTestGateway(t, wire.endpoint, alice, { wait: '1' });
  const isMadeAnew = () =>
    gateway.log.texts('warn').includes('a registration was in no block in time and is made anew');
  let answers = 1;
  wire.loses = (text) => {
    if (!text.includes('broadcast_transaction')) return undefined;
    if (!isMadeAnew()) return 'request';
    return answers-- > 0 ? 'answer' : undefined;
  };
  const first = await register(gateway.url, 'patient-1');
  t.match([first.status, first.body], [202, { txid: String }]);
  await eventually('another transaction', isMadeAnew, 100);
  const last = await eventually(
    'the account',
    async () => {
      const answer = await register(gateway.url, 'patient-1');
      return answer.status === 200 ? answer : undefined;
    },
    100,
  );
  t.not(last.body.txid, first.body.txid);
  t.equal(before - (await world.balance(alice.id)), feeOf(last.body), 'paid once');
});

t.test('ended while somebody waits: he is told how far it is, and the next one goes on', async (t) => {
  const wire = await Wire.to(world.node.endpoint);
  t.teardown(() => wire.close());
  const before = await world.balance(alice.id);
  const first = await openTestGateway(t, wire.endpoint, alice);
  wire.loses = (text) => (text.includes('broadcast_transaction') ? 'request' : undefined);
  const waiting = register(first.url, 'waiter-1');
  await eventually('a try', () => first.log.texts('warn').length > 0);
  await first.close();
  t.equal((await waiting).status, 202);
  wire.loses = () => undefined;
  const next = await openTestGateway(t, wire.endpoint, alice, { 'data-dir': first.dataDir });
  await registered(t, next.url, 'waiter-1', before);
});
