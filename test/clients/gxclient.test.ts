import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import t from 'tap';
import { connect } from '../../src/client/client.js';
import { PrivateKey } from '../../src/crypto/private-key.js';
import { publicKeyToText } from '../../src/crypto/public-key.js';
import { uwsTransport } from '../../src/http/uws-server.js';
import { eventually } from '../support/eventually.js';
import { projectPath } from '../support/paths.js';
import { startDevProcess } from './support/dev-process.js';
import { type ClientAccount, GxClientThread } from './support/gxclient.js';
import { Signer } from './support/signer.js';

/**
 * The public client, unmodified, against the program as people run it: what its documentation shows, over HTTP and over
 * WebSocket at the same time.
 */

interface Amount {
  amount: number | string;
  asset_id: string;
}
interface Memo {
  from: string;
  to: string;
  nonce: string;
  message: string;
}
interface Transfer {
  fee: Amount;
  from: string;
  to: string;
  amount: Amount;
  memo?: Memo;
}
interface Account {
  id: string;
  name: string;
  registrar: string;
  code: string;
  active: { key_auths: unknown[] };
  options: { memo_key: string; votes: string[] };
}
interface Properties {
  head_block_number: number;
  last_irreversible_block_num: number;
}
interface Keys {
  brainKey: string;
  privateKey: string;
  publicKey: string;
}
/** For wallets: opens a memo as the client's documentation does. */
interface Wallet {
  PrivateKey: { fromWif(wif: string): unknown };
  Aes: { decrypt_with_checksum(key: unknown, from: string, nonce: string, message: string): { toString(): string } };
}
const { Aes, PrivateKey: WalletKey } = createRequire(import.meta.url)('gxbjs') as Wallet;

const vector = (file: string): Buffer => readFileSync(projectPath('test/vectors/contracts', file));
const codeOf = (name: string): string => vector(`${name}.wasm`).toString('hex');
const abiOf = (name: string): { tables: unknown[] } => JSON.parse(vector(`${name}.abi`).toString());

const GIFT = 1000_00000;
/** Core units for one unit of the token. */
const TOKEN_RATE = 2;
const TOKEN = 'PAYTOKEN';
/** Blocks come every three seconds. */
const POLL_MS = 300;

// The other library's test uses the server of Node.
const node = await startDevProcess(t.testdir(), '--rpc-transport', uwsTransport() === undefined ? 'auto' : 'uws');
t.teardown(() => node.stop());
const { alice } = node;
const own = await connect(`http://${node.endpoint}`);
const signer = new Signer(own, alice.wif);

/** An asset that pays fees, issued to alice; the clients need it only late. */
const token = (async (): Promise<string> => {
  const { created } = await signer.send('asset_create', {
    issuer: alice.id,
    symbol: TOKEN,
    precision: 5,
    common_options: {
      max_supply: '1000000000000',
      market_fee_percent: 0,
      max_market_fee: 0,
      issuer_permissions: 0,
      flags: 0,
      core_exchange_rate: {
        base: { amount: TOKEN_RATE, asset_id: '1.3.1' },
        // 1.3.2 stands for the asset that does not exist yet.
        quote: { amount: 1, asset_id: '1.3.2' },
      },
      description: '',
    },
    is_prediction_market: false,
  });
  if (created === undefined) throw new Error('no asset was created');
  const asset_to_issue = { amount: 1_000_000, asset_id: created };
  await signer.send('asset_issue', { issuer: alice.id, asset_to_issue, issue_to_account: alice.id });
  return created;
})();

t.jobs = 2;
/** Each transport has a partner of its own, so that balances are nobody else's doing. */
for (const [scheme, partner] of [
  ['http', node.bob],
  ['ws', node.carol],
] as const) {
  t.test(`over ${scheme}`, { buffered: true }, async (t) => {
    const client = new GxClientThread(`${scheme}://${node.endpoint}`);
    t.teardown(() => client.close());
    const balance = async (name: string, asset: string): Promise<number> => {
      const amounts = await client.call<Amount[]>(alice, 'getAccountBalances', name);
      return Number(amounts.find(({ asset_id }) => asset_id === asset)?.amount ?? 0);
    };
    const properties = (): Promise<Properties> => client.call(alice, 'getDynamicGlobalProperties');

    const keys = await client.call<Keys>(alice, 'generateKey');
    const user: ClientAccount = { name: `user-${scheme}`, wif: keys.privateKey };

    await t.test('keys are those that the chain knows', async (t) => {
      const key = PrivateKey.fromWif(keys.privateKey);
      t.equal(keys.publicKey, publicKeyToText(key.publicKey, 'GXC'));
      t.match(keys.brainKey, /^([a-z]+ ){11,}[a-z]+$/);
      t.equal(await client.call(alice, 'privateToPublic', alice.wif), alice.public_key);
      t.equal(await client.call(alice, 'isValidPublic', alice.public_key), true);
      t.equal(await client.call(alice, 'isValidPublic', `${alice.public_key.slice(0, -1)}1`), false);
      t.equal(await client.call(alice, 'isValidPrivate', alice.wif), true);
      t.equal(await client.call(alice, 'isValidPrivate', alice.public_key), false);
    });

    const bank = `bank-${scheme}`;
    const created = client.broadcast(alice, 'createContract', bank, codeOf('bank'), abiOf('bank'), '0', '0', true);
    // Awaited below; until then it must not count as unhandled.
    created.catch(() => undefined);

    await t.test('an account from the faucet', async (t) => {
      const register = (name: string, key = keys.publicKey): Promise<{ account: { id: string } }> =>
        client.call(alice, 'register', name, key, key, key, `http://${node.endpoint}`);
      const { account } = await register(user.name);
      await signer.send('transfer', { from: alice.id, to: account.id, amount: { amount: GIFT, asset_id: '1.3.1' } });
      const found = await client.call<Account>(user, 'getAccount', user.name);
      const faucet = await own.database.get_account_by_name({ name: 'faucet' });
      t.match(found, { id: account.id, name: user.name, registrar: `1.2.${faucet?.id}` });
      t.same(found.active.key_auths, [[keys.publicKey, 1]]);
      t.same(await client.call(user, 'getAccountByPublicKey', keys.publicKey), [account.id]);
      t.equal(await balance(user.name, '1.3.1'), GIFT);
      t.equal(await client.call(user, 'getAccount', 'nobody-here'), null);
      await t.rejects(register(user.name, alice.public_key), 'the name is taken');
    });

    await t.test('questions', async (t) => {
      t.equal(await client.call(alice, 'getChainID'), node.chainId);
      const head = await properties();
      t.ok(head.last_irreversible_block_num > 0 && head.last_irreversible_block_num <= head.head_block_number);
      t.match(await client.call(alice, 'getObject', alice.id), { id: alice.id, name: 'alice' });
      const objects = await client.call<object[]>(alice, 'getObjects', [partner.id, '1.3.1', '1.2.999999']);
      t.match(objects, [{ name: partner.name }, { symbol: 'GXC', precision: 5 }, null]);
      t.match(await client.call(alice, 'getAsset', 'GXC'), { id: '1.3.1', symbol: 'GXC' });
      t.equal(await client.call(alice, 'getAsset', 'NOSUCHASSET'), null);
      const block = await client.call<{ transactions: unknown[] }>(alice, 'getBlock', 2);
      t.match(block, { witness: /^1\.6\.[123]$/, block_id: /^00000002/, previous: /^00000001/ });
      t.equal(await client.call(alice, 'getBlock', 1_000_000), null);
    });

    const from = (await properties()).head_block_number;
    const userId = (await client.call<Account>(user, 'getAccount', user.name)).id;
    const detected = new Map<string, { height: number; irreversible: number; operations: unknown[] }>();
    client.watch(user, 'detectTransaction', [from], (height, id, operation) => {
      // The client tells of some transactions more than once.
      void properties().then(({ last_irreversible_block_num: irreversible }) => {
        if (!detected.has(String(id)))
          detected.set(String(id), { height: Number(height), irreversible, operations: operation as unknown[] });
      });
    });

    await t.test('transfers with and without memo, dry and for real, and one that is refused', async (t) => {
      const before = await balance(partner.name, '1.3.1');
      const dry = await client.call<{ operations: [number, Transfer][]; signatures: string[] }>(
        ...([user, 'transfer', partner.name, 'not sent', '1 GXC', false] as const),
      );
      t.equal(dry.signatures.length, 1);
      const [secret, open] = await Promise.all([
        client.broadcast(user, 'transfer', partner.name, 'for you alone: 数据', '15 GXC', true),
        client.broadcast(user, 'transfer', partner.name, '', '0.12345 GXC', true),
      ]);
      t.equal(await balance(partner.name, '1.3.1'), before + 15_12345, 'the dry one did nothing');
      const { memo, fee } = secret.trx.operations[0]?.[1] as unknown as Transfer;
      if (memo === undefined) throw new Error('the memo was lost');
      const opened = Aes.decrypt_with_checksum(WalletKey.fromWif(partner.wif), memo.from, memo.nonce, memo.message);
      t.equal(opened.toString(), 'for you alone: 数据');
      t.equal(memo.from, keys.publicKey);
      const plain = open.trx.operations[0]?.[1] as unknown as Transfer;
      t.notOk('memo' in plain);
      t.match(plain, { from: userId, to: partner.id, amount: { amount: 12345, asset_id: '1.3.1' } });
      t.equal(await balance(user.name, '1.3.1'), GIFT - 15_12345 - Number(fee.amount) - Number(plain.fee.amount));
      const tooMuch = client.broadcast(user, 'transfer', partner.name, '', '100000 GXC', true);
      await t.rejects(tooMuch, { message: /Insufficient Balance: .* unable to transfer '100000 GXC' from account/ });
      const thief = { name: partner.name, wif: keys.privateKey };
      await t.rejects(client.broadcast(thief, 'transfer', user.name, '', '1 GXC', true), {
        message: /missing required active authority/,
      });

      await t.test('final once the block is irreversible', async (t) => {
        const isFinal = async () => (await properties()).last_irreversible_block_num >= secret.block_num;
        await eventually('the block is irreversible', isFinal, POLL_MS);
        const block = await client.call<{ transaction_ids: string[] }>(alice, 'getBlock', secret.block_num);
        t.ok(block.transaction_ids.includes(secret.id));
        await eventually('both are told of', () => detected.has(secret.id) && detected.has(open.id), POLL_MS);
        const one = detected.get(secret.id);
        t.equal(one?.height, secret.block_num);
        t.match(one?.operations, [0, { from: userId, to: partner.id, memo: { message: memo.message } }]);
        t.ok(one !== undefined && one.height <= one.irreversible, 'and not told of before');
      });
    });

    await t.test('votes', async (t) => {
      await client.broadcast(user, 'vote', ['init0', 'init1'], true);
      const votes = async (): Promise<string[]> =>
        [...(await client.call<Account>(user, 'getAccount', user.name)).options.votes].sort();
      t.same(await votes(), ['0:3', '0:4', '1:0', '1:1'], 'for the committee member and the witness of each');
      await client.broadcast(user, 'vote', ['init2'], true, { append: true });
      t.same(await votes(), ['0:3', '0:4', '0:5', '1:0', '1:1', '1:2']);
    });

    await t.test('a contract is made, called and read', async (t) => {
      const account = await created;
      t.match(account.trx.operation_results, [[1, /^1\.2\.\d+$/]]);
      const { id, code } = await client.call<Account>(alice, 'getAccount', bank);
      t.equal(account.trx.operation_results[0]?.[1], id);
      t.equal(code, codeOf('bank'));
      t.same(await client.call(alice, 'getContractABI', bank), abiOf('bank'));
      t.same(await client.call(alice, 'getContractTable', bank), abiOf('bank').tables);
      const [first] = await Promise.all([
        client.broadcast(alice, 'callContract', bank, 'deposit', {}, '10 GXC', true),
        client.broadcast(user, 'callContract', bank, 'deposit', {}, '3 GXC', true),
      ]);
      t.match(first.trx.operation_results, [
        [4, { fee: { asset_id: '1.3.1' }, ram_receipts: [{ account: alice.id }] }],
      ]);
      /** A node reads for ten milliseconds and answers with what it has by then, which a busy machine may make less. */
      const rowsOf = (count: number, method: string, ...more: unknown[]): Promise<unknown> =>
        eventually(`${count} rows`, async () => {
          const found = await client.call<unknown[] | { rows: unknown[] }>(alice, method, bank, ...more);
          return (Array.isArray(found) ? found : found.rows).length >= count && found;
        });
      const row = (owner: string, amount: number): object => ({
        owner: Number(owner.split('.')[2]),
        balances: [{ amount, asset_id: 1 }],
      });
      const rows = [row(alice.id, 10_00000), row(userId, 3_00000)];
      t.same(await rowsOf(2, 'getTableObjects', 'account'), rows);
      t.same(await rowsOf(1, 'getTableObjects', 'account', 0, 1), rows.slice(0, 1));
      t.same(await rowsOf(2, 'getTableObjectsEX', 'account'), { rows, more: false });
      const key = rows[1] as { owner: number };
      const backwards = ['account', 0, key.owner + 1, 10, true];
      const both = { rows: [...rows].reverse(), more: false };
      t.same(await rowsOf(2, 'getTableObjectsEX', ...backwards), both);
      const withdrawal = { to_account: partner.name, amount: { amount: 1_00000, asset_id: 1 } };
      await client.broadcast(user, 'callContract', bank, 'withdraw', withdrawal, '', true);
      t.same(await rowsOf(1, 'getTableObjects', 'account', key.owner, 1), [row(userId, 2_00000)]);
      const greedy = { to_account: partner.name, amount: { amount: 9_00000, asset_id: 1 } };
      await t.rejects(client.broadcast(user, 'callContract', bank, 'withdraw', greedy, '', true), {
        message: /overdrawn|insufficient|assert/i,
      });
    });

    await t.test('fees in another asset', async (t) => {
      const id = await token;
      const before = await balance('alice', id);
      const options = { fee_symbol: TOKEN };
      const [sent, called] = await Promise.all([
        client.broadcast(alice, 'transfer', user.name, '', '1 GXC', true, options),
        client.broadcast(alice, 'callContract', bank, 'deposit', {}, '1 GXC', true, options),
      ]);
      const { fee } = sent.trx.operations[0]?.[1] as unknown as Transfer;
      t.same(fee, { amount: 1000 / TOKEN_RATE, asset_id: id });
      t.match(called.trx.operations[0]?.[1], { fee: { asset_id: id } });
      t.match(called.trx.operation_results, [[4, { fee: { asset_id: id } }]]);
      t.ok((await balance('alice', id)) <= before - 1000 / TOKEN_RATE);
      t.match(await client.call(alice, 'getAsset', TOKEN), { id, issuer: alice.id });
    });

    await t.test('a contract is replaced and given away', async (t) => {
      await t.rejects(client.broadcast(user, 'updateContract', bank, '', codeOf('hello'), abiOf('hello'), true), {
        message: /only owner can update contract, current owner: 1\.2\.\d+/,
      });
      await client.broadcast(alice, 'updateContract', bank, user.name, codeOf('hello'), abiOf('hello'), true);
      t.same(await client.call(alice, 'getContractABI', bank), abiOf('hello'));
      const { trx } = await client.broadcast(alice, 'callContract', bank, 'hi', { user: 'gxc' }, '', true);
      t.match(trx.operations, [[75, { method_name: 'hi', data: '03677863' }]]);
      await t.rejects(client.broadcast(alice, 'callContract', bank, 'deposit', {}, '', true), 'the method is gone');
      await t.rejects(client.broadcast(alice, 'updateContract', bank, '', codeOf('bank'), abiOf('bank'), true));
    });
  });
}
