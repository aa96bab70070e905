import t from 'tap';
import '../../src/operations/index.js';
import { AccountHistory, type HistoryOptions } from '../../plugins/account_history/history.js';
import { historyApi } from '../../plugins/account_history/methods.js';
import type { Entry } from '../../plugins/account_history/records.js';
import { RelativeHistory } from '../../plugins/account_history_kv/relative-history.js';
import type { SignedBlock } from '../../src/protocol/block.js';
import type { Pieces } from '../../src/rpc/pieces/pieces.js';
import { goldenPorts } from '../rpc/support/golden-rpc.js';
import { allPieces } from '../support/all-pieces.js';
import { FollowedChain } from '../support/followed-chain.js';
import { goldenBlocks, goldenGenesis } from '../support/golden.js';
import { emptyStore, PluginDisk } from '../support/plugin-store.js';

/** What the questions of the history API mean, asked of every account; and what is left of a history that keeps little. */

const genesis = goldenGenesis();
const blocks: readonly SignedBlock[] = [...goldenBlocks()];
const ALL: HistoryOptions = { accounts: undefined, operationsMax: 1000, isPartial: true };
const ACCOUNTS = Array.from({ length: 64 }, (_, i) => i);

type Shown = { readonly id: number }[];

/** The newest first; the very first entry of all is none that a walk comes to. */
function entriesOf(history: AccountHistory, account: number): Entry[] {
  const { total, removed } = history.countsOf(account);
  const all = Array.from({ length: total - removed }, (_, i) => history.entryAt(account, total - i));
  return all.filter((one) => one !== undefined && one.instance !== 0) as Entry[];
}

t.test('ids behind the stop, up to the start, of the type that was asked for, and as many as wanted', async (t) => {
  const chain = await FollowedChain.open(genesis);
  const history = new AccountHistory(emptyStore(), ALL);
  const added = chain.host.add(history);
  chain.push(blocks, 500);
  await added.caughtUp();
  await chain.save();
  await added.caughtUp();
  await history.flush();
  const { methods } = historyApi(() => history);
  const context = { node: goldenPorts(chain.stored.chain) } as never;
  const ask = async (method: keyof typeof methods, args: object): Promise<number[]> => {
    const work = await (methods[method]?.run(context, args as never) as Pieces<Shown> | Promise<Pieces<Shown>>);
    return (Array.isArray(work) ? work : allPieces(work)).map(({ id }) => id);
  };
  const first = history.entry(0);
  let asked = 0;
  for (const account of ACCOUNTS) {
    const entries = entriesOf(history, account);
    if (entries.length < 4 || account === first?.account) continue;
    asked++;
    const ids = entries.map(({ operation }) => operation);
    const [second = 0, third = 0] = ids.slice(1);
    const oldest = ids.at(-1) ?? 0;
    const page = { account, stop: 0, limit: 100, start: 0 };
    t.same(await ask('get_account_history', page), ids.slice(0, 100));
    t.same(await ask('get_account_history', { ...page, start: second, stop: third }), [second]);
    t.same(await ask('get_account_history', { ...page, start: second, limit: 2 }), [second, third]);
    t.same(await ask('get_account_history', { ...page, start: oldest }), [oldest]);
    for (const type of new Set(entries.map((one) => one.type))) {
      const some = entries.filter((one) => one.type === type).map(({ operation }) => operation);
      const [one = 0, other = 0] = [some[0], some[some.length >> 1]];
      const typed = { ...page, operation_type: type };
      t.same(await ask('get_account_history_operations', typed), some.slice(0, 100));
      t.same(
        await ask('get_account_history_operations', { ...typed, start: other }),
        some.filter((id) => id <= other).slice(0, 100),
      );
      t.same(
        await ask('get_account_history_operations', { ...typed, stop: other }),
        some.filter((id) => id > other).slice(0, 100),
      );
      t.same(await ask('get_account_history_operations', { ...typed, start: one, limit: 1 }), [one]);
      const limit = Math.min(100, some.length) - 1;
      t.same(await ask('get_account_history_operations', { ...typed, limit }), some.slice(0, limit));
      for (const none of [type + 256, type - 256]) {
        t.same(await ask('get_account_history_operations', { ...typed, operation_type: none }), [], 'no such type');
      }
    }
  }
  t.ok(asked > 5);
  if (first === undefined) return t.fail('there is a first entry');
  const { account, operation } = first;
  const walk = entriesOf(history, account)
    .slice(-20)
    .map((one) => one.operation);
  const tail = { account, stop: 0, start: walk[0] ?? 0 };
  t.same(await ask('get_account_history', { ...tail, limit: 100 }), [...walk, operation], 'the very first of all');
  t.same(await ask('get_account_history', { ...tail, limit: 20 }), walk, 'where there is room');
  t.same(await ask('get_account_history', { ...tail, limit: 100, stop: walk[19] }), walk.slice(0, 19));
  const typed = { ...tail, limit: 100, operation_type: first.type };
  t.equal((await ask('get_account_history_operations', typed)).at(-1), operation, 'by its type as well');
  const other = await ask('get_account_history_operations', { ...typed, operation_type: 0 });
  t.ok(other.length > 0 && !other.includes(operation), 'and by no other one');
  const none = { account, operation_types: [], start: 0, limit: 0 };
  await t.rejects(ask('get_account_history_by_operations', none), { message: /limit/ });
  await chain.close();
});

t.test('of an account that has done one thing, and the first of all, only positions tell', async (t) => {
  const whole = await FollowedChain.open(genesis);
  const all = new AccountHistory(emptyStore(), ALL);
  const followed = whole.host.add(all);
  whole.push(blocks, 100);
  await followed.caughtUp();
  await whole.close();
  const account = ACCOUNTS.find((one) => all.countsOf(one).total === 1);
  if (account === undefined) return t.fail('there is one that has done one thing');
  const { operation = 0, type = 0 } = all.entryAt(account, 1) ?? {};
  const history = new AccountHistory(emptyStore(), { ...ALL, accounts: new Set([account]) });
  const chain = await FollowedChain.open(genesis);
  const added = chain.host.add(history);
  chain.push(blocks, 100);
  await added.caughtUp();
  t.equal(history.entry(0)?.account, account);
  const { methods } = historyApi(() => history);
  const context = { node: goldenPorts(chain.stored.chain) } as never;
  const ask = async (method: keyof typeof methods, args: object): Promise<number[]> => {
    const work = await (methods[method]?.run(context, args as never) as Pieces<Shown> | Promise<Pieces<Shown>>);
    return (Array.isArray(work) ? work : allPieces(work)).map(({ id }) => id);
  };
  const page = { account, stop: 0, limit: 100, start: 0 };
  t.same(await ask('get_account_history', page), []);
  t.same(await ask('get_account_history_operations', { ...page, operation_type: type }), []);
  t.same(await ask('get_relative_account_history', page), [operation]);
  t.same(await ask('get_relative_account_history', { ...page, limit: 0 }), []);
  await chain.close();
});

t.test('what a short history forgets is gone from the disk, and is back with the blocks that forgot it', async (t) => {
  const chain = await FollowedChain.open(genesis);
  const few = { ...ALL, operationsMax: 2 };
  const data = emptyStore();
  const history = new AccountHistory(data, few);
  const added = chain.host.add(history);
  chain.push(blocks, 90);
  await added.caughtUp();
  const left = (of: AccountHistory): number[] =>
    Array.from({ length: of.numbers.operations }, (_, i) => i).filter((i) => of.operation(i) !== undefined);
  const other = await FollowedChain.open(genesis);
  const undisturbed = new AccountHistory(emptyStore(), few);
  const beside = other.host.add(undisturbed);
  /** Of blocks up to there, and of no later ones that were ever taken. */
  const leftAt = async (height: number): Promise<number[]> => {
    other.push(blocks, height);
    await beside.caughtUp();
    return left(undisturbed);
  };
  await chain.save();
  await added.caughtUp();
  await history.flush();
  const restarted = new AccountHistory({ ...data, cursor: history.cursor }, few);
  const { number } = restarted.position;
  const kept = await leftAt(number);
  t.ok(number > 0 && kept.length > 0 && kept.length < undisturbed.numbers.operations, `${kept.length} at ${number}`);
  t.same(left(restarted), kept);

  t.same(left(history), await leftAt(90));
  chain.push(blocks, 97);
  await added.caughtUp();
  chain.stored.chain.blocks.popTo(95);
  t.ok(added.hurry());
  t.same(left(history), await leftAt(95));
  await Promise.all([chain.close(), other.close()]);
});

t.test('what was asked before a thread has written is not remembered behind it', async (t) => {
  const chain = await FollowedChain.open(genesis);
  chain.push(blocks, 300);
  await chain.save();
  const disk = new PluginDisk();
  const wanted = (name: string) => ({ name, format: 1, options: '' });
  const history = new AccountHistory(
    await disk.openWritten(chain, wanted('a'), (data) => new AccountHistory(data, ALL)),
    ALL,
  );
  const relative = new RelativeHistory(
    await disk.openWritten(chain, wanted('b'), (data) => new RelativeHistory(data, 500)),
    500,
  );
  const counts = () => ACCOUNTS.map((account) => [history.countsOf(account).total, relative.total(account)]);
  t.same(
    counts(),
    ACCOUNTS.map(() => [0, 0]),
  );
  await Promise.all([history, relative].map((one) => chain.host.add(one).caughtUp()));
  for (const one of [history, relative]) one.look();
  const found = counts();
  t.ok(found.filter(([total = 0]) => total > 0).length > 10);
  t.same(
    found,
    found.map(([total]) => [total, total]),
  );
  await chain.close();
});
