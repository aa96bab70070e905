import t from 'tap';
import { applyPendingParameters, setNextMaintenanceTime } from '../../../src/chain/maintenance/parameter-change.js';
import type { MaintenanceRun } from '../../../src/chain/maintenance/run.js';
import { dynamicGlobalPropertyObject } from '../../../src/state/objects/dynamic-global-property.js';
import { globalPropertyObject } from '../../../src/state/objects/global-property.js';
import { defaultFeeSchedule } from '../../support/default-fees.js';
import { FreeWorld } from '../../support/free-world.js';

const runOf = ({ state, context, votes }: FreeWorld): MaintenanceRun => {
  return { state, context, votes, tally: [], witnessHistogram: [], committeeHistogram: [], total: 0n };
};

/** A schedule in which a registration with a cheap name costs this. */
const scheduleWith = (basic_fee: bigint) => {
  const { parameters, scale } = defaultFeeSchedule();
  const entry = { basic_fee, premium_fee: 1n, price_per_kbyte: 0 };
  return { parameters: parameters.map((one) => (one[0] === 5 ? ([5, entry] as [number, object]) : one)), scale };
};

t.test('what registrations have added to their fee is taken back, but not from new parameters', async (t) => {
  for (const isPending of [false, true]) {
    const w = new FreeWorld();
    const { state } = w;
    w.setParameters({
      current_fees: scheduleWith(1600n),
      accounts_per_fee_scale: 10,
      account_fee_scale_bitshifts: 2,
    });
    const global = state.single(globalPropertyObject);
    const pending = { ...global.parameters, current_fees: scheduleWith(320n), maintenance_interval: 77 };
    if (isPending) {
      state.modify(globalPropertyObject, global, (o) => {
        o.pending_parameters = pending;
      });
    }
    state.modify(dynamicGlobalPropertyObject, state.single(dynamicGlobalPropertyObject), (o) => {
      o.accounts_registered_this_interval = 29;
    });
    applyPendingParameters.run(runOf(w));
    const { parameters, pending_parameters } = state.single(globalPropertyObject);
    const entry = parameters.current_fees.parameters.find(([tag]) => tag === 5)?.[1];
    t.match(entry, { basic_fee: isPending ? 320n : 100n, premium_fee: 1n });
    t.equal(parameters.maintenance_interval, isPending ? 77 : 86_400);
    t.equal(pending_parameters, undefined);
  }
});

t.test('the next maintenance is due at the next multiple, later ones by whole intervals after the last', async (t) => {
  const next = (number: number, time: number, previous: number, maintenance_interval = 600): number => {
    const w = new FreeWorld(time);
    const { state } = w;
    w.setParameters({ maintenance_interval });
    state.modify(dynamicGlobalPropertyObject, state.single(dynamicGlobalPropertyObject), (o) => {
      o.head_block_number = number;
      o.next_maintenance_time = previous;
      o.accounts_registered_this_interval = 3;
    });
    setNextMaintenanceTime.run(runOf(w));
    const head = state.single(dynamicGlobalPropertyObject);
    t.equal(head.accounts_registered_this_interval, 0);
    return head.next_maintenance_time;
  };
  t.equal(next(1, 1_200_001, 0), 1_200_600);
  t.equal(next(1, 1_200_599, 0), 1_200_600);
  t.equal(next(1, 1_200_600, 0), 1_201_200, 'not at once again');
  t.equal(next(1, 1_200_001, 7), 1_200_600, 'whatever the genesis says');
  t.equal(next(2, 1_200_007, 1_200_007), 1_200_607);
  t.equal(next(2, 1_200_606, 1_200_007), 1_200_607, 'the last second');
  t.equal(next(2, 1_200_607, 1_200_007), 1_201_207, 'after a sleep, one of them is left out');
  t.equal(next(2, 1_200_009, 1_200_007, 2 ** 32 - 10), 1_199_997, 'beyond 32 bits: every block is one');
  t.equal(next(1, 1_200_009, 0, 2 ** 32 - 10), 2 ** 32 - 10);
});

t.test('the fee is shifted by a number that counts modulo 64, wherever it stands in the schedule', async (t) => {
  const after = (registered: number, account_fee_scale_bitshifts: number, isAlone = false): bigint | undefined => {
    const w = new FreeWorld();
    const schedule = scheduleWith(2n ** 40n);
    const current_fees = isAlone
      ? { ...schedule, parameters: schedule.parameters.filter(([tag]) => tag === 5) }
      : schedule;
    w.setParameters({
      current_fees,
      accounts_per_fee_scale: 1,
      account_fee_scale_bitshifts,
    });
    const { state } = w;
    state.modify(dynamicGlobalPropertyObject, state.single(dynamicGlobalPropertyObject), (o) => {
      o.accounts_registered_this_interval = registered;
    });
    applyPendingParameters.run(runOf(w));
    const { parameters } = state.single(globalPropertyObject).parameters.current_fees;
    return (parameters.find(([tag]) => tag === 5)?.[1] as { basic_fee: bigint } | undefined)?.basic_fee;
  };
  t.equal(after(1, 34), 64n);
  t.equal(after(1, 34, true), 64n, 'the first one, where it is the only one');
  t.equal(after(33, 2), 2n ** 38n);
  t.equal(after(32, 2), 2n ** 40n);
  t.equal(after(1, 1), 2n ** 39n);
  // The product is 2^31 + 127: it has no sign, and 63 of it are left.
  t.equal(after(8_421_505, 255), 0n);
});
