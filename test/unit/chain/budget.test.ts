import t from 'tap';
import { grantWitnessBudget } from '../../../src/chain/maintenance/budget.js';
import { assetObject } from '../../../src/state/objects/asset.js';
import { assetDynamicDataObject } from '../../../src/state/objects/asset-dynamic-data.js';
import { budgetRecordObject } from '../../../src/state/objects/budget-record.js';
import { dynamicGlobalPropertyObject } from '../../../src/state/objects/dynamic-global-property.js';
import { BareWorld } from '../../support/bare-world.js';

const BEFORE_FORK_1008 = 1_530_000_000;

interface Given {
  readonly seconds: number;
  readonly pay?: bigint;
  readonly elapsed?: number;
  readonly last?: number;
  readonly time?: number;
  readonly reserve?: bigint;
}

/** The record of a budget until the maintenance in that many seconds. */
function budget(given: Given) {
  const w = new BareWorld(given.time);
  const { state } = w;
  const now = state.headTime;
  w.setParameters({ block_interval: 3, witness_pay_per_block: given.pay ?? 10n });
  const core = state.get(assetObject, state.coreAsset);
  state.modify(assetObject, core, (o) => {
    o.options = { ...o.options, max_supply: 1000n + (given.reserve ?? 1_000_000n) };
  });
  const data = state.get(assetDynamicDataObject, core.dynamic_asset_data_id);
  state.modify(assetDynamicDataObject, data, (o) => {
    o.current_supply = 1000n;
    o.accumulated_fees = 200n;
  });
  state.modify(dynamicGlobalPropertyObject, state.single(dynamicGlobalPropertyObject), (o) => {
    o.next_maintenance_time = now + given.seconds;
    o.last_budget_time = given.last ?? now - (given.elapsed ?? 60);
    o.witness_budget = 30n;
  });
  grantWitnessBudget.run({
    state,
    context: w.context,
    votes: w.votes,
    tally: [],
    witnessHistogram: [],
    committeeHistogram: [],
    total: 0n,
  });
  return { ...state.get(budgetRecordObject, 0).record, supply: data.current_supply };
}

t.test('the pay of the witnesses until the next maintenance', async (t) => {
  t.match(budget({ seconds: 60 }), { requested_witness_budget: 200n, witness_budget: 200n, supply_delta: -30n });
  t.match(budget({ seconds: 61 }), { requested_witness_budget: 210n }, 'a part of a block is a block');
  t.match(budget({ seconds: 62 }), { requested_witness_budget: 210n });
  t.match(budget({ seconds: 63 }), { requested_witness_budget: 210n });
  t.match(budget({ seconds: 64 }), { requested_witness_budget: 220n });
  // An interval that leads beyond the 32 bits of times ends before it has begun.
  t.match(budget({ seconds: -7 }), { requested_witness_budget: -20n, witness_budget: -20n });
  t.match(budget({ seconds: 60, reserve: 20n }), { total_budget: 250n, witness_budget: 200n, supply: 970n });
  t.match(budget({ seconds: 60, reserve: 20n, pay: 13n }), { total_budget: 250n, witness_budget: 250n, supply: 1020n });
});

t.test('nothing is there to spend the first time, or when no time has passed', async (t) => {
  const nothing = { time_since_last_budget: 0n, total_budget: 0n, witness_budget: 0n, supply: 770n };
  t.match(budget({ seconds: 60, last: 0 }), nothing);
  t.match(budget({ seconds: 60, elapsed: 0 }), nothing);
  t.match(budget({ seconds: 60, elapsed: -1 }), nothing);
  t.match(budget({ seconds: 60, elapsed: 1 }), { time_since_last_budget: 1n, total_budget: 1_000_230n });
});

t.test('until fork 1008 a small part of the reserve is spent per second, rounded up', async (t) => {
  const time = BEFORE_FORK_1008;
  t.match(budget({ seconds: 60, time, elapsed: 1 }), { total_budget: 1n });
  // 2^32 in all: exactly 17 per second
  t.match(budget({ seconds: 60, time, elapsed: 2, reserve: 2n ** 32n - 230n }), { total_budget: 34n });
  t.match(budget({ seconds: 60, time, elapsed: 2, reserve: 2n ** 32n - 229n }), { total_budget: 35n });
  // 17 times this is a single part of 2^32 more than 16.
  t.match(budget({ seconds: 60, time, elapsed: 1, reserve: 4_042_322_161n - 230n }), { total_budget: 17n });
  t.match(
    budget({ seconds: 60, time, elapsed: 1_000_000_000, reserve: 0n }),
    { total_budget: 230n },
    'never more than all',
  );
});
