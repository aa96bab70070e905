import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import {
  type ContractFiles,
  expectRefusal,
  Refusal,
  startTestChain,
  type TestChain,
  type TestChainOptions,
} from '../../src/testing/library.js';
import { projectPath } from '../support/paths.js';

/** The kit for tests of contracts, as others use it. */

const run = promisify(execFile);
const file = (name: string): Buffer => readFileSync(projectPath('test/fixtures/contracts', name));
const filesOf = (name: string): ContractFiles => ({ code: file(`${name}.wasm`), abi: file(`${name}.abi`).toString() });

async function chainFor(t: Test, options: TestChainOptions = {}): Promise<TestChain> {
  const chain = await startTestChain(options);
  t.teardown(() => chain.stop());
  return chain;
}

t.test('the example of the page passes, and the page shows it', async (t) => {
  const example = 'docs/contracts/testing/bank.test.mjs';
  t.ok(readFileSync(projectPath('docs/contracts/testing.md'), 'utf8').includes(file(`../../../${example}`).toString()));
  const { stdout } = await run(process.execPath, ['--stack-size=6500', '--test', '--test-reporter=tap', example], {
    cwd: projectPath('.'),
    env: { ...process.env, NODE_TEST_CONTEXT: undefined },
  });
  t.match(stdout, /# pass 4\n# fail 0\n/);
});

t.test('several chains in one process know nothing of each other', async (t) => {
  const [one, other] = await Promise.all([chainFor(t), chainFor(t, { inMemory: true })]);
  t.not(one.url, other.url);
  const bank = await one.deploy(filesOf('bank'), { name: 'bank' });
  const same = await other.deploy(filesOf('bank'), { name: 'bank', by: 'bob' });
  await bank.call('deposit', {}, { pay: '1 GXC' });
  t.equal((await bank.rows('account')).length, 1);
  t.same(await same.rows('account'), []);
  await one.mine(30, 60);
  t.ok(one.headBlock >= other.headBlock + 25);
  t.ok(one.headTime.getTime() - other.headTime.getTime() > 20 * 60_000);
  await one.stop();
  t.notOk(existsSync(one.folder));
  await same.call('deposit', {}, { pay: '1 GXC' });
  t.equal((await same.rows('account')).length, 1);
});

t.test('calls at once are each told what has become of them', async (t) => {
  const chain = await chainFor(t);
  const hello = await chain.deploy(filesOf('hello'), { name: 'hello' });
  const calls = ['alice', 'bob', 'carol'].map((by) => hello.call('hi', { user: `friend of ${by}` }, { by }));
  const results = await Promise.all(calls);
  t.same(
    results.map(({ prints }) => prints),
    ['alice', 'bob', 'carol'].map((by) => `hi, friend of ${by}, from ${by}`),
  );
  t.equal(new Set(results.map(({ id }) => id)).size, 3);
  for (const { block } of results) t.ok(block <= chain.headBlock);
});

t.test('what contracts do by other contracts is told, and an update takes the place of the code', async (t) => {
  const chain = await chainFor(t);
  const shop = await chain.deploy(filesOf('shop'), { name: 'shop' });
  await chain.deploy(filesOf('bank'), { name: 'bank' });
  const ledger = await chain.deploy(filesOf('ledger'), { name: 'ledger' });
  await ledger.call('setowner', { contract: 'shop' });
  const price = { amount: 200_000, asset_id: 1 };
  await shop.call('open', { ledger: 'ledger', bank: 'bank', items: [{ name: 'tea', price }] });
  const { inline } = await shop.call('buy', { item: 'tea' }, { by: 'bob', pay: '2 GXC' });
  t.same(
    inline.map(({ name, body }) => [name, body.method_name]),
    [
      ['inter_contract_call', 'record'],
      ['inter_contract_call', 'deposit'],
    ],
  );
  await shop.update(filesOf('hello'));
  t.equal((await shop.call('hi', { user: 'you' })).prints, 'hi, you, from alice');
});

t.test('a refusal is expected by its name, its text or a pattern; what came instead is said', async (t) => {
  const chain = await chainFor(t);
  const bank = await chain.deploy(filesOf('bank'), { name: 'bank' });
  const bad = () => bank.call('deposit');
  const refusal = await expectRefusal(bad(), 'attach what you want to deposit');
  t.type(refusal, Refusal);
  t.match(await expectRefusal(bad(), refusal.key), { key: refusal.key });
  await expectRefusal(bad(), /what you want/);
  await expectRefusal(bad());
  await t.rejects(expectRefusal(bad(), 'balance_too_small'), {
    message: /^expected a refusal "balance_too_small", got .*: .*attach what you want to deposit/,
  });
  const good = bank.call('deposit', {}, { pay: '1 GXC' });
  await t.rejects(expectRefusal(good, 'x'), { message: 'expected a refusal "x", and nothing was refused' });
  await t.rejects(expectRefusal(Promise.reject(new TypeError('of the test'))), TypeError, 'a mistake stays one');
  const before = chain.headBlock;
  await expectRefusal(bad());
  t.equal(chain.headBlock, before, 'nothing was made of it');
  await t.rejects(bank.rows('none'), { message: 'bank has no table none: it has account' });
});

t.test('a folder that is given is kept, and its chain goes on there', async (t) => {
  const folder = join(t.testdir(), 'kept');
  const first = await startTestChain({ folder });
  const bank = await first.deploy(filesOf('bank'), { name: 'bank' });
  const { headBlock } = first;
  await first.stop();
  await first.stop();
  t.ok(readdirSync(folder).length > 2);
  const again = await chainFor(t, { folder });
  t.equal(again.headBlock, headBlock);
  t.equal(await again.client.accountId('bank'), bank.id);
});

t.test('a process ends by itself once its chains are stopped, and leaves no folder behind', async (t) => {
  const temporary = t.testdir();
  const program = join(temporary, 'program.mjs');
  const library = new URL('../../src/testing/library.js', import.meta.url).href;
  writeFileSync(
    program,
    `import { startTestChain } from '${library}';
const chains = await Promise.all([startTestChain(), startTestChain()]);
await Promise.all(chains.map((chain) => chain.client.transfer({ from: 'alice', to: 'bob', amount: '1 GXC', until: 'sent' })));
for (const chain of chains) await chain.stop();
console.log('stopped');
`,
  );
  const { stdout } = await run(process.execPath, ['--stack-size=6500', program], {
    env: { ...process.env, TMPDIR: temporary },
    timeout: 120_000,
  });
  t.equal(stdout, 'stopped\n');
  t.same(readdirSync(temporary), ['program.mjs']);
});

t.test('a start that fails leaves nothing behind', async (t) => {
  const kept = process.env.TMPDIR;
  process.env.TMPDIR = t.testdir();
  try {
    await t.rejects(startTestChain({ options: { 'rpc-endpoint': 'nonsense' } }));
    t.same(readdirSync(process.env.TMPDIR), []);
  } finally {
    if (kept === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = kept;
  }
});
