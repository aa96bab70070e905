import { parseArgs } from 'node:util';
import { Simulation } from './simulation.js';

/**
 * `npm run sim -- --minutes N [--seed S] [--verbose]`: worlds one after another until the time is up, each with its own
 * seed. With a seed alone, that one world, to replay a failure.
 */

const { values } = parseArgs({
  options: {
    minutes: { type: 'string' },
    seed: { type: 'string' },
    verbose: { type: 'boolean', default: false },
    faulty: { type: 'string', default: '150' },
  },
});

const SEED_RANGE = 2 ** 32;
const minutes = values.minutes === undefined ? 0 : Number(values.minutes);
const endMs = Date.now() + minutes * 60_000;
let seed = values.seed === undefined ? Math.floor(Math.random() * SEED_RANGE) : Number(values.seed);
if (!Number.isFinite(minutes) || !Number.isInteger(seed)) throw new Error('--minutes and --seed are numbers');

let worlds = 0;
do {
  const startMs = Date.now();
  const simulation = new Simulation({
    seed,
    faultySec: Number(values.faulty),
    ...(values.verbose ? { onEvent: (line) => console.log(line) } : {}),
  });
  try {
    const { headId, ...report } = await simulation.run();
    worlds++;
    console.log(JSON.stringify({ ...report, headId: headId.slice(0, 16), ms: Date.now() - startMs }));
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
    break;
  }
  seed = (seed + 1) % SEED_RANGE;
} while (Date.now() < endMs);
console.log(`${worlds} worlds`);
