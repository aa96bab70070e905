import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { expectRefusal, startTestChain } from 'trustnode/testing';

const file = (name) => readFileSync(new URL(name, import.meta.url));

let chain;
let contract;
before(async () => {
  chain = await startTestChain();
  contract = await chain.deploy(
    { code: file('NAME.wasm'), abi: file('NAME.abi').toString() },
    { name: 'NAME' },
  );
});
after(() => chain?.stop());

test('it counts for each account', async () => {
  await contract.call('add', { by: 2 });
  const { prints } = await contract.call('add', { by: 3 });
  assert.equal(prints, 'alice has 5');
  await contract.call('add', { by: 1 }, { by: 'bob' });
  assert.deepEqual((await contract.rows('counter')).map(({ count }) => count), [5, 1]);
});

test('to add nothing is refused', async () => {
  await expectRefusal(contract.call('add', { by: 0 }), 'add something');
});
