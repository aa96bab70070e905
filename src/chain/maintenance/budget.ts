import { add64, I64_MAX, lesser, sub64 } from '../../base/int.js';
import { assetObject } from '../../state/objects/asset.js';
import { assetDynamicDataObject } from '../../state/objects/asset-dynamic-data.js';
import { budgetRecordObject } from '../../state/objects/budget-record.js';
import { dynamicGlobalPropertyObject } from '../../state/objects/dynamic-global-property.js';
import { globalPropertyObject } from '../../state/objects/global-property.js';
import type { MaintenanceStep } from './run.js';

/** Until fork 1008 at most 17 / 2^32 of the reserve per second. */
const CYCLE_RATE = 17n;
const CYCLE_RATE_BITS = 32n;

/** Takes the witnesses' pay for the next interval out of the reserve and burns what the last one left over. */
export const grantWitnessBudget: MaintenanceStep = {
  name: 'grant_witness_budget',
  run: ({ state: s }) => {
    const head = s.single(dynamicGlobalPropertyObject);
    const { parameters } = s.single(globalPropertyObject);
    const core = s.get(assetObject, s.coreAsset);
    const coreData = s.get(assetDynamicDataObject, core.dynamic_asset_data_id);
    const now = head.time;

    const reserve = sub64(core.options.max_supply, coreData.current_supply);
    const fees = coreData.accumulated_fees;
    const unused = head.witness_budget;
    const isFirst = head.last_budget_time === 0 || now <= head.last_budget_time;
    const elapsed = isFirst ? 0 : now - head.last_budget_time;
    const total = isFirst ? 0n : spendable(add64(add64(reserve, fees), unused), elapsed, s.active('HF_1008'));

    const blocks = Math.ceil((head.next_maintenance_time - now) / parameters.block_interval); // nondet-ok: exact below 2^53
    // No committee means to pay more than 63 bits; but what is stored must be what stands in memory.
    const requested = lesser(parameters.witness_pay_per_block * BigInt(blocks), I64_MAX);
    const granted = lesser(requested, total);
    const supplyDelta = sub64(sub64(granted, fees), unused);

    s.modify(assetDynamicDataObject, coreData, (o) => {
      o.current_supply = add64(o.current_supply, supplyDelta);
      o.accumulated_fees = 0n;
    });
    s.modify(dynamicGlobalPropertyObject, head, (o) => {
      o.witness_budget = granted;
      o.last_budget_time = now;
    });
    s.create(budgetRecordObject, {
      time: now,
      record: {
        time_since_last_budget: BigInt(elapsed),
        from_initial_reserve: reserve,
        from_accumulated_fees: fees,
        from_unused_witness_budget: unused,
        requested_witness_budget: requested,
        total_budget: total,
        witness_budget: granted,
        supply_delta: supplyDelta,
      },
    });
  },
};

function spendable(all: bigint, elapsed: number, isUnlimited: boolean): bigint {
  if (isUnlimited) return all;
  const product = all * BigInt(elapsed) * CYCLE_RATE;
  const limited = (product + (1n << CYCLE_RATE_BITS) - 1n) >> CYCLE_RATE_BITS;
  return lesser(limited, all);
}
