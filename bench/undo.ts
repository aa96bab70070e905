import { ALL_FORKS_ACTIVE } from '../src/protocol/forks.js';
import { ChainState } from '../src/state/chain-state.js';
import { accountBalanceObject } from '../src/state/objects/account-balance.js';
import { accountStatisticsObject } from '../src/state/objects/account-statistics.js';
import { transactionObject } from '../src/state/objects/transaction.js';
import { NETWORK } from '../test/support/network.js';
import type { Ratio } from './fixtures/ratios.js';
import { count, type Elapsed, timed } from './fixtures/stopwatch.js';
import { fill } from './object-db.js';
import type { Print, Size } from './run.js';

/**
 * Blocks that are applied to a state and taken back again, each of them some hundred transfers between accounts that are
 * far apart in memory. The first round, which compiles the code, does not count.
 */

const SIZES = { small: { accounts: 5000, perBlock: 20 }, full: { accounts: 200_000, perBlock: 500 } };
const BLOCKS = 100;

/** A block of transfers: four objects changed and one created each. */
function block(state: ChainState, number: number, perBlock: number, accounts: number): void {
  state.openFrame();
  for (let i = 0; i < perBlock; i++) {
    const n = number * perBlock + i;
    for (const account of [(n * 7919) % accounts, (n * 104_729 + 1) % accounts]) {
      state.modify(accountBalanceObject, state.get(accountBalanceObject, account), (o) => {
        o.balance += 1n;
      });
      state.modify(accountStatisticsObject, state.get(accountStatisticsObject, account), (o) => {
        o.pending_fees += 1n;
      });
    }
    state.create(transactionObject, {
      trx: {
        ref_block_num: 0,
        ref_block_prefix: 0,
        expiration: 1_000_000 + number,
        operations: [],
        extensions: [],
        signatures: [],
      },
      trx_id: n.toString(16).padStart(40, '0'),
    });
  }
  state.commitFrame();
}

const ms = ({ seconds, cpuSeconds }: Elapsed): [string, string] => [
  `${(seconds * 1000).toFixed(1)} ms`,
  `${(cpuSeconds * 1000).toFixed(1)} ms CPU`,
];

export function run(print: Print, size: Size, ratio: Ratio): void {
  const { accounts, perBlock } = SIZES[size];
  const state = new ChainState({ ...NETWORK, forks: ALL_FORKS_ACTIVE });
  fill(state, accounts);
  const apply = (): void => {
    for (let i = 0; i < BLOCKS; i++) block(state, i, perBlock, accounts);
  };
  const undo = (): void => {
    while (state.committedFrames > 0) state.popCommitted();
  };
  apply();
  undo();
  const of = `${BLOCKS} blocks of ${perBlock} transfers`;
  const applied = timed(apply);
  print([`apply ${of}, ${count(accounts)} accounts`, ...ms(applied)]);
  const undone = timed(undo);
  print([`undo ${of}`, ...ms(undone)]);
  ratio('applying blocks to undoing them', applied.cpuSeconds / undone.cpuSeconds);
  apply();
  print([`journal of ${of}`, ...ms(timed(() => state.irreversibleChanges(BLOCKS)))]);
  print([`drop ${of}`, ...ms(timed(() => state.dropOldest(BLOCKS)))]);

  const nested = timed(() => {
    state.openFrame();
    for (let i = 0; i < perBlock * BLOCKS; i++) {
      state.nested(() =>
        state.modify(accountBalanceObject, state.get(accountBalanceObject, i % accounts), (o) => {
          o.balance += 1n;
        }),
      );
    }
    state.undoFrame();
  });
  const each = (nested.cpuSeconds * 1e9) / (perBlock * BLOCKS);
  print(['nested frame of one change, merged', `${each.toFixed(0)} ns CPU`]);
}
