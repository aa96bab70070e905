import t from 'tap';
import { Simulation, SimulationFailure, type SimulationOptions } from './simulation.js';

/** Small worlds: the long run is `npm run sim -- --minutes N`. */
const SMALL = { nodes: 4, faultySec: 36, calmSec: 90, faults: { everySec: 4 } } as const;

t.test('worlds of fixed seeds and one of a new seed', async (t) => {
  // Not everything that this seed decides was seen before; a failure names it.
  const fresh = Math.floor(Math.random() * 2 ** 32);
  t.comment(`fresh seed ${fresh}`);
  for (const seed of [1, 2, fresh]) {
    const liars = seed === 1 ? (['forges_blocks', 'floods'] as const) : undefined;
    const more = liars === undefined ? {} : { liars };
    const report = await new Simulation({ ...SMALL, ...more, seed, checksSignatures: seed === 1 }).run();
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

/** Few nodes that die all the time. */
const ROUGH = { nodes: 3, witnesses: 3, faultySec: 90, calmSec: 60, liars: [], faults: { everySec: 1.2 } } as const;

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
  ['a disk that only says it has written', { ...ROUGH, seed: 18, sabotage: 'lying_disk' }, /the block log/],
  ['a node that blames whoever leaves', { ...SMALL, seed: 13, sabotage: 'blames_everybody' }, /has banned/],
  ['a node that swallows blocks', { ...SMALL, seed: 14, sabotage: 'swallows_blocks', liars: [] }, /head|irreversible/],
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
