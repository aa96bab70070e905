import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { type CallTrace, traceText } from '../../src/testing/call-trace.js';
import { type ContractFiles, expectRefusal, startTestChain, type TestContract } from '../../src/testing/library.js';
import { projectPath } from '../support/paths.js';

/** A refusal in a test of a contract says what the call did before it. */

const file = (name: string): Buffer => readFileSync(projectPath('test/fixtures/contracts', name));
const filesOf = (name: string): ContractFiles => ({ code: file(`${name}.wasm`), abi: file(`${name}.abi`).toString() });

/** A shop whose ledger nobody has opened for it. */
async function closedShop(t: Test): Promise<TestContract> {
  const chain = await startTestChain();
  t.teardown(() => chain.stop());
  const shop = await chain.deploy(filesOf('shop'), { name: 'shop' });
  await chain.deploy(filesOf('bank'), { name: 'bank' });
  await chain.deploy(filesOf('ledger'), { name: 'ledger' });
  const price = { amount: 200_000, asset_id: 1 };
  await shop.call('open', { ledger: 'ledger', bank: 'bank', items: [{ name: 'tea', price }] });
  return shop;
}

t.test('a refusal has the trace of the call, in its text too', async (t) => {
  const shop = await closedShop(t);
  const buying = () => shop.call('buy', { item: 'tea' }, { by: 'bob', pay: '2 GXC' });
  const refusal = await expectRefusal(buying());
  const { trace, stack = '', message } = refusal;
  t.match(trace, { contract: 'shop', action: 'buy', arguments: { item: 'tea' }, sender: 'bob' });
  const inner = trace?.inline.at(-1) as CallTrace;
  t.match(inner, { contract: 'ledger', action: 'record', sender: 'shop' });
  t.ok(inner.failed !== undefined && message.includes(inner.failed), 'the innermost one says why');
  const lines = stack.split('\n');
  t.equal(lines[0], `Refusal: ${message}`);
  t.equal(lines[1], '  shop.buy {"item":"tea"} from bob, with 200000 of 1.3.1');
  t.match(lines[2], /^ {4}ledger\.record \{.*\} from shop$/);
  t.equal(lines[3], `      ! ${inner.failed}`);
  t.match(lines[4], /^ {4}at /);
  await t.rejects(expectRefusal(buying(), 'something else'), { message: /\n {4}ledger\.record / });
});

t.test('prints, payments and long arguments in the text of a trace', (t) => {
  const amount = { amount: '5', asset_id: '1.3.1' };
  const inner: CallTrace = {
    contract: 'b',
    action: 'two',
    arguments: 'ab'.repeat(300),
    sender: 'a',
    prints: '',
    inline: [],
  };
  const trace: CallTrace = {
    contract: 'a',
    action: 'one',
    arguments: { n: 7n },
    sender: 'alice',
    prints: 'first\nsecond\n',
    failed: 'no',
    inline: [{ transfer: { from: 'a', to: 'bob', amount } }, inner],
  };
  const [call, ...rest] = traceText(trace, '').split('\n');
  t.equal(call, 'a.one {"n":"7"} from alice');
  t.same(rest.slice(0, 3), ['  | first', '  | second', '  pays 5 of 1.3.1 from a to bob']);
  t.match(rest[3], /^ {2}b\.two "(?:ab)+a?… from a$/);
  t.same(rest.slice(4), ['  ! no'], 'after what went well');
  t.end();
});

t.test('a test that fails shows it', async (t) => {
  const folder = t.testdir();
  const program = join(folder, 'fails.test.mjs');
  const library = new URL('../../src/testing/library.js', import.meta.url).href;
  const fixture = (name: string): string => JSON.stringify(projectPath('test/fixtures/contracts', name));
  writeFileSync(
    program,
    `import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { startTestChain } from '${library}';
test('nobody pays', async (t) => {
  const chain = await startTestChain();
  t.after(() => chain.stop());
  const files = { code: readFileSync(${fixture('bank.wasm')}), abi: readFileSync(${fixture('bank.abi')}).toString() };
  const bank = await chain.deploy(files, { name: 'bank' });
  await bank.call('deposit', {}, { by: 'bob' });
});
`,
  );
  const env = { ...process.env, NODE_TEST_CONTEXT: undefined };
  const words = ['--stack-size=6500', '--test', '--test-reporter=spec', program];
  const shown = await new Promise<string>((resolve) =>
    execFile(process.execPath, words, { env }, (_error, stdout) => resolve(stdout)),
  );
  t.match(shown, /Refusal: .*\n +bank\.deposit from bob\n +! .*attach what you want to deposit\n +at /);
});
