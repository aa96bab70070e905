import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import t from 'tap';
import '../../src/operations/index.js';
import relativePart from '../../plugins/account_history_kv/index.js';
import { relativeApi } from '../../plugins/account_history_kv/methods.js';
import { RelativeHistory } from '../../plugins/account_history_kv/relative-history.js';
import { toHex } from '../../src/base/bytes.js';
import type { KeyValueChange } from '../../src/plugin/api.js';
import type { FeedBlock } from '../../src/plugin/follower.js';
import type { Pieces } from '../../src/rpc/pieces/pieces.js';
import { MemoryKv } from '../../src/storage/memory-kv.js';
import { askable, goldenPorts } from '../rpc/support/golden-rpc.js';
import { compare } from '../rpc/support/golden-rules.js';
import { FollowedChain } from '../support/followed-chain.js';
import { GOLDEN_LAST, goldenBlocks, goldenGenesis, goldenState } from '../support/golden.js';
import { projectPath } from '../support/paths.js';
import { emptyStore, PluginDisk, viewOf } from '../support/plugin-store.js';

/** What a reference node with its plugin for histories on disk has answered and stored, at the end of the recorded chain. */

function rows<T>(name: string): T[] {
  const bytes = readFileSync(projectPath('test/vectors/plugins', `${name}.jsonl.gz`));
  return gunzipSync(bytes)
    .toString('utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as T);
}

interface Pair {
  readonly request: string;
  readonly response: string;
}

interface Operation {
  readonly op_index: string;
  readonly op: readonly [number, object];
  readonly is_virtual: boolean;
}

const opsOf = (answer: string): readonly Operation[] => JSON.parse(answer).result?.ops ?? [];

const PROPOSAL_UPDATE = 23;
/** The reference looks for operations of expired proposals behind the transactions of their block, and fails. */
const EXPIRED = 'opt_block->transactions.size() > op_entry.trx_in_block: ';

t.test(
  'get_account_relative_ops answers as recorded, and shows what was applied where the reference does not',
  async (t) => {
    const chain = await FollowedChain.open(goldenGenesis());
    const data = emptyStore();
    const history = new RelativeHistory(data, 500);
    const added = chain.host.add(history);
    chain.push([...goldenBlocks()]);
    await added.caughtUp();
    const { ask } = askable(goldenPorts(chain.stored.chain), {}, [relativeApi(() => history)]);
    const applied = new Map<string, unknown>();
    const recorded = goldenState(GOLDEN_LAST);
    for (const [id, object] of recorded) {
      if (!id.startsWith('2.9.')) continue;
      applied.set(`${object.account}_${object.sequence}`, recorded.get(object.operation_id as string)?.op);
    }
    t.equal(applied.size, 3279);
    const blocks = new Map<string, unknown>();
    for (const object of recorded.values()) {
      const { account, sequence, operation_id } = object as {
        account?: string;
        sequence?: number;
        operation_id?: string;
      };
      if (operation_id !== undefined) blocks.set(`${account}_${sequence}`, recorded.get(operation_id)?.block_num);
    }
    const better = new Set<string>();
    const pairs = rows<Pair>('kv-relative-ops').filter(({ request }) => request?.includes('get_account_relative_ops'));
    t.equal(pairs.length, 535);
    let equal = 0;
    for (const { request, response } of pairs) {
      const answer = (await ask('ws', request)) ?? '';
      for (const { op_index, op, is_virtual } of opsOf(answer)) {
        if (JSON.stringify(op) !== JSON.stringify(applied.get(op_index))) t.same(op, applied.get(op_index), op_index);
        t.equal(is_virtual, op[0] === 78 || op[0] === 79);
      }
      if (compare(answer, response) === undefined) {
        equal++;
        continue;
      }
      if (response.includes(EXPIRED)) {
        for (const { op_index } of opsOf(answer)) better.add(op_index);
        t.ok(opsOf(answer).length > 0, 'a page that fails in the reference');
        continue;
      }
      if (/"error"/.test(response)) t.equal(compare(answer, response), undefined, `${request}: ${answer}`);
      const [ours, theirs] = [opsOf(answer), opsOf(response)];
      t.equal(ours.length, theirs.length, request);
      theirs.forEach(({ op_index, op }, i) => {
        if (JSON.stringify(op) === JSON.stringify(ours[i]?.op)) return;
        t.equal(
          op[0],
          PROPOSAL_UPDATE,
          `${op_index}: the reference shows the approval that had the operation executed`,
        );
        better.add(op_index);
      });
    }
    for (const [account, start] of [
      ['1.2.42', 1],
      ['1.2.42', 101],
      ['1.2.48', 100],
    ] as const) {
      const params = [account, start, 100];
      const answer = await ask('ws', JSON.stringify({ id: 1, method: 'get_account_relative_blocks', params }));
      const { result } = JSON.parse(answer ?? '') as {
        result: { blocks: number[]; total_relative_ops_number: number };
      };
      t.ok(result.blocks.length > 10 && result.total_relative_ops_number >= start + result.blocks.length - 1);
      t.same(
        result.blocks,
        result.blocks.map((_, i) => blocks.get(`${account}_${start + i}`)),
        `blocks of ${account} from ${start} on`,
      );
    }
    t.comment(JSON.stringify({ equal, better: better.size }));
    t.ok(equal > 350);
    for (const id of ['1.2.0_20', '1.2.42_44', '1.2.42_212', '1.2.43_13', '1.2.48_153']) t.ok(better.has(id), id);

    chain.stored.chain.blocks.save();
    await chain.save();
    history.settle(history.position.number);
    await history.flush();
    let same = 0;
    let others = 0;
    for (const { key, value } of rows<{ key: string; value: string }>('kv-database')) {
      const found = data.store.get(new TextEncoder().encode(key));
      if (found !== undefined && toHex(found) === value) same++;
      else if (isOfProposal(found, value)) others++;
      else t.equal(found === undefined ? 'nothing' : toHex(found), value, key);
    }
    // Those that proposals had executed: ours have the operation in them.
    t.same({ same, others }, { same: 2937, others: 55 });
    await chain.close();
  },
);

t.test('others have their turn while a block is read, which may be the largest', async (t) => {
  const chain = await FollowedChain.open(goldenGenesis());
  const history = new RelativeHistory(emptyStore(), 500);
  const added = chain.host.add(history);
  chain.push([...goldenBlocks()], 60);
  await added.caughtUp();
  const { get_account_relative_ops } = relativeApi(() => history).methods;
  const context = { node: goldenPorts(chain.stored.chain) } as never;
  const work = get_account_relative_ops?.run(context, { account: 31, start: 1, limit: 1 }) as Pieces<object>;
  let turns = 0;
  while (work.next().done !== true) turns++;
  t.ok(turns > 2, `${turns} turns for one block`);
  await chain.close();
});

const LITERAL_BYTES = 23;

/** All but the operation is the same. */
function isOfProposal(found: Uint8Array | undefined, value: string): boolean {
  const head = value.slice(0, -2 * LITERAL_BYTES);
  return found !== undefined && toHex(found).startsWith(head) && /^0*$/.test(value.slice(-2 * LITERAL_BYTES));
}

t.test('limit-batch: entries that wait until they are written together', async (t) => {
  let written: number[] = [];
  class CountedKv extends MemoryKv {
    override async write(changes: readonly KeyValueChange[]): Promise<void> {
      // Those of accounts and positions are texts; the others are counts and the cursor.
      written.push(changes.filter(({ key }) => key[0] === '1'.charCodeAt(0)).length);
      await super.write(changes);
    }
  }
  const chain = await FollowedChain.open(goldenGenesis());
  chain.push([...goldenBlocks()]);
  await chain.save();
  const writes: number[] = [];
  for (const entriesAtOnce of [undefined, 20]) {
    written = [];
    let follower: RelativeHistory | undefined;
    const opened = await relativePart.open({
      needs: {
        chain: viewOf(chain),
        followers: {
          add: (one: RelativeHistory) => {
            follower = one;
            return one;
          },
        },
        stores: { ...new PluginDisk().port, entriesAtOnce, open: async () => new CountedKv() },
      },
      options: { 'account-history-kv-path': undefined },
      dataDir: 'data',
      log: chain.log,
    } as never);
    for (let number = 1; number <= chain.feed.settledNumber; number++) {
      follower?.apply(chain.feed.read(number) as FeedBlock);
      await follower?.settle(number);
      for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
    }
    await opened.close?.();
    writes.push(written.length);
    t.ok(
      written.reduce((sum, count) => sum + count, 0) > 3000,
      `${written.length} writes, ${Math.max(...written)} entries at most`,
    );
  }
  const [usual = 0, more = 0] = writes;
  t.ok(more > 1.5 * usual, `${usual} writes as it is, ${more} with 20 entries`);
  await chain.close();
});
