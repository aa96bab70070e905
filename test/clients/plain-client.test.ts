import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import t from 'tap';
import { KEY_ERRORS } from '../../src/client/keys.js';
import { LASTING_ERRORS, NOTICE_ERRORS } from '../../src/client/lasting-connection.js';
import { idOf, openClient, RpcError } from '../../src/client/library.js';
import { CLIENT_ERRORS } from '../../src/client/open-client.js';
import { PLAIN_ERRORS } from '../../src/client/plain.js';
import { SENT_ERRORS } from '../../src/client/sent.js';
import { PrivateKey } from '../../src/crypto/private-key.js';
import { accountCreateOperation } from '../../src/protocol/operations/accounts.js';
import { transferOperation } from '../../src/protocol/operations/transfers.js';
import { refused, refusedLater } from '../support/refused.js';
import { startDevProcess } from './support/dev-process.js';

/** The client for programs, against a node that runs as a process of its own. */

const node = await startDevProcess(t.testdir());
t.teardown(() => node.stop());
const { alice, bob, carol } = node;
const client = await openClient(`ws://${node.endpoint}`, { keys: [alice.wif] });
t.teardown(() => client.close());
const CORE = idOf('asset', 1);

t.test('speaks plain data', async (t) => {
  t.equal(client.chainId, node.chainId);
  t.equal(client.keyPrefix, 'GXC');
  const found = await client.database.get_account_by_name({ name: 'alice' });
  t.equal(found?.id, alice.id);
  t.equal(found?.options.memo_key, alice.public_key, 'keys as text');
  t.same(found?.active.key_auths, [[alice.public_key, 1]]);
  t.match(found?.membership_expiration_date, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/, 'times as text');
  const [money] = await client.database.get_account_balances({ id: alice.id, assets: [CORE] });
  t.equal(money?.asset_id, CORE);
  t.type(money?.amount, 'bigint');
  t.same(await client.balances('alice'), await client.database.get_account_balances({ id: alice.id, assets: [] }));
  t.equal(await client.database.get_account_by_name({ name: 'nobody-at-all' }), undefined);
  const { last_irreversible_block_num, time } = await client.database.get_dynamic_global_properties();
  t.type(last_irreversible_block_num, 'number');
  t.type(time, 'string');
  const [object] = await client.database.get_objects({ ids: ['1.6.1'] });
  t.match(object, { id: '1.6.1', witness_account: /^1\.2\.\d+$/, total_votes: BigInt });
  const full = await client.database.get_full_accounts({ names_or_ids: ['alice'], subscribe: false });
  t.equal(full[0]?.[1].account.id, alice.id);
  structuredClone(full);
});

t.test('it is of one chain', async (t) => {
  const other = 'b'.repeat(64);
  for (const url of [`ws://${node.endpoint}`, `http://${node.endpoint}`]) {
    const refusal = LASTING_ERRORS.client_other_chain;
    await refusedLater(t, refusal, openClient(url, { keys: [alice.wif], chainId: other }), url);
    (await openClient(url, { chainId: node.chainId })).close();
  }
  // What stands at an address may say another chain at any time.
  let says: string | undefined;
  const front = createServer(async (request, response) => {
    const body = await text(request);
    if (says !== undefined && body.includes('"get_chain_id"')) {
      response.end(JSON.stringify({ id: 1, result: says }));
      return;
    }
    response.end(await (await fetch(`http://${node.endpoint}`, { method: 'POST', body })).text());
  });
  front.listen(0, '127.0.0.1');
  await once(front, 'listening');
  t.teardown(() => front.close());
  const url = `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
  const opened = await openClient(url, { keys: [alice.wif] });
  says = other;
  t.equal(await opened.database.get_chain_id(), other);
  const paid = await opened.transfer({ from: 'alice', to: 'bob', amount: '1 GXC', until: 'sent' });
  t.equal(paid.state, 'sent', 'the signature is for the chain that it was opened on');
});

t.test('what it is given is looked at', async (t) => {
  const one = client.transaction();
  refused(t, PLAIN_ERRORS.plain_member, () => one.add('transfer', { from: alice.id, ammount: 1 }));
  const nearest = 'did you mean transfer?';
  refused(t, CLIENT_ERRORS.client_operation_unknown, () => one.add('transferr', {}), { data: { nearest } });
  refused(t, CLIENT_ERRORS.client_operation_unknown, () => one.add('x'.repeat(40), {}), {
    data: { nearest: /^names are as in transfer/ },
  });
  const incomplete = {} as { name: string };
  await refusedLater(t, PLAIN_ERRORS.plain_argument, client.database.get_account_by_name(incomplete));
  await refusedLater(t, CLIENT_ERRORS.client_account_unknown, client.account('nobody-at-all'));
  await refusedLater(t, CLIENT_ERRORS.client_asset_unknown, client.asset('NOTHING'));
  await refusedLater(t, CLIENT_ERRORS.client_amount, client.amount('15'));
});

t.test('what is not declared can be called as well', async (t) => {
  t.equal(await client.call('database', 'get_chain_id'), node.chainId);
  t.match(await client.call('database', 'get_account_by_name', ['bob']), { id: bob.id });
});

t.test('amounts are texts with their asset', async (t) => {
  t.same(await client.amount('1.5 GXC'), { amount: 150_000n, asset_id: CORE });
  t.equal(await client.amountText({ amount: 150_000n, asset_id: CORE }), '1.5 GXC');
  t.equal(await client.amountText({ amount: 300_000n, asset_id: CORE }), '3 GXC');
});

t.test('a payment with a memo, which its receiver reads', async (t) => {
  const [before] = await client.database.get_account_balances({ id: bob.id, assets: [CORE] });
  const states: string[] = [];
  const receipt = await client.transfer({
    from: 'alice',
    to: 'bob',
    amount: '1.5 GXC',
    memo: 'for the tea',
    onChange: ({ state }) => states.push(state),
  });
  t.same(states.slice(-1), ['included']);
  t.match(receipt, { id: /^[0-9a-f]{40}$/, state: 'included', block_num: Number, block_id: /^[0-9a-f]{40}$/ });
  const [after] = await client.database.get_account_balances({ id: bob.id, assets: [CORE] });
  t.equal((after?.amount ?? 0n) - (before?.amount ?? 0n), 150_000n);
  const [[tag, body] = []] = receipt.transaction?.operations ?? [];
  t.equal(tag, 0);
  t.match(body, { from: alice.id, to: bob.id, fee: { amount: BigInt, asset_id: CORE } });
  t.ok((body?.fee.amount ?? 0n) > 0n, 'with the fee that the node asks for');
  const memo = body?.memo as Parameters<typeof client.open>[0];
  const ofBob = await openClient(`http://${node.endpoint}`, { keys: [bob.wif] });
  t.equal(ofBob.open(memo), 'for the tea');
  const ofCarol = await openClient(`http://${node.endpoint}`, { keys: [carol.wif] });
  t.equal(ofCarol.open(memo), undefined);
  const strangers = ofCarol.transfer({ from: 'alice', to: 'bob', amount: '1 GXC', memo: 'mine' });
  await refusedLater(t, KEY_ERRORS.client_key_missing, strangers);
});

t.test('the same payment again is another one, also within a block', async (t) => {
  const has = async (): Promise<bigint> =>
    (await client.database.get_account_balances({ id: carol.id, assets: [CORE] }))[0]?.amount ?? 0n;
  const before = await has();
  const pay = () => client.transfer({ from: 'alice', to: 'carol', amount: '1 GXC' });
  const receipts = await Promise.all([pay(), pay(), pay()]);
  t.equal(new Set(receipts.map(({ id }) => id)).size, 3);
  t.equal(await has(), before + 300_000n);
});

t.test('several operations are one transaction, and what they make is named', async (t) => {
  const key = client.keys.list()[0] ?? '';
  const authority = { weight_threshold: 1, account_auths: [], key_auths: [[key, 1]] as const, address_auths: [] };
  const options = {
    memo_key: key,
    voting_account: idOf('account', 5),
    num_witness: 0,
    num_committee: 0,
    votes: [],
    extensions: [],
  };
  const receipt = await client
    .transaction({ lifetimeSec: 100, feeAsset: 'GXC' })
    .add(accountCreateOperation, {
      registrar: alice.id,
      referrer: alice.id,
      referrer_percent: 0,
      name: 'plain-one',
      owner: authority,
      active: authority,
      options,
    })
    .add(transferOperation, { from: alice.id, to: carol.id, amount: { amount: 7, asset_id: CORE } })
    .send({ until: 'irreversible' });
  t.equal(receipt.state, 'irreversible');
  t.equal(receipt.created.length, 1);
  t.equal((await client.account('plain-one')).id, receipt.created[0]);
  t.equal(receipt.transaction?.operations.length, 2);
});

t.test('is signed now and sent by another, over HTTP', async (t) => {
  const pay = { from: alice.id, to: bob.id, amount: { amount: '9', asset_id: CORE } };
  const { id, transaction } = await client.transaction().add('transfer', pay).sign();
  const other = await openClient(`http://${node.endpoint}`);
  const confirmed = await other.network_broadcast.broadcast_transaction_synchronous({ trx: transaction });
  t.equal(confirmed.id, id);
  t.same(confirmed.trx.signatures, transaction.signatures);
  refused(t, NOTICE_ERRORS.client_no_notices, () => other.onBlock(() => undefined));
});

t.test('a refusal keeps the name of its check, and nothing is signed without a key', async (t) => {
  const tooMuch = client.transfer({ from: 'alice', to: 'bob', amount: '100000000000 GXC' });
  await t.rejects(tooMuch, RpcError);
  const unsigned = client.transfer({ from: 'bob', to: 'alice', amount: '1 GXC' });
  await refusedLater(t, CLIENT_ERRORS.client_unsigned, unsigned);
  const strange = await openClient(`http://${node.endpoint}`, { keys: [PrivateKey.fromSeed('nobody')] });
  await refusedLater(
    t,
    CLIENT_ERRORS.client_unsigned,
    strange.transaction().add('transfer', { from: alice.id }).send(),
  );
});

t.test('nobody waits longer than he wants', async (t) => {
  const leaving = new AbortController();
  leaving.abort();
  const left = client.transfer({ from: 'alice', to: 'bob', amount: '1 GXC', signal: leaving.signal });
  await refusedLater(t, SENT_ERRORS.client_aborted, left);
  const sent = await client.transfer({ from: 'alice', to: 'bob', amount: '2 GXC', until: 'sent' });
  t.match(sent, { state: 'sent', created: [] });
});
