import t from 'tap';
import { definitionOf } from '../../../src/operations/registered.js';
import type { Seen } from '../outcome.js';
import { disagreement } from '../steps.js';
import { ContractModelWorld } from './world.js';

const FIRST = Number(process.env.TRUSTNODE_MODEL_SEED ?? 1);
/** More of them for longer than a test run has time. */
const WORLDS = Number(process.env.TRUSTNODE_MODEL_WORLDS ?? 11);
const OPERATIONS = 100;
/** Nearly all that there are. */
const REASONS = 60;

t.test('contracts do what a model says that was written from the texts alone', async (t) => {
  const seen: Seen = { accepted: new Set(), reasons: new Set() };
  for (let seed = FIRST; seed < FIRST + WORLDS; seed++)
    t.equal(disagreement(new ContractModelWorld(seed, seen), OPERATIONS), undefined, `seed ${seed}`);
  const missing = [74, 75, 76, 78].filter((tag) => !seen.accepted.has(tag)).map((tag) => definitionOf(tag).name);
  t.same(missing, [], 'each kind was accepted somewhere');
  t.ok(seen.reasons.size >= REASONS, `${seen.reasons.size} kinds of refusals`);
});
