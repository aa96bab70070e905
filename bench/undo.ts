import { ALL_FORKS_ACTIVE } from '../src/protocol/forks.js';
import { ChainState } from '../src/state/chain-state.js';
import { accountBalanceObject } from '../src/state/objects/account-balance.js';
import { accountStatisticsObject } from '../src/state/objects/account-statistics.js';
import { transactionObject } from '../src/state/objects/transaction.js';
import { NETWORK } from '../test/support/network.js';
import { fill } from './object-db.js';

type Print = (row: string[]) => void;
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

function timed(work: () => void): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

const ms = (value: number): string => `${value.toFixed(1)} ms`;

export async function run(print: Print, size: 'small' | 'full'): Promise<void> {
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
  print([`apply ${of}`, ms(timed(apply))]);
  print([`undo ${of}`, ms(timed(undo))]);
  apply();
  print([`journal of ${of}`, ms(timed(() => state.irreversibleChanges(BLOCKS)))]);
  print([`drop ${of}`, ms(timed(() => state.dropOldest(BLOCKS)))]);

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
  print(['nested frame of one change, merged', `${((nested * 1e6) / (perBlock * BLOCKS)).toFixed(0)} ns`]);
}
