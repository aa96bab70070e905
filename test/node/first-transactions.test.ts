import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { FIRST_TRANSACTION_ERRORS } from '../../src/node/parts/first-transactions.js';
import { accountObject } from '../../src/state/objects/account.js';
import { balanceObject } from '../../src/state/objects/balance.js';
import { balanceOf } from '../../src/state/rules/balances.js';
import { commandLine } from '../support/command-line.js';
import { type DevNode, type Line, startDevNode } from '../support/dev-node.js';
import { eventually } from '../support/eventually.js';
import { refusedLater } from '../support/refused.js';

/** `genesis claim` and what a node that begins the chain makes of it, as docs/network.md says. */

const SUPPLY = 1_000_000n * 100_000n;

interface KeyRow {
  readonly name: string;
  readonly purpose: string;
  readonly wif: string;
  readonly public_key: string;
}

async function begin(t: Test, folder: string, ...more: string[]): Promise<Line> {
  const file = join(folder, 'net.json');
  const made = await commandLine(['genesis', 'create', file, '--witnesses', '1', '--supply', '1000000', ...more]);
  t.equal(made.code, 0, made.stderr);
  const claimed = await commandLine(['genesis', 'claim', file]);
  t.match(claimed, { code: 0, stdout: /^1 claims in .*net\.claims\.json\n$/ });
  const keys = JSON.parse(readFileSync(join(folder, 'net.keys.json'), 'utf8')) as KeyRow[];
  const signing = keys.find(({ purpose }) => purpose === 'signing');
  return {
    dev: 'false',
    'genesis-json': file,
    'first-transactions': join(folder, 'net.claims.json'),
    'enable-stale-production': 'true',
    'witness-id': '1.6.1',
    'private-key': JSON.stringify([signing?.public_key, signing?.wif]),
  };
}

async function toBlock({ node, clock }: DevNode, number: number): Promise<void> {
  await eventually(`block ${number}`, () => {
    clock.advance(500);
    return node.chain.queries.head.number >= number;
  });
}

/** All that the genesis file holds for it. */
function treasuryHas({ node }: DevNode): bigint {
  const { state } = node.chain.queries;
  const treasury = state.findBy(accountObject.by.name, 'treasury');
  return treasury === undefined ? -1n : balanceOf(state, treasury.id, 1);
}

for (const [what, more] of [
  ['the rules of the main network', []],
  ['all rules from the start', ['--all-forks', '--timestamp', 'now']],
] as const) {
  t.test(`claims in block 1 of a chain with ${what}`, async (t) => {
    const folder = t.testdir();
    const line = await begin(t, folder, ...more);
    const dev = await startDevNode(folder, line);
    await toBlock(dev, 1);
    t.equal(treasuryHas(dev), SUPPLY);
    t.same([...dev.node.chain.queries.state.all(balanceObject)], [], 'nothing is left to claim');
    await dev.node.stop();
    const again = await startDevNode(folder, line, dev.clock);
    t.ok(
      again.log.entries.some(({ text }) => /the chain has begun/.test(text)),
      'a later start passes over them',
    );
    await toBlock(again, 2);
    await again.node.stop();
  });
}

t.test('a file that is none, and transactions of another chain', async (t) => {
  const folder = t.testdir({ own: {}, other: {} });
  const line = await begin(t, join(folder, 'own'));
  await begin(t, join(folder, 'other'));
  const start = (file: string): Promise<DevNode> => startDevNode(folder, { ...line, 'first-transactions': file });
  const { first_transactions_unreadable: unreadable, first_transaction_refused } = FIRST_TRANSACTION_ERRORS;
  await refusedLater(t, unreadable, start(join(folder, 'nothing.json')), 'no file');
  const bad = join(folder, 'bad.json');
  for (const text of ['{"a":1}', '[5]', 'no JSON']) {
    writeFileSync(bad, text);
    await refusedLater(t, unreadable, start(bad), text);
  }
  await refusedLater(t, first_transaction_refused, start(join(folder, 'other', 'net.claims.json')));
});

t.test('claims of keys that own nothing there', async (t) => {
  const folder = t.testdir();
  await begin(t, folder);
  const file = join(folder, 'net.json');
  t.match(await commandLine(['genesis', 'claim', file]), { code: 1, stderr: /exists; --force replaces it/ });
  writeFileSync(join(folder, 'none.json'), '[]');
  const none = await commandLine(['genesis', 'claim', file, '--force', '--keys', join(folder, 'none.json')]);
  t.match(none, { code: 1, stderr: /none of these keys has a balance in the genesis file/ });
  writeFileSync(join(folder, 'none.json'), '{}');
  const bad = await commandLine(['genesis', 'claim', file, '--force', '--keys', join(folder, 'none.json')]);
  t.match(bad, { code: 1, stderr: /it is no list of keys/ });
});
