import { HISTORY_ERRORS } from '../../plugins/account_history/methods.js';
import { RELATIVE_HISTORY_ERRORS, relativeApi } from '../../plugins/account_history_kv/methods.js';
import { type RelativeEntry, RelativeHistory } from '../../plugins/account_history_kv/relative-history.js';
import type { Json } from '../../src/codec/json.js';
import { FOLLOWER_ERRORS } from '../../src/plugin/errors.js';
import type { FollowerState } from '../../src/plugin/follower.js';
import { checkAtHead } from '../../src/plugin/stored-follower.js';
import { recordedHistory } from '../rpc/support/golden-history.js';
import { askable, goldenPorts } from '../rpc/support/golden-rpc.js';
import { FollowedChain } from '../support/followed-chain.js';
import { goldenBlocks, goldenGenesis } from '../support/golden.js';
import { emptyStore } from '../support/plugin-store.js';
import { assertion, type Refusal } from './define.js';

/** Refusals of the plugins that record histories. */

const place = { number: 12, id: 'c' };
const notThere = (state: FollowerState, reason?: string) => (): unknown =>
  checkAtHead(
    { hurry: () => false, status: { name: 'account_history', state, position: place, records: 0, reason } },
    345,
  );

/** The plugin for histories by position over the first 60 blocks of the recorded chain. */
function relative(...params: Json[]): () => Promise<string> {
  return () => relativeAsked(params, (history) => history);
}

async function relativeAsked(params: Json[], change: (history: RelativeHistory) => RelativeHistory): Promise<string> {
  const chain = await FollowedChain.open(goldenGenesis());
  const history = new RelativeHistory(emptyStore(), 500);
  const added = chain.host.add(history);
  chain.push([...goldenBlocks()], 60);
  await added.caughtUp();
  const api = relativeApi(() => change(history));
  const { ask } = askable(goldenPorts(chain.stored.chain), {}, [api]);
  const answer = await ask('ws', JSON.stringify({ id: 1, method: 'get_account_relative_ops', params }));
  await chain.close();
  return answer ?? '';
}

export const refusals: readonly Refusal[] = [
  assertion(
    RELATIVE_HISTORY_ERRORS.relative_limit,
    'limit <= 100: Only 100 operations can be queried at a time',
    relative('1.2.31', 0, 101),
  ),
  {
    ...assertion(RELATIVE_HISTORY_ERRORS.relative_start, 'start >= 1: ', relative('1.2.9999', 0, 5)),
    hint: 'positions in a history are counted from 1',
  },
  {
    ...assertion(RELATIVE_HISTORY_ERRORS.relative_number, 'number >= start: ', relative('1.2.31', 5000, 5)),
    hint: 'the history of 1.2.31 has 94 operations; there is none at 5000',
  },
  assertion(
    RELATIVE_HISTORY_ERRORS.relative_begins_later,
    'this node was started from a snapshot and has the history of 1.2.31 from block 61, position 91, on: what came before has to be asked of another node',
    () =>
      relativeAsked(['1.2.31', 86, 5], (history) => {
        history.earlier = () => 90;
        return Object.defineProperty(history, 'from', { value: 61 });
      }),
  ),
  {
    ...assertion(RELATIVE_HISTORY_ERRORS.relative_block, 'opt_block: ', () =>
      relativeAsked(['1.2.31', 1, 1], (history) => {
        const entry = history.entryAt(31, 1) as RelativeEntry;
        history.entryAt = () => ({ ...entry, block: 1_000_000 });
        return history;
      }),
    ),
    hint: 'this node has no block 1000000, in which the operation stands',
  },
  {
    ...assertion(HISTORY_ERRORS.history_empty, "itr != itr_stop: can't find history", async () => {
      const { history, ports, apis, close } = await recordedHistory(60);
      const { ask } = askable(ports, {}, apis);
      // As behind a snapshot: counted, and not there.
      history.entryAt = () => undefined;
      const params = ['history', 'get_relative_account_history', ['1.2.31', 1, 10, 5]];
      const answer = await ask('ws', JSON.stringify({ id: 1, method: 'call', params }));
      await close();
      return answer;
    }),
    hint: 'nothing is kept of positions 1 to 5 in the history of 1.2.31',
  },
  assertion(
    HISTORY_ERRORS.history_begins_later,
    'this node was started from a snapshot and has the history of 1.2.31 from block 61, position 91, on: what came before has to be asked of another node',
    async () => {
      const { history, ports, apis, close } = await recordedHistory(60);
      const { ask } = askable(ports, {}, apis);
      history.earlier = () => ({ total: 90, removed: 0, recent: 0 });
      Object.defineProperty(history, 'from', { value: 61 });
      const params = ['history', 'get_relative_account_history', ['1.2.31', 1, 10, 90]];
      const answer = await ask('ws', JSON.stringify({ id: 1, method: 'call', params }));
      await close();
      return answer;
    },
  ),
  assertion(
    FOLLOWER_ERRORS.follower_behind,
    'account_history is being built: it holds blocks up to 12 of 345. Ask again later',
    notThere('catching_up'),
  ),
  assertion(
    FOLLOWER_ERRORS.follower_over,
    'account_history has stopped at block 12 of 345: no room. Start the node again',
    notThere('failed', 'no room'),
  ),
];
