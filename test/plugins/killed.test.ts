import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { JsonObject } from '../../src/codec/json.js';
import { eventually } from '../support/eventually.js';
import { goldenState } from '../support/golden.js';
import { GoldenProcess, goldenBlockText } from '../support/golden-process.js';

/** The program with its histories, killed again and again: afterwards they are the recorded ones. */

const END = 391;
/** In the middle of what comes: nobody waits for an answer. */
const KILLED_AT = [70, 180, 300];
const AT_ONCE = 100;

interface FoundBlock {
  readonly transaction_ids: readonly string[];
}

t.test('kill -9 between and within blocks', async (t) => {
  const folder = t.testdir();
  const transactions = join(folder, 'transactions');
  const life = (): GoldenProcess =>
    new GoldenProcess(join(folder, 'data'), [
      ...['--plugins', 'account_history account_history_kv query_txid', '--limit-batch', '50'],
      ...['--query-txid-path', transactions],
    ]);
  let node = await life().ready();
  for (const to of KILLED_AT) {
    await node.push(to);
    const pushing = node.push(to + 40).then(
      () => 'all',
      () => 'killed',
    );
    await eventually('some blocks are there', async () => (await node.head()).head_block_number > to + 5, 1);
    await node.end('SIGKILL');
    t.equal(await pushing, 'killed', `within blocks behind ${to}`);
    node = await life().ready();
    t.ok((await node.head()).head_block_number >= to - 1, 'blocks are on the disk');
  }
  await node.push(END);

  const recorded = goldenState(END);
  const wanted = [...recorded.values()].filter(({ id }) => /^(1\.11|2\.9|2\.6)\./.test(id as string));
  const bare = (object: JsonObject): string => JSON.stringify({ ...object, virtual_op: 0 });
  await eventually('the histories are at the head', async () => {
    const found = await node.call('database', 'get_objects', [['2.9.0']]);
    return (found as unknown[])[0] !== null;
  });
  await eventually('the other one, too', () =>
    node.call('database', 'get_account_relative_ops', ['1.2.0', 1, 1]).then(
      () => true,
      () => false,
    ),
  );
  let compared = 0;
  for (let at = 0; at < wanted.length; at += AT_ONCE) {
    const some = wanted.slice(at, at + AT_ONCE);
    const found = await node.call<JsonObject[]>('database', 'get_objects', [some.map(({ id }) => id)]);
    for (const [i, object] of some.entries()) {
      if (bare(found[i] as JsonObject) !== bare(object)) t.same(found[i], object, String(object.id));
      compared++;
    }
  }
  t.ok(compared > 1000, `${compared} objects`);

  let positions = 0;
  for (const object of recorded.values()) {
    const { id, owner, total_ops: total } = object as { id: string; owner: string; total_ops: number };
    if (!id.startsWith('2.6.') || total === 0) continue;
    const page = await node.call<{ total_relative_ops_number: number; ops: { op: unknown }[] }>(
      'database',
      'get_account_relative_ops',
      [owner, 1, 100],
    );
    t.equal(page.total_relative_ops_number, total, owner);
    for (const { op, op_index } of page.ops as { op: unknown; op_index: string }[]) {
      const entry = applied(recorded).get(op_index);
      if (JSON.stringify(op) !== JSON.stringify(entry)) t.same(op, entry, op_index);
      positions++;
    }
  }
  t.ok(positions > 500, `${positions} positions`);

  const { last_irreversible_block_num: last } = await node.head();
  let rows = 0;
  for (let number = 1; number <= last; number += 5) {
    const { transaction_ids } = await node.call<FoundBlock>('database', 'get_block', [number]);
    const { transactions: own } = JSON.parse(goldenBlockText(number)) as { transactions: JsonObject[] };
    for (const [i, txid] of transaction_ids.entries()) {
      const row = await node.call<JsonObject>('database', 'get_transaction_rows', [txid]);
      if (JSON.stringify(row) !== JSON.stringify(own[i])) t.same(row, own[i], txid);
      rows++;
    }
  }
  t.ok(rows > 50, `${rows} transactions`);
  await node.end('SIGTERM');
  t.ok(
    readdirSync(transactions).some((name) => name.endsWith('.ids')),
    'the index lies where query-txid-path says',
  );
  t.notOk(existsSync(join(folder, 'data', 'blockchain', 'transaction_index')));
});

let known: Map<string, unknown> | undefined;

/** By account and position. */
function applied(recorded: Map<string, JsonObject>): Map<string, unknown> {
  if (known !== undefined) return known;
  known = new Map();
  for (const [id, { account, sequence, operation_id }] of recorded) {
    if (id.startsWith('2.9.')) known.set(`${account}_${sequence}`, recorded.get(operation_id as string)?.op);
  }
  return known;
}
