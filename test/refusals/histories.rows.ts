import { AccountHistory } from '../../plugins/account_history/history.js';
import { atHead, HISTORY_STATE_ERRORS } from '../../plugins/account_history/index.js';
import { HISTORY_ERRORS } from '../../plugins/account_history/methods.js';
import type { FollowerState } from '../../src/plugin/follower.js';
import { MemoryKv } from '../../src/storage/memory-kv.js';
import { recordedHistory } from '../rpc/support/golden-history.js';
import { askable } from '../rpc/support/golden-rpc.js';
import { assertion, type Refusal } from './define.js';

/** Refusals of the plugins that record histories. */

const empty = new AccountHistory(
  new MemoryKv(),
  'chain',
  { accounts: undefined, operationsMax: 1, isPartial: true },
  { format: 1, chain: 'chain', options: '', place: { number: 12, id: 'c' }, nextEntry: 0, from: 1 },
);

const notThere = (state: FollowerState, reason?: string) => (): unknown =>
  atHead(empty, { hurry: () => false, status: { name: empty.name, state, position: empty.position, reason } }, 345);

export const refusals: readonly Refusal[] = [
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
    HISTORY_STATE_ERRORS.history_behind,
    'the histories of accounts are being built: they hold blocks up to 12 of 345. Ask again later',
    notThere('catching_up'),
  ),
  assertion(
    HISTORY_STATE_ERRORS.history_stopped,
    'the histories of accounts have stopped at block 12 of 345: no room. Start the node again',
    notThere('failed', 'no room'),
  ),
];
