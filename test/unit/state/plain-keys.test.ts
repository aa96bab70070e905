import fc from 'fast-check';
import t from 'tap';
import { type Authority, emptyAuthority, keyAuthority } from '../../../src/protocol/authority.js';
import { plainKeyOf } from '../../../src/protocol/authority-check.js';
import type { Instance } from '../../../src/protocol/ids.js';
import { accountObject } from '../../../src/state/objects/account.js';
import { TABLE_ERRORS } from '../../../src/state/table.js';
import { FreeWorld } from '../../support/free-world.js';
import { refused } from '../../support/refused.js';

const AUTHORITIES: readonly Authority[] = [
  keyAuthority('02'.repeat(33)),
  keyAuthority('03'.repeat(33)),
  emptyAuthority(1),
  { ...keyAuthority('02'.repeat(33)), weight_threshold: 2 },
];

type Step = { readonly kind: 'open' | 'undo' | 'merge' } | { readonly kind: 'set'; account: number; to: number } | Made;
type Made = { readonly kind: 'make'; readonly to: number };

const steps = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constantFrom('open' as const, 'undo' as const, 'merge' as const) }),
    fc.record({ kind: fc.constant('set' as const), account: fc.nat(5), to: fc.nat(AUTHORITIES.length - 1) }),
    fc.record({ kind: fc.constant('make' as const), to: fc.nat(AUTHORITIES.length - 1) }),
  ),
  { maxLength: 30 },
);

t.test('however accounts come, change and go: their keys are those that they have now', async (t) => {
  let named = 0;
  const agree = ({ state }: FreeWorld): void => {
    for (const { id, active } of state.all(accountObject)) {
      t.equal(state.plainKey(id), plainKeyOf(active));
      if (state.plainKey(id) !== undefined) named++;
    }
  };
  const run = (world: FreeWorld, step: Step, n: number): void => {
    const { state } = world;
    const active = 'to' in step ? (AUTHORITIES[step.to] as Authority) : undefined;
    if (step.kind === 'open') state.openFrame();
    else if (step.kind === 'make') world.account(`made${n}`, { active: active as Authority });
    else if (step.kind === 'set') {
      const all = [...state.all(accountObject)];
      const chosen = all[step.account % Math.max(1, all.length)];
      if (chosen !== undefined) world.changeAccount(chosen.id, { active: active as Authority });
    } else if (state.openFrames > 0) {
      if (step.kind === 'undo') state.undoFrame();
      else state.mergeFrame();
    }
  };
  fc.assert(
    fc.property(steps, (list) => {
      const world = new FreeWorld();
      list.forEach((step, n) => {
        run(world, step, n);
        agree(world);
      });
    }),
    { numRuns: 300 },
  );
  t.ok(named > 1000, `${named} keys were there`);
});

t.test('of an account that is not there nothing is said', async (t) => {
  const { state } = new FreeWorld();
  for (const id of [99, 2 ** 40, (2n ** 60n) as unknown as Instance]) {
    refused(t, TABLE_ERRORS.object_missing, () => state.plainKey(id));
  }
});
