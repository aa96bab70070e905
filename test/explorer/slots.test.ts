import t from 'tap';
import { missedBetween } from '../../src/explorer/slots.js';

/** Slots that nobody filled, between two blocks. */

const SKIPS = { intervalMs: 3000, maintenanceMs: 300_000, slots: 3 };
const at = (number: number, timeMs: number) => ({ number, timeMs });

t.test('what lies between blocks', async (t) => {
  t.equal(missedBetween(at(1, 3000), at(11, 33_000), SKIPS), 0, 'all are filled');
  t.equal(missedBetween(at(1, 3000), at(11, 48_000), SKIPS), 5);
  t.equal(missedBetween(at(1, 297_000), at(2, 309_000), SKIPS), 0, 'those of a maintenance are no misses');
  t.equal(missedBetween(at(1, 297_000), at(2, 315_000), SKIPS), 2);
  t.equal(missedBetween(at(1, 297_000), at(2, 303_000), SKIPS), 0, 'never less than none');
});
