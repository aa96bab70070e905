import type { Clock, Logger, Random } from '../base/world.js';
import type { ReadRoom } from './runtime/disk.js';

/** What the node is handed from outside; tests hand in their own. */
export interface World {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** How much room a disk has; that of the system when nothing is said. */
  readonly readRoom?: ReadRoom;
}
