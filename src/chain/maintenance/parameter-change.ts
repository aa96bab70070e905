import { wrapU32 } from '../../base/int.js';
import type { ChainParameters } from '../../protocol/chain-parameters.js';
import type { FeeParameters } from '../../protocol/operation-slot.js';
import { dynamicGlobalPropertyObject } from '../../state/objects/dynamic-global-property.js';
import { globalPropertyObject } from '../../state/objects/global-property.js';
import type { MaintenanceStep } from './run.js';

const ACCOUNT_CREATE = 5;

/**
 * While many accounts are created in one interval the fee for one doubles and doubles again; this takes it back.
 * Quirk: the product has 32 bits and counts modulo 64, which is also what a shift of the reference's numbers does.
 */
function unscaleAccountFee(parameters: ChainParameters, registered: number): ChainParameters {
  const { accounts_per_fee_scale, account_fee_scale_bitshifts, current_fees } = parameters;
  const at = current_fees.parameters.findIndex(([tag]) => tag === ACCOUNT_CREATE);
  // The reference stops for good at such a maintenance; the chain must not, whatever the committee has decided.
  if (at < 0) return parameters;
  const steps = Math.floor(registered / accounts_per_fee_scale);
  const shift = wrapU32(Math.imul(account_fee_scale_bitshifts, steps)) % 64;
  if (shift === 0) return parameters;
  const [tag, entry] = current_fees.parameters[at] as [number, { basic_fee: bigint }];
  const entries: FeeParameters[] = [...current_fees.parameters];
  entries[at] = [tag, { ...entry, basic_fee: entry.basic_fee >> BigInt(shift) }];
  return { ...parameters, current_fees: { ...current_fees, parameters: entries } };
}

/** New parameters take effect for everything after this step. */
export const applyPendingParameters: MaintenanceStep = {
  name: 'apply_pending_parameters',
  run: ({ state: s }) => {
    const global = s.single(globalPropertyObject);
    const registered = s.single(dynamicGlobalPropertyObject).accounts_registered_this_interval;
    const unscaled = unscaleAccountFee(global.parameters, registered);
    const next = global.pending_parameters ?? unscaled;
    if (next === global.parameters) return;
    s.modify(globalPropertyObject, global, (o) => {
      o.parameters = next;
      o.pending_parameters = undefined;
    });
  },
};

export const setNextMaintenanceTime: MaintenanceStep = {
  name: 'set_next_maintenance_time',
  run: ({ state: s }) => {
    const head = s.single(dynamicGlobalPropertyObject);
    const interval = s.single(globalPropertyObject).parameters.maintenance_interval;
    const previous = head.next_maintenance_time;
    const next =
      head.head_block_number === 1
        ? (Math.floor(head.time / interval) + 1) * interval
        : previous + (Math.floor((head.time - previous) / interval) + 1) * interval;
    s.modify(dynamicGlobalPropertyObject, head, (o) => {
      o.next_maintenance_time = next >>> 0;
      o.accounts_registered_this_interval = 0;
    });
  },
};
