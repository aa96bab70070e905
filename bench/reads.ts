import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Json } from '../src/codec/json.js';
import { APIS } from '../src/rpc/apis/index.js';
import { compileMethod } from '../src/rpc/dispatch/compiled.js';
import type { AnyIndex, AnyObjectDef, StateObject } from '../src/state/define.js';
import { IdHash } from '../src/state/id-hash.js';
import { liveIndex } from '../src/state/live-index.js';
import { accountObject } from '../src/state/objects/account.js';
import { accountBalanceObject } from '../src/state/objects/account-balance.js';
import { assetObject } from '../src/state/objects/asset.js';
import {
  dataMarketCategoryObject,
  dataTransactionComplainObject,
  dataTransactionObject,
  freeDataProductObject,
  leagueDataProductObject,
  leagueObject,
  secondHandDataObject,
} from '../src/state/objects/data-market.js';
import { proposalObject } from '../src/state/objects/proposal.js';
import { stakingObject } from '../src/state/objects/staking.js';
import { witnessObject } from '../src/state/objects/witness.js';
import { workerObject } from '../src/state/objects/worker.js';
import { DenseSlots } from '../src/state/slots.js';
import { FullNode } from '../test/rpc/support/full-node.js';
import { FILLINGS, fillNamed, fillRows, OWNER } from '../test/rpc/support/full-tables.js';
import { BareWorld } from '../test/support/bare-world.js';
import { ThreadTime } from '../test/support/thread-time.js';
import type { Ratio } from './fixtures/ratios.js';
import { count } from './fixtures/stopwatch.js';
import type { Print, Size } from './run.js';

/**
 * Questions to tables in which everything belongs to who is asked about, and what the indexes behind them weigh.
 * Possible: a list of at most a hundred takes some microseconds however long the table is; where the answer or its count
 * needs every row of a million, a slice of 256 of them takes less than a millisecond, and a place in an index some ten
 * bytes, more where every object has a group of its own.
 */

const SIZES = { small: 2_000, full: 1_000_000 };
/** Of the main thread, for which everybody else waits. */
const AT_ONCE_MS = 1;
const RUNS = 5;

/** Indexes that nothing but questions needs, and that of the data transactions, which blocks walk. */
const INDEXES: readonly (readonly [AnyObjectDef, AnyIndex])[] = [
  [accountBalanceObject, accountBalanceObject.by.asset],
  [assetObject, assetObject.by.symbolOrder],
  [proposalObject, proposalObject.by.requiredActive],
  [proposalObject, proposalObject.by.requiredOwner],
  [proposalObject, proposalObject.by.availableActive],
  [workerObject, workerObject.by.account],
  [dataMarketCategoryObject, dataMarketCategoryObject.by.typeOrder],
  [freeDataProductObject, freeDataProductObject.by.category],
  [freeDataProductObject, freeDataProductObject.by.home],
  [leagueDataProductObject, leagueDataProductObject.by.category],
  [leagueObject, leagueObject.by.categoryName],
  [leagueObject, leagueObject.by.home],
  [dataTransactionObject, dataTransactionObject.by.date],
  [secondHandDataObject, secondHandDataObject.by.date],
  [dataTransactionComplainObject, dataTransactionComplainObject.by.date],
];

const PERIOD: Json[] = ['2000-01-01T00:00:00', '2100-01-01T00:00:00'];
const owner = `1.2.${OWNER.id}`;
const page = (keyword: string): Json[] => ['1.16.0', 50, 100, '', keyword, true];

const QUESTIONS: readonly (readonly [method: string, args: Json[], tables: readonly AnyObjectDef[]])[] = [
  ['list_assets', ['ASSET5', 100], [assetObject]],
  ['list_home_free_data_products', [29], [freeDataProductObject]],
  ['get_workers_by_account', [owner], [workerObject]],
  ['get_staking_objects_by_witness', ['1.6.0', '1.27.1000', 100], [stakingObject]],
  ['get_asset_holders_count', ['1.3.1'], [accountBalanceObject]],
  ['list_free_data_products', page('product 77'), [freeDataProductObject]],
  ['list_leagues', page('league 77'), [leagueObject]],
  ['list_second_hand_datasources', [...PERIOD, 10], [secondHandDataObject]],
  ['get_proposed_transactions', [owner], [proposalObject]],
  ['lookup_witness_accounts', ['account-5', 1000], [accountObject, witnessObject]],
  ['get_asset_holders', ['1.3.1'], [accountObject, accountBalanceObject]],
];

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

function heapBytes(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

export async function run(print: Print, sizeName: Size, ratio: Ratio): Promise<void> {
  const size = SIZES[sizeName];
  let worstMs = 0;
  const time = ThreadTime.open();
  for (const [definition, index] of INDEXES) weigh(print, definition, index, size);
  for (const [name, args, tables] of QUESTIONS) {
    const node = new FullNode(
      size,
      FILLINGS.filter(({ definition }) => tables.includes(definition)),
      time,
    );
    const definition = APIS.flatMap(({ methods }) => Object.entries(methods)).find(([one]) => one === name)?.[1];
    if (definition === undefined) throw new Error(`there is no method ${name}`);
    const method = compileMethod(name, definition);
    // Others on the machine and the first calls of a function only ever make it slower.
    let [ms, longestMs, rows, most] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 0, 0];
    collect();
    for (let i = 0; i < RUNS; i++) {
      const looked = await node.ask(method, args);
      ms = Math.min(ms, looked.ms);
      longestMs = Math.min(longestMs, looked.longestMs);
      ({ rows, most } = looked);
    }
    node.close();
    worstMs = Math.max(worstMs, longestMs);
    const slice = `at most ${most} rows and ${longestMs.toFixed(2)} ms at once`;
    print([`${name}, ${count(size)} objects`, `${ms.toFixed(2)} ms`, `${count(rows)} rows`, slice]);
  }
  time?.close();
  ratio('a millisecond to the longest that a question holds others up', AT_ONCE_MS / worstMs);
}

/** What the index adds to the memory of each object, and how long it takes to file one. */
function weigh(print: Print, definition: AnyObjectDef, index: AnyIndex, size: number): void {
  const { state } = new BareWorld();
  fillNamed(state, () => 0);
  for (const filling of FILLINGS) if (filling.definition === definition) fillRows(state, filling, size);
  const rows = [...state.all(definition)] as StateObject[];
  const live = liveIndex(index, new DenseSlots(), new IdHash());
  const before = heapBytes();
  const start = performance.now();
  for (const row of rows) live.add(row);
  const ms = performance.now() - start;
  const bytes = heapBytes() - before;
  // Kept until here: what goes meanwhile would be counted against the index.
  const kept = { live, rows, state };
  if (kept.rows.length !== kept.state.count(definition) || kept.live.definition !== index)
    throw new Error('rows and index are those that were weighed');
  const each = `${(bytes / rows.length).toFixed(1)} bytes per object`;
  print([`index ${definition.name}.${index.name}`, each, `${((ms * 1000) / rows.length).toFixed(2)} µs to add one`]);
}
