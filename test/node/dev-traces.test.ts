import t, { type Test } from 'tap';
import type { Json, JsonObject } from '../../src/codec/json.js';
import type { PrivateKey } from '../../src/crypto/private-key.js';
import { DEV_ACCOUNTS } from '../../src/node/dev/dev-network.js';
import { signedForHead } from '../../src/node/dev/genesis-claims.js';
import { abiDef } from '../../src/protocol/abi.js';
import { signedTransaction } from '../../src/protocol/transaction.js';
import type { DevPort } from '../../src/rpc/ports.js';
import { AbiCodec } from '../../src/vm/abi/abi-codec.js';
import { type DevNode, startDevNode } from '../support/dev-node.js';
import { exampleContract } from '../support/example-contracts.js';
import { NETWORK } from '../support/network.js';
import { rpcCall, rpcText } from '../support/rpc-call.js';

/** What contract calls did, on a development chain. */

const [ALICE] = DEV_ACCOUNTS.map(({ key }) => key) as [PrivateKey];
const DEPLOY = 74;
const CALL = 75;

const portOf = ({ node }: DevNode): DevPort => node.dev as DevPort;
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

async function idOf({ node }: DevNode, name: string): Promise<string> {
  const [account] = await rpcCall<{ id: string }[]>(node.endpoints.plain, 'lookup_account_names', [[name]]);
  return account?.id ?? '';
}

/** With a fee that is enough: to ask what a call that fails would cost is refused. */
async function send(chain: DevNode, operations: readonly (readonly [number, object])[]): Promise<JsonObject> {
  const { state } = chain.node.chain.queries;
  const priced = operations.map(([tag, body]) => [tag, { fee: { amount: 100_000_000, asset_id: '1.3.1' }, ...body }]);
  const blank = {
    ref_block_num: 0,
    ref_block_prefix: 0,
    expiration: '2030-01-01T00:00:00',
    extensions: [],
    signatures: [],
  };
  const unsigned = signedTransaction.fromJson({ ...blank, operations: priced } as never, NETWORK);
  const text = signedTransaction.toJson(signedForHead(state, [...unsigned.operations], [ALICE]), NETWORK);
  const params = ['network_broadcast', 'broadcast_transaction', [text]];
  return JSON.parse(await rpcText(chain.node.endpoints.plain, 'call', params)) as JsonObject;
}

async function deploy(chain: DevNode, name: string): Promise<void> {
  const { code, abi } = exampleContract(name);
  const deployment = {
    name: `a-${name}`,
    account: await idOf(chain, 'alice'),
    vm_type: '0',
    vm_version: '0',
    code: hex(code),
    abi: abiDef.toJson(abi),
    extensions: [],
  };
  const answer = await send(chain, [[DEPLOY, deployment]]);
  if (answer.error !== undefined) throw new Error(JSON.stringify(answer.error));
  await portOf(chain).mine(1, 0);
}

async function call(chain: DevNode, name: string, method: string, args: Json, money?: number) {
  const codec = new AbiCodec(exampleContract(name).abi, NETWORK);
  const body = {
    account: await idOf(chain, 'alice'),
    contract_id: await idOf(chain, `a-${name}`),
    ...(money === undefined ? {} : { amount: { amount: money, asset_id: '1.3.1' } }),
    method_name: method,
    data: hex(codec.packAction(method, args)),
    extensions: [],
  };
  return [CALL, body] as const;
}

async function chainWith(t: Test, ...contracts: string[]): Promise<DevNode> {
  const chain = await startDevNode(t.testdir());
  t.teardown(() => chain.node.stop());
  portOf(chain).setProducing(false);
  await portOf(chain).mine(5, 0);
  await new Promise((resolve) => setImmediate(resolve));
  await portOf(chain).mine(5, 0);
  for (const name of contracts) await deploy(chain, name);
  return chain;
}

const PRICE = { amount: 500, asset_id: 1 };

t.test('what a call printed, for a transaction that waits and one in a block', async (t) => {
  const chain = await chainWith(t, 'hello');
  await send(chain, [
    await call(chain, 'hello', 'hi', { user: 'you' }),
    await call(chain, 'hello', 'hi', { user: 'me' }),
  ]);
  const [waiting] = portOf(chain).pending();
  const id = waiting?.id ?? '';
  const wanted = (operation: number, user: string) => ({
    operation,
    contract: 'a-hello',
    action: 'hi',
    arguments: { user },
    sender: 'alice',
    prints: `hi, ${user}, from alice\n`,
    inline: [],
  });
  t.same(await rpcCall(chain.node.endpoints.plain, 'dev_trace', [id]), [wanted(0, 'you'), wanted(1, 'me')]);
  await portOf(chain).mine(3, 0);
  t.same(await rpcCall(chain.node.endpoints.plain, 'dev_trace', [id]), [wanted(0, 'you'), wanted(1, 'me')]);
  await t.rejects(rpcCall(chain.node.endpoints.plain, 'dev_trace', ['00'.repeat(20)]), /there is no trace/);
});

t.test('a call that fails within another one: the error has the tree, and who failed', async (t) => {
  const chain = await chainWith(t, 'ledger', 'bank', 'shop');
  const items = [{ name: 'tea', price: PRICE }];
  await send(chain, [await call(chain, 'shop', 'open', { ledger: 'a-ledger', bank: 'a-bank', items })]);
  await portOf(chain).mine(1, 0);
  const buying = await call(chain, 'shop', 'buy', { item: 'tea' }, PRICE.amount);
  const failed = await send(chain, [buying]);
  const { data, message } = failed.error as { data: { trace: JsonObject }; message: string };
  const reason = /the owner has not been named/;
  t.match(message, reason);
  t.match(data.trace, {
    contract: 'a-shop',
    action: 'buy',
    arguments: { item: 'tea' },
    amount: { amount: '500', asset_id: '1.3.1' },
    failed: reason,
    inline: [{ contract: 'a-ledger', action: 'record', sender: 'a-shop', failed: reason, inline: [] }],
  });
  await send(chain, [await call(chain, 'ledger', 'setowner', { contract: 'a-shop' })]);
  await portOf(chain).mine(1, 0);
  await send(chain, [buying]);
  const [waiting] = portOf(chain).pending();
  const [done] = portOf(chain).trace(waiting?.id ?? '') as JsonObject[];
  t.match(done, {
    inline: [{ action: 'record' }, { contract: 'a-bank', action: 'deposit', amount: { amount: '250' } }],
  });
  t.notOk('failed' in (done as JsonObject));
  const wrong = await send(chain, [await call(chain, 'shop', 'buy', { item: 'coffee' }, PRICE.amount)]);
  t.match((wrong.error as JsonObject).data, { trace: { failed: /no such item in the shop/, inline: [] } });
});

t.test('the newest calls of a contract, those by others and refused ones too', async (t) => {
  const chain = await chainWith(t, 'hello', 'ledger', 'bank', 'shop');
  const { plain } = chain.node.endpoints;
  const tracesOf = (...params: readonly unknown[]) => rpcCall<JsonObject[]>(plain, 'dev_contractTraces', [...params]);
  t.same(await tracesOf('a-bank'), []);
  const items = [{ name: 'tea', price: PRICE }];
  await send(chain, [await call(chain, 'shop', 'open', { ledger: 'a-ledger', bank: 'a-bank', items })]);
  await portOf(chain).mine(1, 0);
  const [buyingTag, buying] = await call(chain, 'shop', 'buy', { item: 'tea' }, PRICE.amount);
  const ofFee = await rpcText(plain, 'get_required_fees', [[[buyingTag, buying]], '1.3.1']);
  t.match(ofFee, /the owner has not been named/);
  const refused = { contract: 'a-shop', action: 'buy', failed: /the owner has not been named/ };
  const [atFee] = await tracesOf('a-ledger');
  t.match(atFee, refused);
  t.notOk('transaction' in (atFee as JsonObject), 'it was not sent');
  await send(chain, [await call(chain, 'ledger', 'setowner', { contract: 'a-shop' })]);
  await portOf(chain).mine(1, 0);
  await rpcText(plain, 'get_required_fees', [[[buyingTag, buying]], '1.3.1']);
  await send(chain, [[buyingTag, buying]]);
  const [{ id } = { id: '' }] = portOf(chain).pending();
  const bought = await tracesOf('a-bank');
  t.match(
    bought,
    [{ transaction: id, operation: 0, contract: 'a-shop', action: 'buy' }],
    'and not the question for the fee',
  );
  t.equal(bought.length, 1);
  t.equal((await tracesOf('a-shop')).length, 3);
  t.equal((await tracesOf('a-shop', 2)).length, 2);
  t.same(await tracesOf('alice'), [], 'no contract');
  t.match(await rpcText(plain, 'dev_contractTraces', ['nobody']), /there is no account nobody/);
});

t.test('prints are in the log once, when a block has the call or when it is refused', async (t) => {
  const chain = await chainWith(t, 'hello', 'bank');
  const { plain } = chain.node.endpoints;
  const logged = () =>
    chain.log.entries.filter(({ module }) => module === 'contract').map(({ text, values }) => ({ text, ...values }));
  const operation = await call(chain, 'hello', 'hi', { user: 'you\u001b[2J\nme' });
  await rpcText(plain, 'get_required_fees', [[operation], '1.3.1']);
  await send(chain, [operation]);
  t.same(logged(), [], 'it has run twice, and only been tried');
  await portOf(chain).mine(2, 0);
  const printed = { text: 'contract prints', contract: 'a-hello', action: 'hi' };
  const lines = ['hi, you\\u001b[2J', 'me, from alice'].map((line) => ({ ...printed, line }));
  t.same(logged(), lines, 'nothing in it does anything to a terminal');
  const withdrawal = { to: 'bob', amount: { amount: 5, asset_id: 1 } };
  await send(chain, [await call(chain, 'bank', 'withdraw', withdrawal)]);
  const refused = { text: 'contract call refused', contract: 'a-bank', action: 'withdraw' };
  t.match(logged().slice(lines.length), [{ ...refused, reason: /you have no account here/ }]);
  t.equal(logged().length, lines.length + 1);
});

t.test('errors that no contract call made have none', async (t) => {
  const chain = await chainWith(t);
  const answer = JSON.parse(await rpcText(chain.node.endpoints.plain, 'get_objects', [['1.99.1.1']])) as JsonObject;
  t.notOk('trace' in ((answer.error as { data: object } | undefined)?.data ?? {}));
});
