import t from 'tap';
import accountHistory from '../../plugins/account_history/index.js';
import relativeHistory from '../../plugins/account_history_kv/index.js';
import { DEV_ACCOUNTS } from '../../src/node/dev/dev-network.js';
import { loadSettings } from '../../src/node/load-settings.js';
import { nodeParts } from '../../src/node/parts/list.js';
import { signedTransaction } from '../../src/protocol/transaction.js';
import { startDevNode } from '../support/dev-node.js';
import { eventually } from '../support/eventually.js';
import { NETWORK } from '../support/network.js';
import { rpcCall, signedBy } from '../support/rpc-call.js';

/** Options of histories as an operator gives them, for a chain that is there already. */

const TRANSFERS = 5;
const KEPT = 3;

interface Shown {
  readonly id: string;
}

interface Statistics {
  readonly most_recent_op: string;
  readonly total_ops: number;
  readonly removed_ops: number;
}

t.test('a development chain keeps histories unless somebody says otherwise, and others do not', async (t) => {
  const kept = (...given: readonly (readonly [string, string])[]): unknown => {
    const line = new Map(
      ([['data-dir', t.testdir()], ...given] as const).map(([name, value]) => [name, [value] as string[]]),
    );
    return loadSettings(line, nodeParts([accountHistory])).options['max-ops-per-account' as never];
  };
  t.equal(kept(['dev', 'true']), 1000);
  t.equal(kept(['dev', 'true'], ['max-ops-per-account', '0']), 0);
  t.equal(kept(['network', 'mainnet']), 0);
});

t.test('which accounts, how many operations, and whether the others are kept', async (t) => {
  const folder = t.testdir();
  const parts = nodeParts([accountHistory, relativeHistory]);
  const first = await startDevNode(folder, { plugins: 'witness', 'max-ops-per-account': '0' }, undefined, parts);
  first.clock.advance(30_000);
  const at = first.node.endpoints.plain;
  const names = [['alice', 'bob']];
  const [alice = '', bob = ''] = (await rpcCall<Shown[]>(at, 'lookup_account_names', names)).map(({ id }) => id);
  for (let amount = 1; amount <= TRANSFERS; amount++) {
    const transfer = { from: alice, to: bob, amount: { amount, asset_id: '1.3.1' }, extensions: [] };
    const signed = await signedBy(at, DEV_ACCOUNTS[0]?.key, [[0, transfer]]);
    const body = signedTransaction.toJson(signed, NETWORK);
    await rpcCall(at, 'call', [2, 'broadcast_transaction', [body]]);
    first.clock.advance(3000);
  }
  await first.node.stop();

  /** What alice's statistics count of her, with these plugins. */
  const counted = async (plugins: string, least: number) => {
    const { node } = await startDevNode(folder, { plugins, 'max-ops-per-account': String(KEPT) }, first.clock, parts);
    const { plain } = node.endpoints;
    const { most_recent_op, total_ops, removed_ops } = await eventually('it has caught up', async () => {
      const [one] = await rpcCall<Statistics[]>(plain, 'get_objects', [[alice.replace('1.2.', '2.6.')]]);
      return one !== undefined && one.total_ops >= least ? one : undefined;
    });
    await node.stop();
    return { most_recent_op, total_ops, removed_ops };
  };
  t.same(await counted('witness', 0), { most_recent_op: '2.9.0', total_ops: 0, removed_ops: 0 });
  const entries = await counted('witness account_history', TRANSFERS);
  t.equal(entries.removed_ops, entries.total_ops - KEPT);
  t.same(
    await counted('witness account_history_kv', TRANSFERS),
    { most_recent_op: '2.9.0', total_ops: entries.total_ops, removed_ops: 0 },
    'account_history_kv alone counts the same, and removes nothing',
  );

  const found = async (more: Readonly<Record<string, string | readonly string[]>>) => {
    const line = { plugins: 'witness account_history', 'max-ops-per-account': String(KEPT), ...more };
    const { node } = await startDevNode(folder, line, first.clock, parts);
    const { plain } = node.endpoints;
    const count = async (account: string): Promise<number> => {
      const page = [account, '1.11.0', 100, '1.11.0'];
      return (await rpcCall<Shown[]>(plain, 'call', ['history', 'get_account_history', page])).length;
    };
    await eventually('it has caught up', () =>
      count(alice).then(
        () => true,
        () => false,
      ),
    );
    const operations = await rpcCall<(Shown | null)[]>(plain, 'get_objects', [
      Array.from({ length: 100 }, (_, i) => `1.11.${i}`),
    ]);
    const counts = { alice: await count(alice), bob: await count(bob) };
    await node.stop();
    return { ...counts, operations: operations.filter((one) => one !== null).length };
  };

  const all = await found({});
  t.match(all, { alice: KEPT, bob: KEPT });
  const one = await found({ 'track-account': [`"${bob}"`] });
  t.same(one, { alice: 0, bob: KEPT, operations: KEPT });
  const two = await found({ 'track-account': [alice, bob], 'max-ops-per-account': '4' });
  t.match(two, { alice: 4, bob: 4, operations: 4 });
  const whole = await found({ 'track-account': [bob], 'partial-operations': 'false' });
  t.match(whole, { alice: 0, bob: KEPT });
  t.ok(whole.operations > all.operations, `${whole.operations} operations, and not ${all.operations}`);
});
