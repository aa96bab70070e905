import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { isOnCurve } from '../../../src/crypto/old-addresses.js';
import { publicKeyToText } from '../../../src/crypto/public-key.js';
import { accountId } from '../../../src/protocol/ids.js';
import { openGatewayDatabase } from '../../../src/services/gateway/gateway.js';
import { doWork, isWorkDone, type Work } from '../../../src/trade/registration.js';
import { GxClientThread } from '../../clients/support/gxclient.js';
import { Signer } from '../../clients/support/signer.js';
import { eventually } from '../../support/eventually.js';
import { runTrustnode } from '../../support/run-trustnode.js';
import { Wire } from '../support/cut-off.js';
import { placeOf, placeWords } from '../support/databases.js';
import { type Account, DesWorld } from '../support/des-world.js';
import { type Asked, type GatewayAnswer, openTestGateway, publicKeyOf, register } from '../support/gateway-world.js';

/** `trustnode gateway` before a real node: who is registered, what it costs, and what is told to whom is not. */

const world = await DesWorld.start(t);
const { alice } = world;
const open = (t: Test, line = {}, registrar: Account = alice) =>
  openTestGateway(t, world.node.endpoint, registrar, line);
const onChain = async (name: string) => world.client.database.get_account_by_name({ name });
/** What one registration costs at the moment: fees rise with many of them. */
const feeOf = ({ body }: GatewayAnswer): bigint =>
  BigInt((body.operations?.[0]?.[1].fee as { amount: number | string }).amount);

t.test('an account, with all that is told of it', async (t) => {
  const { url } = await open(t);
  const before = await world.balance(alice.id);
  const keys = { owner_key: publicKeyOf('own'), active_key: publicKeyOf('act'), memo_key: publicKeyOf('mem') };
  const answer = await register(url, 'newcomer-1', { account: { ...keys, refcode: null, referrer: null } });
  t.equal(answer.status, 200, JSON.stringify(answer.body));
  const found = await onChain('newcomer-1');
  const { txid, account, operations, signatures } = answer.body;
  t.same(account, { id: `1.2.${found?.id}`, name: 'newcomer-1' });
  t.match(txid, /^[0-9a-f]{40}$/);
  t.equal(signatures?.length, 1);
  t.match(operations, [[5, { registrar: alice.id, referrer: alice.id, name: 'newcomer-1' }]]);
  const [, { owner, active, options } = {}] = operations?.[0] ?? [];
  t.match([owner, active], [{ key_auths: [[keys.owner_key, 1]] }, { key_auths: [[keys.active_key, 1]] }]);
  t.match(options, { memo_key: keys.memo_key, voting_account: '1.2.5' });
  t.equal(before - (await world.balance(alice.id)), feeOf(answer), 'the registrar has paid');

  const again = await register(url, 'newcomer-1', { account: keys });
  t.same([again.status, again.body], [200, answer.body], 'the same name and keys: the same registration');
  const other = await register(url, 'newcomer-1', { account: { ...keys, memo_key: publicKeyOf('x') } });
  t.match([other.status, other.body], [409, { code: 'NAME_TAKEN' }]);
  t.equal(before - (await world.balance(alice.id)), feeOf(answer), 'paid once');
  const known = await open(t);
  const elsewhere = await register(known.url, 'newcomer-1', { account: keys });
  t.same([elsewhere.status, elsewhere.body], [200, { account }], 'a gateway that has lost its memory');
});

t.test('a single key is all keys', async (t) => {
  const { url } = await open(t);
  const both = await Promise.all([
    register(url, 'single-1'),
    register(url, 'single-1'),
    register(url, 'single-2', { account: { active_key: '', owner_key: publicKeyOf('two') } }),
  ]);
  t.same(
    both.map(({ status }) => status),
    [200, 200, 200],
  );
  t.equal(both[0].body.txid, both[1].body.txid, 'asked for twice at once');
  const found = await onChain('single-2');
  t.same(
    [found?.owner.key_auths[0]?.[0], found?.active.key_auths[0]?.[0]],
    [found?.options.memo_key, found?.options.memo_key],
  );
});

t.test('nothing is spent for what cannot be', async (t) => {
  const { url } = await open(t, { partner: ['SHOP=bob', 'GOOD=alice'] });
  const before = await world.balance(alice.id);
  const cases: readonly [string, Asked, number, string, RegExp][] = [
    ['Nobody-1', {}, 400, 'NAME_INVALID', /Nobody-1 can not be the name/],
    ['a..b-1', {}, 400, 'NAME_INVALID', /can not be/],
    ['meadow', {}, 403, 'NAME_PREMIUM', /meadow is a name of the dear kind/],
    ['init0', {}, 409, 'NAME_TAKEN', /there is an account init0 already/],
    ['no-key-1', { account: { active_key: null } }, 400, 'INVALID_PARAMS', /account\.active_key .* missing/],
    ['bad-key-1', { account: { memo_key: 'GXC1' } }, 400, 'INVALID_PARAMS', /account\.memo_key .* public key/],
    ['off-curve-1', { account: { owner_key: offCurve() } }, 400, 'INVALID_PARAMS', /no point of the curve/],
    ['other-1', { account: { referrer: 'nobody-here' } }, 400, 'REFERRER_INVALID', /no account nobody-here/],
    ['other-2', { account: { referrer: 'bob' } }, 400, 'REFERRER_INVALID', /bob is no member/],
    ['other-3', { account: { refcode: 'SHOP' } }, 400, 'REFERRER_INVALID', /bob is no member/],
    ['other-4', { account: { refcode: 'NONE' } }, 400, 'REFERRER_INVALID', /NONE belongs to nobody/],
    ['other-5', { account: { refcode: 'GOOD', referrer: 'faucet' } }, 400, 'REFERRER_INVALID', /different accounts/],
    ['other-6', { account: { name: 7 } }, 400, 'INVALID_PARAMS', /account\.name/],
  ];
  for (const [name, asked, status, code, msg] of cases) {
    const answer = await register(url, name, asked);
    t.match([answer.status, answer.body.code], [status, code], `${name}: ${answer.body.msg}`);
    t.match(answer.body.msg, msg);
    t.match(answer.headers.get('x-request-id'), /^[0-9a-f]{16}$/);
    t.equal(answer.headers.get('access-control-allow-origin'), '*', 'pages read it');
  }
  t.equal(await world.balance(alice.id), before);
  const nowhere = await fetch(`${url}/account/nothing`, { method: 'POST' });
  t.match([nowhere.status, await nowhere.json()], [404, { code: 'NOT_FOUND' }]);
});

function offCurve(): string {
  for (let x = 1; ; x++) {
    const key = `02${x.toString(16).padStart(64, '0')}`;
    if (!isOnCurve(key)) return publicKeyToText(key, 'GXC');
  }
}

t.test('who has brought them', async (t) => {
  const { url } = await open(t, { partner: 'SHOP=faucet', 'referrer-percent': '2500' });
  const [byCode, byName, byBoth, byOwn] = await Promise.all([
    register(url, 'brought-1', { account: { refcode: 'SHOP' } }),
    register(url, 'brought-2', { account: { referrer: 'faucet' } }),
    register(url, 'brought-3', { account: { refcode: 'SHOP', referrer: 'faucet' } }),
    register(url, 'brought-4', { account: { referrer: alice.id, refcode: '' } }),
  ]);
  const faucet = `1.2.${(await onChain('faucet'))?.id}`;
  for (const { body } of [byCode, byName, byBoth]) {
    t.match(body.operations, [[5, { registrar: alice.id, referrer: faucet, referrer_percent: 2500 }]]);
  }
  t.match(byOwn.body.operations, [[5, { referrer: alice.id, referrer_percent: 0 }]]);
  const found = await onChain('brought-1');
  t.same([found?.referrer, found?.referrer_rewards_percentage], [accountId.fromJson(faucet), 2500]);
  const usual = await open(t, { referrer: 'faucet' });
  const { body } = await register(usual.url, 'brought-5');
  t.match(body.operations, [[5, { referrer: faucet, referrer_percent: 5000 }]]);
  const conditions = await (await fetch(`${usual.url}/account/conditions`)).json();
  t.match(conditions, { guard: 'none', workBits: 0, workSeconds: 0 }, 'no work where none is asked for');
});

t.test('work of a computer', async (t) => {
  const { url, clock } = await open(t, { guard: 'work', 'work-bits': '12' });
  const conditions = (await (await fetch(`${url}/account/conditions`)).json()) as { chainId: string };
  t.match(conditions, {
    chainId: world.node.chainId,
    keyPrefix: 'GXC',
    registrar: { id: alice.id, name: 'alice' },
    guard: 'work',
    workBits: 12,
    workSeconds: 600,
    premiumNames: false,
    open: true,
  });
  const key = publicKeyOf('worker-1');
  const subject = { chainId: conditions.chainId, name: 'worker-1', owner: key, active: key, memo: key };
  const nowSec = Math.floor(Date.now() / 1000);
  // One work in four thousand is good by luck: these are not.
  const isOthers = (work: Work): boolean => isWorkDone({ ...subject, name: 'worker-2' }, work, 12);
  const works = [0, 1, 2].map((earlierSec) => doWork(subject, nowSec - earlierSec, 12));
  const work = works.find((one) => !isOthers(one)) as Work;
  const wrong = [0, 1, 2]
    .map((i) => ({ time: nowSec, nonce: `wrong ${i}` }))
    .find((one) => !isWorkDone(subject, one, 12));
  const refused = async (name: string, more: object) => {
    const answer = await register(url, name, { account: { active_key: key }, more });
    t.match([answer.status, answer.body.code], [403, 'WORK_NEEDED'], `${answer.body.msg}`);
  };
  await refused('worker-1', {});
  await refused('worker-1', { invite: 'abc' });
  await refused('worker-1', { work: wrong });
  await refused('worker-2', { work });
  await refused('worker-1', { work: doWork(subject, nowSec - 700, 12) });
  clock.move(700_000);
  await refused('worker-1', { work });
  clock.move(-700_000);
  const { status } = await register(url, 'worker-1', { more: { work } });
  t.equal(status, 200);
});

t.test('invite codes, in the body or for SDKs in the path', async (t) => {
  const { url, dataDir } = await open(t, { guard: 'invite' });
  const made = await runTrustnode(['gateway', 'invite', '3', ...(await placeWords(dataDir))]);
  const codes = made.stdout.trim().split('\n');
  t.equal(codes.length, 3, made.stderr);
  const wrong = async (name: string, invite?: string) => {
    const answer = await register(url, name, { more: { invite } });
    t.match([answer.status, answer.body.code], [403, 'INVITE_NEEDED'], `${answer.body.msg}`);
  };
  await wrong('guest-1');
  await wrong('guest-1', 'wrong');
  t.equal((await register(url, 'guest-1', { more: { invite: codes[0] } })).status, 200);
  t.equal((await register(url, 'guest-1')).status, 200, 'it is registered already: no code is needed');
  await wrong('guest-2', codes[0]);
  const path = `/invite/${codes[1]}/account/register`;
  t.equal((await register(url, 'guest-2', { path })).status, 200);

  const client = new GxClientThread(`http://${world.node.endpoint}`);
  t.teardown(() => client.close());
  const answer = await client.call<GatewayAnswer['body']>(
    ...([alice, 'register', 'guest-3', publicKeyOf('guest-3'), '', '', `${url}/invite/${codes[2]}`] as const),
  );
  t.match(answer, { account: { name: 'guest-3' }, txid: String });
  await t.rejects(client.call(alice, 'register', 'guest-4', publicKeyOf('guest-4'), '', '', url), /403/);
});

t.test('one address and its network, counted over a restart', async (t) => {
  const line = { 'trusted-proxy': '127.0.0.1', 'address-daily-max': '2' };
  const first = await open(t, line);
  const from = (address: string): Asked => ({ headers: { 'X-Forwarded-For': address } });
  t.equal((await register(first.url, 'tenant-1', from('2001:db8:1:2::1'))).status, 200);
  t.equal((await register(first.url, 'tenant-2', from('2001:db8:1:2:ffff::7'))).status, 200, 'the same network');
  await first.close();
  const next = await open(t, { ...line, 'data-dir': first.dataDir });
  const third = await register(next.url, 'tenant-3', from('2001:db8:1:2::9'));
  t.match([third.status, third.body.code], [429, 'RATE_LIMITED'], `${third.body.msg}`);
  t.ok(Number(third.headers.get('retry-after')) > 0);
  t.equal((await register(next.url, 'tenant-2', from('2001:db8:1:2::9'))).status, 200, 'it is registered already');
  t.equal((await register(next.url, 'tenant-4', from('2001:db8:1:3::1'))).status, 200, 'a neighbour');
  t.equal(await onChain('tenant-3'), undefined);
  next.clock.move(86_400_000);
  t.equal((await register(next.url, 'tenant-3', from('2001:db8:1:2::9'))).status, 200, 'another day');
});

t.test('a registrar that runs dry', async (t) => {
  const poor = await world.account('poor-registrar', 1);
  const upgrade = { account_to_upgrade: poor.id, upgrade_to_lifetime_member: true };
  const notYet = open(t, {}, poor);
  await t.rejects(notYet, { message: /1\.2\.\d+ is no lifetime member/ });
  await world.pay(poor.id, 100_000_000);
  await new Signer(world.client, poor.wif).send('account_upgrade', upgrade);
  const mails = join(t.testdir(), 'mails');
  const line = { 'mail-from': 'gateway@x.example', 'mail-folder': mails, 'alarm-to': 'keeper@x.example' };
  const gateway = await open(t, { ...line, 'trusted-proxy': '127.0.0.1', 'address-daily-max': '1' }, poor);
  const { url } = gateway;
  const price = feeOf(await register(url, 'rich-1'));
  await leave(poor, price / 2n);
  const asked = { headers: { 'X-Forwarded-For': '198.51.100.7' } };
  const answer = await register(url, 'dry-1', asked);
  t.match([answer.status, answer.body.code], [503, 'REGISTRAR_DRY'], `${answer.body.msg}`);
  t.match(await (await fetch(`${url}/metrics`)).text(), /trustnode_registration_refusals_total\{reason="fee"\} 1/);
  t.match(gateway.log.texts('error'), ['the account of this gateway cannot pay for a registration']);
  const letter = await eventually('a letter', () => lettersIn(mails).find((one) => /cannot pay/.test(one)), 100);
  t.match(letter, /^Subject: poor-registrar: the account cannot pay the fee of a registration$/m);
  t.match(await (await fetch(`${url}/readyz`)).text(), /cannot pay the fee of a registration/);
  await world.pay(poor.id, 10_000_000);
  t.equal((await register(url, 'dry-1', asked)).status, 200, 'nothing of the first try is in its way');
  t.equal((await register(url, 'dry-2', asked)).status, 429, 'and the one that is there counts');
});

async function leave(account: Account, units: bigint): Promise<void> {
  const signer = new Signer(world.client, account.wif);
  const has = await world.balance(account.id);
  const transfer = { from: account.id, to: alice.id, amount: { amount: 1, asset_id: '1.3.1' } };
  await signer.send('transfer', transfer);
  const fee = has - 1n - (await world.balance(account.id));
  const amount = Number(has - 1n - 2n * fee - units);
  await signer.send('transfer', { ...transfer, amount: { amount, asset_id: '1.3.1' } });
}

const lettersIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.eml'))
    .map((name) => readFileSync(join(folder, name), 'utf8'));

t.test('nobody can be registered', async (t) => {
  const wire = await Wire.to(world.node.endpoint);
  t.teardown(() => wire.close());
  const { url, dataDir } = await openTestGateway(t, wire.endpoint, alice, { 'trusted-proxy': '127.0.0.1' });
  const headers = { 'X-Forwarded-For': '198.51.100.7' };
  const many = await Promise.all(Array.from({ length: 60 }, () => register(url, 'Wrong', { headers })));
  const refused = many.filter(({ status }) => status === 429);
  t.ok(refused.length > 0 && refused.length < 60, `${refused.length} of 60 at once`);
  t.match(refused[0]?.body, { code: 'RATE_LIMITED', msg: /too much at once/ });
  const db = await openGatewayDatabase(await placeOf(dataDir));
  t.teardown(() => db.destroy());
  await db.schema.dropTable('registration').execute();
  const broken = await register(url, 'nobody-1');
  t.match([broken.status, broken.body], [503, { code: 'DATABASE_UNAVAILABLE', msg: /took no change/ }]);
  const cut = await openTestGateway(t, wire.endpoint, alice);
  wire.cut();
  const away = await register(cut.url, 'nobody-2', { path: '/invite/c0de5/account/register' });
  t.match([away.status, away.body], [503, { code: 'CHAIN_UNAVAILABLE', msg: /does not answer/ }]);
  await fetch(`${cut.url}/invite/c0de5/account/register`);
  const told = cut.log.entries.filter(({ values }) => String(values?.path).startsWith('/invite/'));
  t.equal(told.length, 2, 'both stand in the log');
  t.notMatch(JSON.stringify(cut.log.entries), /c0de5/, 'without the code, which is as good as before');
  await t.rejects(openTestGateway(t, world.node.endpoint, { ...alice, id: '' }), /account/);
  const none = await runTrustnode(['gateway', 'invite', '0', ...(await placeWords(join(t.testdir(), 'none')))]);
  t.match([none.code, none.stderr], [1, /from 1 to 10000 invite codes/]);
});

t.test('its document', async (t) => {
  const { url } = await open(t);
  const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as { paths: object };
  t.same(Object.keys(paths), ['/account/register', '/invite/{code}/account/register', '/account/conditions']);
  t.equal((await fetch(`${url}/healthz`)).status, 200);
  await eventually('ready', async () => (await fetch(`${url}/readyz`)).status === 200, 100);
});
