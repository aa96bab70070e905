import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import accountHistory from '../../plugins/account_history/index.js';
import { DEV_ACCOUNTS } from '../../src/node/dev/dev-network.js';
import { nodeParts } from '../../src/node/parts/list.js';
import { COMMANDS } from '../../src/wallet/commands/index.js';
import { CHECK_ERRORS } from '../../src/wallet/errors.js';
import { startDevNode } from '../support/dev-node.js';
import { freePort } from '../support/free-port.js';
import { projectPath } from '../support/paths.js';
import { refusedLater } from '../support/refused.js';
import { runTrustnode } from '../support/run-trustnode.js';
import { recordedCalls } from '../support/wallet-vectors.js';
import { askWallet, startWallet } from './support/daemon.js';
import { walletOn } from './support/wallet-on.js';

/** docs/exchanges.md as it is written: alice is the exchange, bob its customer 42. */

const folder = t.testdir();
const dev = await startDevNode(folder, { 'max-ops-per-account': '1000' }, undefined, nodeParts([accountHistory]));
dev.clock.advance(9_000);
t.teardown(() => dev.node.stop());
const node = `ws://${dev.node.endpoints.plain}`;
const keyOf = (name: string): string => DEV_ACCOUNTS.find((one) => one.name === name)?.key.toWif() ?? '';
const blocks = (count: number): void => {
  for (let n = 0; n < count; n++) dev.clock.advance(3_000);
};

async function walletOf(name: string): Promise<string> {
  const port = await freePort();
  const file = join(folder, `${name}.json`);
  const lines = ['set_password p', 'unlock p', `import_key ${name} ${keyOf(name)}`];
  const made = await runTrustnode(['wallet', '-w', file, '-s', node, ...lines.flatMap((line) => ['--exec', line])]);
  if (made.code !== 0) throw new Error(made.stdout + made.stderr);
  const daemon = await startWallet(['-w', file, '-s', node, '-H', `127.0.0.1:${port}`]);
  t.teardown(() => daemon.stop());
  const url = `http://127.0.0.1:${port}`;
  await askWallet(url, 'unlock', ['p']);
  return url;
}

const exchange = await walletOf('alice');
const customer = await walletOf('bob');
const call = async <T>(url: string, method: string, ...params: unknown[]): Promise<T> => {
  const { json } = await askWallet(url, method, params);
  if (json.error !== undefined) throw new Error(JSON.stringify(json.error.data));
  return json.result as T;
};

interface Detail {
  readonly memo: string;
  readonly transaction_id: string;
  readonly op: { readonly op: [number, { to: string; from: string; amount: { amount: number; asset_id: string } }] };
}
interface Page {
  readonly next_start_sequence: number;
  readonly details: readonly Detail[];
}

/** What a database of the exchange holds. */
let next = 1;
const credited = new Map<string, number>();
const paid = new Set<string>();

async function readOn(): Promise<void> {
  const own = await call<string>(exchange, 'get_account_id', 'alice');
  for (;;) {
    const page = await call<Page>(exchange, 'get_irreversible_account_history', 'alice', [0], next, 100);
    for (const { memo, transaction_id, op } of page.details) {
      const [tag, { to, amount }] = op.op;
      if (tag === 0 && to === own && amount.asset_id === '1.3.1')
        credited.set(`${transaction_id} ${memo}`, amount.amount);
      else paid.add(transaction_id);
    }
    const isEnd = page.next_start_sequence === next;
    next = page.next_start_sequence;
    if (isEnd) return;
  }
}

t.test('the page names commands of the family alone in its recipe', async (t) => {
  const page = readFileSync(projectPath('docs/exchanges.md'), 'utf8');
  const [recipe = '', ours = ''] = page.split('## What ours adds');
  const help = recordedCalls().find(({ request }) => request?.method === 'help')?.result as string;
  const family = new Set([...help.matchAll(/ (\w+)\(.*\)$/gm)].map(([, name = '']) => name));
  const named = [...recipe.matchAll(/\b[a-z]\w*_\w+\b|\btransfer\d?\b/g)].map(([name]) => name);
  const commands = named.filter((name) => name in COMMANDS);
  t.ok(commands.length > 8);
  for (const name of commands) t.ok(family.has(name), name);
  for (const name of ['get_transaction_status', 'resend_transaction', 'wait_for_transaction']) {
    t.match(ours, new RegExp(`\`${name}`));
  }
});

t.test('deposits count when nothing can take them back', async (t) => {
  await call(customer, 'transfer', 'bob', 'alice', '12.5', 'GXC', 'customer 42', true);
  blocks(1);
  await readOn();
  t.equal(credited.size, 0, 'it stands in a block, and counts for nothing yet');
  blocks(15);
  await readOn();
  t.same(
    [...credited].map(([name, amount]) => [name.replace(/^[0-9a-f]{40} /, ''), amount]),
    [['customer 42', 1_250_000]],
  );
  await call(customer, 'transfer', 'bob', 'alice', '1', 'GXC', 'customer 42', true);
  blocks(15);
  await readOn();
  t.equal(credited.size, 2, 'the next question goes on where the last one ended');
});

type Made = [id: string, tx: Record<string, unknown>];
const make = (): Promise<Made> => call(exchange, 'transfer3', 'alice', 'bob', '12.5', 'GXC', 'yours', 'GXC', false);
const customerHas = async (): Promise<number> => {
  const balances = await call<{ amount: number | string; asset_id: string }[]>(
    customer,
    'list_account_balances',
    'bob',
  );
  return Number(balances.find(({ asset_id }) => asset_id === '1.3.1')?.amount);
};

t.test('a withdrawal is paid once, however often it is sent', async (t) => {
  const before = await customerHas();
  const [id, tx] = await make();
  t.equal(await call(exchange, 'get_transaction_id', tx), id);
  t.equal(await customerHas(), before, 'nothing is sent yet');
  t.same((await call<Made>(exchange, 'broadcast_transaction', tx))[0], id);
  const again = await askWallet(exchange, 'broadcast_transaction', [tx]);
  t.match(JSON.stringify(again.json), /duplicated trx/, 'while it waits');
  blocks(1);
  t.match(
    JSON.stringify((await askWallet(exchange, 'broadcast_transaction', [tx])).json),
    /duplicated trx/,
    'in a block',
  );
  blocks(15);
  await readOn();
  t.ok(paid.has(id));
  const late = await askWallet(exchange, 'broadcast_transaction', [tx]);
  t.match(JSON.stringify(late.json), /now <= trx\.expiration/, 'after its time');
  t.equal(await customerHas(), before + 1_250_000);
});

t.test('a crash between sign and answer: what never arrived is made anew when it can no longer arrive', async (t) => {
  const before = await customerHas();
  const [lost, tx] = await make();
  // The wallet ends here, and nobody knows that nothing was sent.
  const expiration = String(tx.expiration);
  const irreversibleTime = async (): Promise<string> => {
    const { last_irreversible_block_num } = await call<{ last_irreversible_block_num: number }>(
      exchange,
      'get_dynamic_global_properties',
    );
    return (await call<{ timestamp: string }>(exchange, 'get_block', last_irreversible_block_num)).timestamp;
  };
  t.ok((await irreversibleTime()) <= expiration, 'too early to say');
  blocks(30);
  t.ok((await irreversibleTime()) > expiration);
  await readOn();
  t.notOk(paid.has(lost), 'no block has it, and none will');
  t.match(JSON.stringify((await askWallet(exchange, 'broadcast_transaction', [tx])).json), /now <= trx\.expiration/);
  const [id, second] = await make();
  t.not(id, lost);
  await call(exchange, 'broadcast_transaction', second);
  blocks(15);
  await readOn();
  t.ok(paid.has(id));
  t.equal(await customerHas(), before + 1_250_000, 'paid once');
});

t.test('a wallet that holds the memo key alone reads deposits and cannot spend', async (t) => {
  const { stdout } = await runTrustnode(['wallet', '--suggest-brain-key']);
  const { wif_priv_key, pub_key } = JSON.parse(stdout) as { wif_priv_key: string; pub_key: string };
  const account = await call<{ id: string; options: Record<string, unknown> }>(exchange, 'get_account', 'alice');
  const handle = await call<number>(exchange, 'begin_builder_transaction');
  const update = { account: account.id, new_options: { ...account.options, memo_key: pub_key } };
  await call(exchange, 'add_operation_to_builder_transaction', handle, [6, update]);
  await call(exchange, 'set_fees_on_builder_transaction', handle, 'GXC');
  await call(exchange, 'sign_builder_transaction', handle, true);
  blocks(1);
  await call(customer, 'transfer', 'bob', 'alice', '2', 'GXC', 'customer 43', true);
  blocks(15);
  const file = join(folder, 'deposits.json');
  const lines = ['set_password p', 'unlock p', `import_key alice ${wif_priv_key}`];
  const script = [...lines, `get_irreversible_account_history alice [0] ${next} 100`, 'transfer2 alice bob 1 GXC ""'];
  const { stdout: shown, code } = await runTrustnode(['wallet', '-w', file, '-s', node], `${script.join('\n')}\n`);
  t.match(shown, /Transfer 2 GXC from bob to alice -- Memo: customer 43/);
  t.match(shown, /Missing Active Authority/);
  t.equal(code, 1);
});

t.test('a node that has removed what is asked for says so, and tells nothing twice', async (t) => {
  const folderOf = t.testdir();
  const small = await startDevNode(folderOf, { 'max-ops-per-account': '5' }, undefined, nodeParts([accountHistory]));
  small.clock.advance(9_000);
  const { run, close } = await walletOn(small, folderOf, 'alice', { alice: keyOf('alice') });
  t.teardown(async () => {
    await close();
    await small.node.stop();
  });
  for (let n = 1; n <= 10; n++) {
    await run('transfer2', 'alice', 'bob', String(n), 'GXC', '');
    small.clock.advance(3_000);
  }
  for (let n = 0; n < 15; n++) small.clock.advance(3_000);
  const statistics = `2.6.${(await run<string>('get_account_id', 'bob')).slice('1.2.'.length)}`;
  const [{ removed_ops, total_ops }] = await run<[{ removed_ops: number; total_ops: number }]>(
    'get_object',
    statistics,
  );
  t.equal(total_ops - removed_ops, 5);
  for (const start of [1, removed_ops]) {
    const asked = run('get_irreversible_account_history', 'bob', [], start, 5);
    await refusedLater(t, CHECK_ERRORS.history_removed, asked, `from ${start}`);
  }
  const there = await run<Page>('get_irreversible_account_history', 'bob', [], removed_ops + 1, 5);
  t.equal(there.details.length, 5);
  t.equal(there.next_start_sequence, total_ops + 1);
});
