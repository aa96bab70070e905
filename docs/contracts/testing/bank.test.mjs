// Tests of a contract on a chain of their own: node --stack-size=6500 --test docs/contracts/testing/
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, beforeEach, test } from 'node:test';
import { expectRefusal, startTestChain } from 'trustnode/testing';

const file = (name) => readFileSync(new URL(`../../../test/fixtures/contracts/${name}`, import.meta.url));
const filesOf = (name) => ({ code: file(`${name}.wasm`), abi: file(`${name}.abi`).toString() });

let chain;
let bank;
let clean;
before(async () => {
  chain = await startTestChain();
  bank = await chain.deploy(filesOf('bank'), { name: 'bank' });
});
after(() => chain.stop());
// Each test begins with the same chain.
beforeEach(() => {
  if (clean !== undefined) chain.dev.revert(clean);
  clean = chain.dev.snapshot();
});

test('who deposits has it in the table', async () => {
  const { fee, ram } = await bank.call('deposit', {}, { by: 'bob', pay: '10 GXC' });
  assert.ok(fee.amount > 0n);
  const bob = await chain.client.accountId('bob');
  assert.ok(ram[bob] > 0n, 'and pays for the row');
  const [row, ...others] = await bank.rows('account');
  assert.deepEqual(row.balances, [{ amount: 1_000_000, asset_id: 1 }]);
  assert.deepEqual(others, []);
});

test('what is paid out is an inline operation', async () => {
  await bank.call('deposit', {}, { pay: '10 GXC' });
  const { inline } = await bank.call('withdraw', { to: 'carol', amount: { amount: 400_000, asset_id: 1 } });
  assert.deepEqual(inline.map(({ name, body }) => [name, body.amount.amount]), [['inline_transfer', 400_000n]]);
});

test('nobody takes what is not theirs', async () => {
  assert.deepEqual(await bank.rows('account'), [], 'nothing is left of the tests before');
  const withdrawn = bank.call('withdraw', { to: 'carol', amount: { amount: 1, asset_id: 1 } }, { by: 'carol' });
  await expectRefusal(withdrawn, 'you have no account here');
  await expectRefusal(bank.call('deposit', {}, { by: 'bob' }), 'attach what you want to deposit');
});

test('prints, and time', async () => {
  const hello = await chain.deploy(filesOf('hello'), { name: 'hello' });
  const { prints } = await hello.call('hi', { user: 'reader' }, { by: 'bob' });
  assert.equal(prints, 'hi, reader, from bob');
  const before = chain.headTime;
  await chain.passTime(30 * 86_400);
  assert.ok(chain.headTime - before >= 30 * 86_400_000);
});
