import { parseArgs } from 'node:util';
import { tellLostWork } from '../runner/lost-work.js';
import { Simulation } from './simulation.js';

/**
 * `npm run sim -- --minutes N | --seeds N [--seed S] [--small] [--verbose]`: worlds one after another until the time is
 * up or so many are done, each with its own seed. With a seed alone, that one world, to replay a failure; a small world is
 * another one than that of usual size. `--keep-going` after failures, too.
 */

const { values } = parseArgs({
  options: {
    minutes: { type: 'string' },
    seeds: { type: 'string' },
    seed: { type: 'string' },
    verbose: { type: 'boolean', default: false },
    'keep-going': { type: 'boolean', default: false },
    small: { type: 'boolean', default: false },
  },
});

/** Trouble comes as thick as in ten minutes of a usual one, and a thousand of them take an hour or two. */
const SMALL = { nodes: 4, faultySec: 36, calmSec: 60, faults: { everySec: 4 } } as const;

const SEED_RANGE = 2 ** 32;
const minutes = values.minutes === undefined ? undefined : Number(values.minutes);
const seeds = values.seeds === undefined ? undefined : Number(values.seeds);
const endMs = Date.now() + (minutes ?? 0) * 60_000;
let seed = values.seed === undefined ? Math.floor(Math.random() * SEED_RANGE) : Number(values.seed);
if (!Number.isFinite(minutes ?? 0) || !Number.isInteger(seeds ?? 0) || !Number.isInteger(seed)) {
  throw new Error('--minutes, --seeds and --seed are numbers');
}

tellLostWork();
let worlds = 0;
let failed = 0;
let split = 0;
do {
  const startMs = Date.now();
  const simulation = new Simulation({
    seed,
    ...(values.small ? SMALL : {}),
    ...(values.verbose ? { onEvent: (line) => console.log(line) } : {}),
  });
  try {
    const { headId, ...report } = await simulation.run();
    worlds++;
    if (report.isSplit) split++;
    console.log(JSON.stringify({ ...report, headId: headId.slice(0, 16), ms: Date.now() - startMs }));
  } catch (error) {
    failed++;
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
    if (!values['keep-going']) break;
  }
  seed = (seed + 1) % SEED_RANGE;
} while (seeds === undefined ? Date.now() < endMs : worlds + failed < seeds);
console.log(`${worlds} worlds, ${split} of them split for good by the one that cheats, ${failed} failed`);
