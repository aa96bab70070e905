import t from 'tap';
import { Simulation, SimulationFailure, type SimulationOptions } from './simulation.js';

/** Small worlds: the long run is `npm run sim -- --minutes N`. */
const SMALL = { nodes: 4, faultySec: 36, calmSec: 36, faults: { everySec: 4 } } as const;

t.test('worlds of fixed seeds and one of a new seed', async (t) => {
  // Not everything that this seed decides was seen before; a failure names it.
  const fresh = Math.floor(Math.random() * 2 ** 32);
  t.comment(`fresh seed ${fresh}`);
  for (const seed of [1, 2, 3, fresh]) {
    const report = await new Simulation({ ...SMALL, seed, checksSignatures: seed === 1 }).run();
    t.comment(JSON.stringify(report));
    t.ok(report.blocks > 8 && report.irreversible > 3, `seed ${seed}: ${report.blocks} blocks`);
    t.ok(report.transactions > 50, `seed ${seed}: ${report.transactions} transactions`);
  }
});

t.test('a seed decides everything', async (t) => {
  const runs: string[][] = [];
  for (let i = 0; i < 2; i++) {
    const lines: string[] = [];
    const report = await new Simulation({
      ...SMALL,
      seed: 7,
      checksSignatures: false,
      onEvent: (line) => lines.push(line),
    }).run();
    runs.push([...lines, JSON.stringify(report)]);
  }
  t.same(runs[0], runs[1]);
});

/** A check that cannot fail proves nothing: these nodes are broken on purpose, and the simulation must say so. */
const CANARIES: readonly [name: string, options: SimulationOptions, said: RegExp][] = [
  [
    'a node that changes its state',
    { ...SMALL, seed: 11, sabotage: 'changes_state' },
    /the state at block|has changed other/,
  ],
  [
    'a node that makes money',
    { ...SMALL, seed: 11, sabotage: 'mints' },
    /drifted apart|the state at block|has changed other/,
  ],
  [
    'a disk that only says it has written',
    { ...SMALL, seed: 12, sabotage: 'lying_disk', faultySec: 200, faults: { everySec: 2 } },
    /the block log/,
  ],
];

for (const [name, options, said] of CANARIES) {
  t.test(`${name} is found`, async (t) => {
    const outcome = await new Simulation({ ...options, checksSignatures: false })
      .run()
      .catch((error: unknown) => error);
    if (!(outcome instanceof SimulationFailure)) throw new Error('the simulation did not fail');
    t.match(outcome.message, said);
    t.match(outcome.message, /replay: npm run sim -- --seed/);
    t.match(outcome.message, /last events:/);
  });
}
