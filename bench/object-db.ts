import { ALL_FORKS_ACTIVE } from '../src/protocol/forks.js';
import { ChainState } from '../src/state/chain-state.js';
import { accountObject } from '../src/state/objects/account.js';
import { accountBalanceObject, balanceKey } from '../src/state/objects/account-balance.js';
import { accountStatisticsObject } from '../src/state/objects/account-statistics.js';
import { assetDynamicDataObject } from '../src/state/objects/asset-dynamic-data.js';
import { stateHash } from '../src/state/state-hash.js';
import { NETWORK } from '../test/support/network.js';
import type { Ratio } from './fixtures/ratios.js';

type Print = (row: string[]) => void;
const SIZES = {
  small: { accounts: 5000, operations: 20_000 },
  full: { accounts: 1_000_000, operations: 2_000_000 },
};

/** Accounts as a busy chain has them: a key, statistics and one balance each. */
export function fill(state: ChainState, accounts: number): void {
  const account = accountObject.schema.default();
  const statistics = accountStatisticsObject.schema.default();
  const key = `02${'ab'.repeat(32)}`;
  for (let i = 0; i < accounts; i++) {
    const instance = state.nextInstance(accountObject);
    // Every account decoded from a store or a block has lists of its own.
    const authority = () => ({
      weight_threshold: 1,
      account_auths: [],
      key_auths: [[`${key.slice(0, -8)}${i.toString(16).padStart(8, '0')}`, 1] as [string, number]],
      address_auths: [],
    });
    state.create(accountObject, {
      ...account,
      name: `account-${((i * 7919) % accounts).toString(36)}`,
      owner: authority(),
      active: authority(),
      options: { ...account.options, votes: [], extensions: [] },
      statistics: instance,
    });
    state.create(accountStatisticsObject, { ...statistics, owner: instance });
    state.create(accountBalanceObject, { owner: instance, asset_type: 1, balance: 1_000_000n });
  }
}

/** The state accesses of one transfer. */
function transfer(state: ChainState, from: number, to: number, amount: bigint): void {
  const sender = state.get(accountObject, from);
  const receiver = state.get(accountObject, to);
  const row = state.findBy(accountBalanceObject.by.ownerAsset, balanceKey(from, 1));
  const other = state.findBy(accountBalanceObject.by.ownerAsset, balanceKey(to, 1));
  if (row === undefined || other === undefined) throw new Error('every account has a balance');
  const statistics = state.get(accountStatisticsObject, sender.statistics);
  state.modify(accountBalanceObject, row, (o) => {
    o.balance -= 5n;
  });
  state.modify(accountStatisticsObject, statistics, (o) => {
    o.pending_fees += 5n;
  });
  state.modify(accountBalanceObject, row, (o) => {
    o.balance -= amount;
  });
  state.modify(accountBalanceObject, other, (o) => {
    o.balance += amount;
  });
  state.modify(accountStatisticsObject, state.get(accountStatisticsObject, receiver.statistics), (o) => {
    o.total_ops++;
  });
}

function megabytes(): number {
  globalThis.gc?.();
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  return (heapUsed + external + arrayBuffers) / 1e6;
}

const count = (value: number): string => Math.round(value).toLocaleString('en-US');

function timed(work: () => void): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

export async function run(print: Print, size: 'small' | 'full', ratio: Ratio): Promise<void> {
  const { accounts, operations } = SIZES[size];
  const empty = megabytes();
  const state = new ChainState({ ...NETWORK, forks: ALL_FORKS_ACTIVE });
  state.create(assetDynamicDataObject, assetDynamicDataObject.schema.default());
  const fillMs = timed(() => fill(state, accounts));
  print(['creates without undo', `${count((accounts * 3000) / fillMs)} /s`]);
  const used = megabytes() - empty;
  const gcNote = globalThis.gc === undefined ? ' (run with --expose-gc for an exact figure)' : '';
  print(['memory per account with statistics and balance', `${count((used * 1e6) / accounts)} bytes${gcNote}`]);
  const beforeRows = megabytes();
  for (let i = 0; i < accounts; i++)
    state.create(accountBalanceObject, { owner: i, asset_type: 2, balance: BigInt(i) });
  const rowBytes = ((megabytes() - beforeRows) * 1e6) / accounts;
  print(['memory per further balance', `${count(rowBytes)} bytes${gcNote}`]);

  const pick = (i: number): number => (i * 7919 + 13) % accounts;
  let withoutMs = 0;
  for (const blockTransfers of [0, 500]) {
    const ms = timed(() => {
      for (let i = 0; i < operations; i++) {
        if (blockTransfers > 0 && i % blockTransfers === 0) {
          if (i > 0) state.commitFrame();
          if (state.committedFrames > 20) state.dropOldest(1);
          state.openFrame();
        }
        transfer(state, pick(i), pick(i + 1), BigInt(1 + (i % 7)));
      }
    });
    const what = blockTransfers === 0 ? 'without undo' : `with undo, ${blockTransfers} per block`;
    print([`transfers (6 reads, 5 modifies) ${what}`, `${count((operations * 1000) / ms)} /s`]);
    if (blockTransfers === 0) withoutMs = ms;
    else ratio('transfers with undo', withoutMs / ms);
  }
  while (state.openFrames > 0) state.mergeFrame();

  const changed = new Set<number>();
  const journalMs = timed(() => {
    for (const { instance } of state.irreversibleChanges(state.committedFrames).changes) changed.add(instance);
  });
  print([`journal of ${state.committedFrames} blocks`, `${journalMs.toFixed(1)} ms`]);
  state.dropOldest(state.committedFrames);

  let hash = '';
  const hashMs = timed(() => {
    hash = stateHash(state);
  });
  print(['state hash', `${count(hashMs)} ms (${hash.slice(0, 8)})`]);

  const copy = new ChainState({ ...NETWORK, forks: ALL_FORKS_ACTIVE });
  const loadMs = timed(() => {
    for (const definition of state.definitions) {
      for (const { id, ...value } of state.all(definition)) copy.load(definition, id, value as never);
      copy.setCounter(definition, state.nextInstance(definition));
    }
    copy.finishLoading();
  });
  print(['load in bulk, with indexes', `${count((accounts * 3000) / loadMs)} /s`]);
}
