import type { Clock, Logger, Random } from '../../../src/base/world.js';
import { systemRandom } from '../../../src/node/runtime/random.js';
import { projectPath } from '../../support/paths.js';

/** What a service is given, with the clock and the log of the test. */
export function serviceWorld<C extends Clock, L extends Logger>(
  clock: C,
  log: L,
): {
  readonly clock: C;
  readonly random: Random;
  readonly log: L;
  readonly version: string;
  readonly pageFolder: string;
} {
  return { clock, random: systemRandom, log, version: 'test', pageFolder: projectPath('src', 'services', 'page') };
}
