import type { Clock, Logger, Random } from '../base/world.js';

/** What the node is handed from outside; tests hand in their own. */
export interface World {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}
